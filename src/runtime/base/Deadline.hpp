// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_DEADLINE_HPP
#define SYMM_DEADLINE_HPP

#include <poll.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <climits>
#include <optional>
#include <span>

#include "Interrupted.hpp"

namespace symm::Impl {

/// The time at which a wait must end, if any.
class Deadline {
 public:
  using Clock = std::chrono::steady_clock;

  /// \param from_now the time until the deadline; 0 means no deadline, as in
  ///        the environment variables for timeouts. Capped at 31 years, because
  ///        the clock cannot represent every duration.
  explicit Deadline(std::chrono::duration<double> from_now) {
    constexpr std::chrono::duration<double> most{1e9};
    if (from_now.count() <= 0) return;
    m_end = Clock::now() + std::chrono::duration_cast<Clock::duration>(
                               std::min(from_now, most));
  }

  /// Returns the deadline; nullopt if there is none.
  [[nodiscard]] std::optional<Clock::time_point> end() const { return m_end; }
  [[nodiscard]] bool is_over() const { return m_end && Clock::now() >= *m_end; }

  /// Returns the time left as a timeout for poll(): -1 if there is no deadline,
  /// 0 once the deadline has passed.
  [[nodiscard]] int milliseconds_left() const {
    if (!m_end) return -1;
    auto const left =
        std::chrono::ceil<std::chrono::milliseconds>(*m_end - Clock::now());
    return static_cast<int>(
        std::clamp<std::chrono::milliseconds::rep>(left.count(), 0, INT_MAX));
  }

 private:
  std::optional<Clock::time_point> m_end;
};

/// Waits for events until the deadline. If a signal interrupts the wait,
/// continues waiting.
/// \returns the result of poll(): the number of entries with events; 0 if the
///          deadline has passed; -1 on failure, with errno set.
inline int poll_until(std::span<pollfd> entries, Deadline const& deadline) {
  while (true) {
    int const n =
        ::poll(entries.data(), entries.size(), deadline.milliseconds_left());
    if (n < 0 && errno == EINTR) continue;
    // The time left may exceed poll()'s longest timeout.
    if (n == 0 && !deadline.is_over()) continue;
    return n;
  }
}

/// Checks for events without waiting. Returns poll()'s result.
inline int poll_now(std::span<pollfd> entries) {
  return uninterrupted(
      [&] { return ::poll(entries.data(), entries.size(), 0); });
}

}  // namespace symm::Impl

#endif
