// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_BACKOFF_HPP
#define SYMM_BACKOFF_HPP

#include <algorithm>
#include <chrono>
#include <thread>

namespace symm::Impl {

/// Waits for another PE: spins while that probably runs on another core, then
/// gives the core away, then sleeps. More PEs than cores is normal, and an
/// idle PE must not take time from the one that it waits for.
class Backoff {
 public:
  using Clock = std::chrono::steady_clock;

  /// \param spins checks before the core is given away: many with a core per
  ///        PE, none without.
  explicit Backoff(int spins) : m_spins_left(spins) {}

  /// One pause. \returns how long this wait has lasted; 0 while it spins.
  /// \param has_moved whether something else has arrived: as more may follow,
  ///        pause() then returns at once, and does not sleep for 2 ms.
  Clock::duration pause(bool has_moved = false) {
    if (m_spins_left > 0) {
      // A pause instruction takes up to 140 cycles, as long as the reply of a
      // PE takes to arrive: the first checks do without.
      if (++m_spins > n_hot_spins) relax();
      --m_spins_left;
      return Clock::duration::zero();
    }
    auto const now = Clock::now();
    if (m_start == Clock::time_point{}) m_start = m_moved = now;
    if (has_moved) {
      m_moved = now;
      return now - m_start;
    }
    auto const idle = now - m_moved;
    if (idle < yield_time) {
      std::this_thread::yield();
    } else {
      // A fraction of the idle time so far lengthens the wait little.
      std::this_thread::sleep_for(
          std::min<Clock::duration>(idle / 16, longest_sleep));
    }
    return now - m_start;
  }

 private:
  static constexpr int n_hot_spins    = 200;
  static constexpr auto yield_time    = std::chrono::milliseconds(2);
  static constexpr auto longest_sleep = std::chrono::milliseconds(1);

  static void relax() {
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    asm volatile("yield");
#endif
  }

  int m_spins = 0;
  int m_spins_left;
  Clock::time_point m_start{};
  Clock::time_point m_moved{};
};

}  // namespace symm::Impl

#endif
