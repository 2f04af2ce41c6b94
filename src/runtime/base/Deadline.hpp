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

/// The time at which a wait ends, or never.
class Deadline {
 public:
  using Clock = std::chrono::steady_clock;

  /// \param from_now 0: never, as in settings. Clocks cannot count all numbers
  ///        of seconds: 31 years are enough.
  explicit Deadline(std::chrono::duration<double> from_now) {
    constexpr std::chrono::duration<double> most{1e9};
    if (from_now.count() <= 0) return;
    m_end = Clock::now() + std::chrono::duration_cast<Clock::duration>(
                               std::min(from_now, most));
  }

  /// Nothing: never.
  [[nodiscard]] std::optional<Clock::time_point> end() const { return m_end; }
  [[nodiscard]] bool is_over() const { return m_end && Clock::now() >= *m_end; }

  /// The time left, as poll() takes it: -1 without end, 0 if it is over.
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

/// Waits for events until the deadline, however often signals interrupt it.
/// \returns as poll(): the number of entries with events; 0: the deadline is
///          over; -1: see errno.
inline int poll_until(std::span<pollfd> entries, Deadline const& deadline) {
  while (true) {
    int const n =
        ::poll(entries.data(), entries.size(), deadline.milliseconds_left());
    if (n < 0 && errno == EINTR) continue;
    // The clock may count more milliseconds than poll() takes.
    if (n == 0 && !deadline.is_over()) continue;
    return n;
  }
}

/// Looks for events without waiting. Result as poll()'s.
inline int poll_now(std::span<pollfd> entries) {
  return uninterrupted(
      [&] { return ::poll(entries.data(), entries.size(), 0); });
}

}  // namespace symm::Impl

#endif
