// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_BACKOFF_HPP
#define SYMM_BACKOFF_HPP

#include <algorithm>
#include <chrono>
#include <thread>

namespace symm::Impl {

/// How to wait for another PE: spin while it probably runs on another core,
/// then give the core away, then sleep. More PEs than cores is normal, and an
/// idle PE must not take time from the one that it waits for.
class Backoff {
 public:
  using Clock = std::chrono::steady_clock;

  /// \param spins checks before the core is given away: many with a core per
  ///        PE, none without.
  explicit Backoff(int spins) : m_spins_left(spins) {}

  /// One pause. Returns how long this wait has lasted, 0 while it spins.
  /// \param has_moved something has come, though not what is waited for: more
  ///        of it may follow at once, and it does not sleep until then.
  Clock::duration pause(bool has_moved = false) {
    if (m_spins_left > 0) {
      // A pause instruction takes up to 140 cycles, as long as the answer of a
      // PE that is on its way: look without it at first.
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
      // A fraction of the wait so far: it makes the wait little longer.
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
