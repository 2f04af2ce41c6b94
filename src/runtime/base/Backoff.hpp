// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_BACKOFF_HPP
#define SYMM_BACKOFF_HPP

#include <algorithm>
#include <chrono>
#include <thread>

namespace symm::Impl {

/// The backoff strategy of a PE that is waiting for another PE. The waiting PE
/// first spins, because its peer is probably running on another core. Then it
/// yields its core, and finally it sleeps. A node may run more PEs than it has
/// cores, so a waiting PE must not take CPU time away from the PE that it is
/// waiting for.
class Backoff {
 public:
  using Clock = std::chrono::steady_clock;

  /// \param spins the number of calls to pause() that spin before the core is
  ///        yielded: large if each PE has its own core, 0 otherwise.
  explicit Backoff(int spins) : m_spins_left(spins) {}

  /// Pauses once.
  /// \returns the time since spinning ended; 0 while spinning.
  /// \param has_moved whether anything other than the awaited event has
  ///        arrived. If so, more may follow: this call returns immediately, and
  ///        no call sleeps during the next 2 ms.
  Clock::duration pause(bool has_moved = false) {
    if (m_spins_left > 0) {
      // A pause instruction takes up to 140 cycles, which is as long as a
      // peer's reply may take to arrive. The first checks therefore omit it.
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
      // Sleeping for a fraction of the idle time lengthens the wait only
      // slightly.
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
