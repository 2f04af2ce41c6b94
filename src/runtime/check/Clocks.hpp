// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_CHECK_CLOCKS_HPP
#define SYMM_CHECK_CLOCKS_HPP

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "../base/Function.hpp"
#include "../base/Types.hpp"
#include "Epoch.hpp"
#include "Word.hpp"

namespace symm::Impl::check {

/// How much of this PE an operation tells those who see it.
enum class Tells {
  fenced,  // what was before the latest fence()
  stores,  // also loads and stores since then
  done,    // loads and stores, and of the network what quiet() has completed
};

/// The times of all parts that somebody knows of, those of PE 0 first.
using TimesOfPes = Word<Time>*;

/// The accesses that this PE knows to be done: its own parts, and those of
/// others as far as it has seen a signal, a lock or a barrier that says so. All
/// threads of a PE count as one, those of its kernels, too. No call waits for
/// another: all times only grow.
class Clocks {
 public:
  /// Loads and stores of this PE know its own loads and stores at once: these
  /// times are those of the next access. Its network's are behind until
  /// quiet().
  /// \param first the time at first. Above 1: of tests.
  void start(Pe me, int n_pes, Time first = 1) {
    m_me    = me;
    m_parts = static_cast<std::size_t>(n_pes) * n_parts;
    for (auto& now : m_now) now.store(first);
    m_has_ended.store(0);
    for (std::size_t part = 0; part < m_parts; ++part) {
      m_known[part].store(0);
      m_fenced[part].store(0);
      m_later[part].store(0);
    }
    for (auto const part : {Part::loads, Part::stores}) {
      m_known[part_of(me, part)].store(Epoch::latest);
      m_fenced[part_of(me, part)].store(Epoch::latest);
    }
    m_fenced_stores.store(0);
    m_has_later.store(0);
  }

  /// The time of the next access by a part of this PE.
  [[nodiscard]] SYMM_FUNCTION Time now(Part part) const {
    return word_of(part) & ~used;
  }
  /// The same, for an access that is noted then.
  [[nodiscard]] SYMM_FUNCTION Time use(Part part) {
    auto const now = word_of(part);
    if ((now & used) == 0) {
      m_now[static_cast<std::size_t>(part)].fetch_or(used);
    }
    return now & ~used;
  }
  /// Whether a clock of this PE has ended: it has no time for accesses from now
  /// on.
  [[nodiscard]] SYMM_FUNCTION bool has_ended() const {
    return m_has_ended.load(std::memory_order_relaxed) != 0;
  }
  /// Whether this PE knows that an access is done.
  /// \param for_network whether what its network does is meant: that comes
  ///        after what has been fenced.
  [[nodiscard]] SYMM_FUNCTION bool is_done(Epoch access,
                                           bool for_network) const {
    // A PE knows its own loads and stores, whenever they were.
    if (access.pe() == m_me && access.kind() < Part::network) return true;
    auto const* const known = for_network ? m_fenced : m_known;
    return access.time() <=
           known[access.part()].load(std::memory_order_relaxed);
  }

  /// fence(): what is before it comes before what is after it.
  SYMM_FUNCTION void fence() {
    learn_later();
    m_fenced_stores.raise(step(Part::stores));
    m_fenced[part_of(m_me, Part::network)].raise(step(Part::network));
    m_fenced[part_of(m_me, Part::signals)].raise(step(Part::signals));
  }
  /// An acquiring fence.
  SYMM_FUNCTION void learn_later() {
    if (m_has_later.exchange(0) == 0) return;
    for (std::size_t part = 0; part < m_parts; ++part) {
      auto const time = m_later[part].load(std::memory_order_relaxed);
      m_known[part].raise(time);
      m_fenced[part].raise(time);
    }
  }
  /// quiet(): all that this PE has begun is done.
  SYMM_FUNCTION void quiet() {
    fence();
    auto const first = part_of(m_me, Part::network);
    auto const last  = part_of(m_me, Part::signals);
    m_known[first].raise(m_fenced[first].load(std::memory_order_relaxed));
    m_known[last].raise(m_fenced[last].load(std::memory_order_relaxed));
  }
  /// The time of a put_signal().
  SYMM_FUNCTION Time begin_signal() {
    auto const before = step(Part::signals);
    return before == Epoch::last ? before : before + 1;
  }

  /// A put_signal() is done, and those before it count as done.
  SYMM_FUNCTION void end_signal(Time time) {
    auto const signals = part_of(m_me, Part::signals);
    m_fenced[signals].raise(time);
    m_known[signals].raise(time);
  }

