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

/// Selects those of a PE's accesses that an operation publishes.
enum class Tells {
  fenced,  // accesses before the latest fence()
  stores,  // also loads and stores after the latest fence()
  done,    // all loads and stores, and network operations completed by quiet()
};

/// An array of the known times of every PE's parts, starting with PE 0.
using TimesOfPes = Word<Time>*;

/// Vector clocks that show which accesses this PE knows to be done: its own
/// accesses, and other PEs' accesses that were published by a signal, a lock or
/// a barrier that this PE has seen. All threads of a PE, including those in its
/// kernels, count as one. No call blocks, because times only ever increase.
class Clocks {
 public:
  /// Starts the clocks. This PE's own loads and stores count as done
  /// immediately; its network operations count as done only after quiet().
  /// \param first the initial time; greater than 1 only in tests.
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

  /// The logical time of the next access by this PE's `part` (loads, stores,
  /// ...).
  [[nodiscard]] SYMM_FUNCTION Time now(Part part) const {
    return word_of(part) & ~used;
  }
  /// Like now(), but also marks the time as used by an access.
  [[nodiscard]] SYMM_FUNCTION Time use(Part part) {
    auto const now = word_of(part);
    if ((now & used) == 0) {
      m_now[static_cast<std::size_t>(part)].fetch_or(used);
    }
    return now & ~used;
  }
  /// Whether any of this PE's clocks has run out of times.
  [[nodiscard]] SYMM_FUNCTION bool has_ended() const {
    return m_has_ended.load(std::memory_order_relaxed) != 0;
  }
  /// Whether this PE knows that `access` is done.
  /// \param for_network whether the caller asks on behalf of one of this PE's
  ///        network operations. Network operations are ordered only after
  ///        fenced accesses. If true, other accesses therefore do not count as
  ///        done, except this PE's own loads and stores.
  [[nodiscard]] SYMM_FUNCTION bool is_done(Epoch access,
                                           bool for_network) const {
    // A PE's own loads and stores are always done from that PE's point of view.
    if (access.pe() == m_me && access.kind() < Part::network) return true;
    auto const* const known = for_network ? m_fenced : m_known;
    return access.time() <=
           known[access.part()].load(std::memory_order_relaxed);
  }

  /// Models fence(): all accesses before the fence are ordered before all
  /// accesses after it.
  SYMM_FUNCTION void fence() {
    learn_later();
    m_fenced_stores.raise(step(Part::stores));
    m_fenced[part_of(m_me, Part::network)].raise(step(Part::network));
    m_fenced[part_of(m_me, Part::signals)].raise(step(Part::signals));
  }
  /// Models an acquire fence: learns the times that learn() has deferred.
  SYMM_FUNCTION void learn_later() {
    if (m_has_later.exchange(0) == 0) return;
    for (std::size_t part = 0; part < m_parts; ++part) {
      auto const time = m_later[part].load(std::memory_order_relaxed);
      m_known[part].raise(time);
      m_fenced[part].raise(time);
    }
  }
  /// Models quiet(): all operations that this PE has begun are done.
  SYMM_FUNCTION void quiet() {
    fence();
    auto const first = part_of(m_me, Part::network);
    auto const last  = part_of(m_me, Part::signals);
    m_known[first].raise(m_fenced[first].load(std::memory_order_relaxed));
    m_known[last].raise(m_fenced[last].load(std::memory_order_relaxed));
  }
  /// Returns the time of a new put_signal().
  SYMM_FUNCTION Time begin_signal() {
    auto const before = step(Part::signals);
    return before == Epoch::last ? before : before + 1;
  }

  /// Marks a put_signal() and all earlier ones as done.
  /// \param time the time that begin_signal() returned.
  SYMM_FUNCTION void end_signal(Time time) {
    auto const signals = part_of(m_me, Part::signals);
    m_fenced[signals].raise(time);
    m_known[signals].raise(time);
  }

  /// Publishes this PE's times: raises the entries of `known` to these times.
  /// \param signaled the time of the put_signal() that publishes the times, or
  ///        0 if another operation publishes them.
  SYMM_FUNCTION void tell(TimesOfPes known, Tells what, Time signaled = 0) {
    auto const first = part_of(m_me, Part::loads);
    for (std::size_t part = 0; part < m_parts; ++part) {
      if (part - first < n_parts) continue;
      known[part].raise(m_known[part].load(std::memory_order_relaxed));
    }
    // A load is complete immediately.
    known[first].raise(end_time(Part::loads));
    known[part_of(m_me, Part::stores)].raise(
        what == Tells::fenced ? m_fenced_stores.load(std::memory_order_relaxed)
                              : end_time(Part::stores));
    auto const* const done = what == Tells::done ? m_known : m_fenced;
    auto const network     = part_of(m_me, Part::network);
    auto const signals     = part_of(m_me, Part::signals);
    known[network].raise(done[network].load(std::memory_order_relaxed));
    auto const time = done[signals].load(std::memory_order_relaxed);
    known[signals].raise(time < signaled ? signaled : time);
  }
  /// Learns the times in `known`. If `later` is true, defers learning them to
  /// the next fence().
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

  /// Learns everything that `copy`, a copy of this object, has learned since it
  /// was made.
  void learn_from_copy(Clocks const& copy) {
    for (std::size_t part = 0; part < n_parts; ++part) {
      auto const copy_time = copy.m_now[part].load();
      auto own_time        = m_now[part].load();
      while (later_of(own_time, copy_time) != own_time &&
             !m_now[part].compare_exchange_strong(
                 own_time, later_of(own_time, copy_time))) {
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
  // Set in an entry of m_now if an access was recorded at that time.
  static constexpr Time used = Time{1} << 31U;

  [[nodiscard]] static Time later_of(Time a, Time b) {
    if ((a & ~used) == (b & ~used)) return a | b;
    return (a & ~used) > (b & ~used) ? a : b;
  }
  [[nodiscard]] SYMM_FUNCTION Time word_of(Part part) const {
    return m_now[static_cast<std::size_t>(part)].load(
        std::memory_order_relaxed);
  }
  /// Advances the clock of `part`. If the clock is already at its last time,
  /// sets m_has_ended instead.
  /// \returns the previous time.
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
  /// The latest time that any access by `part` can have had so far. No future
  /// access gets this time.
  SYMM_FUNCTION Time end_time(Part part) {
    auto const now = word_of(part);
    return (now & used) == 0 ? now - 1 : step(part);
  }

  static constexpr std::size_t max_parts = max_pes * n_parts;

  Pe m_me             = 0;
  std::size_t m_parts = 0;
  Word<Time> m_now[n_parts];
  Word<Time> m_known[max_parts];   // for this PE's loads and stores
  Word<Time> m_fenced[max_parts];  // for this PE's network operations
  Word<Time> m_later[max_parts];   // times to learn at the next fence()
  Word<Time> m_fenced_stores;
  Word<std::uint32_t> m_has_later;
  Word<std::uint32_t> m_has_ended;
};

}  // namespace symm::Impl::check

#endif
