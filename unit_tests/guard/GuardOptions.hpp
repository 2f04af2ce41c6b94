// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_TEST_GUARD_OPTIONS_HPP
#define SYMM_TEST_GUARD_OPTIONS_HPP

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

/// What scripts/guard.sh sets for the tests that try what chance brings.
namespace symm_test {

/// SYMM_GUARD_SEED, else another one every time. Printed, once.
std::uint64_t guard_seed();

/// SYMM_GUARD_SECONDS: how long each test goes on trying; else `seconds`.
std::chrono::duration<double> guard_time(double seconds);

/// SYMM_GUARD_CASE: the only fault to be tried, as a complaint has named it.
std::optional<std::string> guard_case();

/// Whether there is time left; says on the way, every ten seconds, what has
/// been done. Unlike the number of rounds, the time of a test on a loaded
/// machine is then known.
class GuardClock {
 public:
  explicit GuardClock(double seconds) : m_time(guard_time(seconds)) {}
  /// \param done such as "12 rounds".
  [[nodiscard]] bool has_time_left(std::string const& done);

 private:
  using Clock = std::chrono::steady_clock;
  std::chrono::duration<double> m_time;
  Clock::time_point m_start     = Clock::now();
  Clock::time_point m_last_said = m_start;
};

}  // namespace symm_test

#endif
