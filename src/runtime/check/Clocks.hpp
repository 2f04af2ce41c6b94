// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_CHECK_CLOCKS_HPP
#define SYMM_CHECK_CLOCKS_HPP

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

#include "../base/Types.hpp"
#include "CheckMemory.hpp"
#include "Epoch.hpp"

namespace symm::Impl::check {

/// How much of this PE an operation tells those who see it.
enum class Tells {
  fenced,  // what was before the latest fence()
  stores,  // also loads and stores since then
  done,    // loads and stores, and of the network what quiet() has completed
};

/// The accesses that this PE knows to be done: its own parts, and those of
/// others as far as it has seen a signal, a lock or a barrier that says so. All
/// threads of a PE count as one; they need no lock, as times only grow.
class Clocks {
 public:
  void start(Pe me, int n_pes);

  /// The time of the next access by a part of this PE.
  [[nodiscard]] Time now(Part part) const {
    return m_now[static_cast<std::size_t>(part)].load(
        std::memory_order_relaxed);
  }
  /// Whether this PE knows that an access is done.
  /// \param for_network whether what its network does is meant: that comes
  ///        after what has been fenced.
  [[nodiscard]] bool is_done(Epoch access, bool for_network) const {
    auto const& known = for_network ? m_fenced : m_known;
    return access.time() <=
           known[access.part()].load(std::memory_order_relaxed);
  }

  /// fence(): what is before it comes before what is after it.
  void fence();
  /// An acquiring fence.
  void learn_later();
  /// quiet(): all that this PE has begun is done.
  void quiet();
  /// The time of a put_signal().
  Time begin_signal();

  /// Adds what this PE tells to `known`.
  /// \param signalled the time of the put_signal() that tells it, or 0.
  void tell(TimesOfPes known, Tells what, Time signalled = 0);
  /// Learns what is in `known`; `later`: at the next fence().
  void learn(std::atomic<Time> const* known, bool later = false);

  [[nodiscard]] Pe me() const { return m_me; }
  /// Whether the times of all parts fit in an Epoch.
  [[nodiscard]] bool has_room() const;

 private:
  void raise_mine(TimesOfPes known, Part part, Time time) const;
  /// Begins the next time of a part. \returns the one before.
  Time step(Part part);

  Pe m_me             = 0;
  std::size_t m_parts = 0;
  std::array<std::atomic<Time>, n_parts> m_now{};
  Times m_known{};   // to loads and stores of this PE
  Times m_fenced{};  // to its network
  Times m_later{};   // to be known at the next fence()
  std::atomic<Time> m_fenced_stores{0};
  std::atomic<bool> m_has_later{false};
};

}  // namespace symm::Impl::check

#endif