  /// Adds what this PE tells to `known`.
  /// \param signalled the time of the put_signal() that tells it, or 0.
  SYMM_FUNCTION void tell(TimesOfPes known, Tells what, Time signalled = 0) {
    auto const first = part_of(m_me, Part::loads);
    for (std::size_t part = 0; part < m_parts; ++part) {
      if (part - first < n_parts) continue;
      known[part].raise(m_known[part].load(std::memory_order_relaxed));
    }
    // A load is complete at once.
    known[first].raise(end_time(Part::loads));
    known[part_of(m_me, Part::stores)].raise(
        what == Tells::fenced ? m_fenced_stores.load(std::memory_order_relaxed)
                              : end_time(Part::stores));
    auto const* const done = what == Tells::done ? m_known : m_fenced;
    auto const network     = part_of(m_me, Part::network);
    auto const signals     = part_of(m_me, Part::signals);
    known[network].raise(done[network].load(std::memory_order_relaxed));
    auto const time = done[signals].load(std::memory_order_relaxed);
    known[signals].raise(time < signalled ? signalled : time);
  }
  /// Learns what is in `known`; `later`: at the next fence().
  SYMM_FUNCTION void learn(Word<Time> const* known, bool later = false) {
    auto const first = part_of(m_me, Part::loads);
    for (std::size_t part = 0; part < m_parts; ++part) {
      auto const time = known[part].load(std::memory_order_relaxed);
      if (time == 0) continue;
      if (later) {
        if (part - first < n_parts) continue;
        m_later[part].raise(time);
      } else {
        m_known[part].raise(time);
        m_fenced[part].raise(time);
      }
    }
    if (later) m_has_later.store(1);
  }

  /// Learns what a copy of these clocks has learned since it was made.
  void learn_from_copy(Clocks const& copy) {
    for (std::size_t part = 0; part < n_parts; ++part) {
      auto const its = copy.m_now[part].load();
      auto mine      = m_now[part].load();
      while (later_of(mine, its) != mine &&
             !m_now[part].compare_exchange_strong(mine, later_of(mine, its))) {
      }
    }
    for (std::size_t part = 0; part < m_parts; ++part) {
      m_known[part].raise(copy.m_known[part].load());
      m_fenced[part].raise(copy.m_fenced[part].load());
      m_later[part].raise(copy.m_later[part].load());
    }
    m_fenced_stores.raise(copy.m_fenced_stores.load());
    if (copy.m_has_later.load() != 0) m_has_later.store(1);
    if (copy.m_has_ended.load() != 0) m_has_ended.store(1);
  }

 private:
  // Of a time: there was an access at it.
  static constexpr Time used = Time{1} << 31U;

  [[nodiscard]] static Time later_of(Time a, Time b) {
    if ((a & ~used) == (b & ~used)) return a | b;
    return (a & ~used) > (b & ~used) ? a : b;
  }
  [[nodiscard]] SYMM_FUNCTION Time word_of(Part part) const {
    return m_now[static_cast<std::size_t>(part)].load(
        std::memory_order_relaxed);
  }
  /// Begins the next time of a part; after the last one, ends the clock.
  /// \returns the time before.
  SYMM_FUNCTION Time step(Part part) {
    auto now = word_of(part);
    do {
      if ((now & ~used) == Epoch::last) {
        m_has_ended.store(1);
        return Epoch::last;
      }
    } while (!m_now[static_cast<std::size_t>(part)].compare_exchange_strong(
        now, (now & ~used) + 1));
    return now & ~used;
  }
  /// The latest time at which there can have been accesses until now. No access
  /// from now on has it.
  SYMM_FUNCTION Time end_time(Part part) {
    auto const now = word_of(part);
    return (now & used) == 0 ? now - 1 : step(part);
  }

  static constexpr std::size_t max_parts = max_pes * n_parts;

  Pe m_me             = 0;
  std::size_t m_parts = 0;
  Word<Time> m_now[n_parts];
  Word<Time> m_known[max_parts];   // to loads and stores of this PE
  Word<Time> m_fenced[max_parts];  // to its network
  Word<Time> m_later[max_parts];   // to be known at the next fence()
  Word<Time> m_fenced_stores;
  Word<std::uint32_t> m_has_later;
  Word<std::uint32_t> m_has_ended;
};

}  // namespace symm::Impl::check

#endif
