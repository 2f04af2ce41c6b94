// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#include "GuardOptions.hpp"

#include <cstdio>
#include <cstdlib>
#include <random>

namespace symm_test {

std::uint64_t guard_seed() {
  static std::uint64_t const seed = [] {
    char const* const wanted = std::getenv("SYMM_GUARD_SEED");
    auto const result        = wanted == nullptr
                                   ? std::uint64_t{std::random_device{}()}
                                   : std::strtoull(wanted, nullptr, 10);
    std::printf("The seed is %llu: scripts/guard.sh --seed %llu\n",
                static_cast<unsigned long long>(result),
                static_cast<unsigned long long>(result));
    return result;
  }();
  return seed;
}

std::chrono::duration<double> guard_time(double seconds) {
  char const* const wanted = std::getenv("SYMM_GUARD_SECONDS");
  return std::chrono::duration<double>(
      wanted == nullptr ? seconds : std::strtod(wanted, nullptr));
}

std::optional<std::string> guard_case() {
  char const* const wanted = std::getenv("SYMM_GUARD_CASE");
  if (wanted == nullptr) return std::nullopt;
  return wanted;
}

bool GuardClock::has_time_left(std::string const& done) {
  auto const now = Clock::now();
  if (now - m_last_said > std::chrono::seconds(10)) {
    m_last_said = now;
    std::printf("  %s in %.0f s\n", done.c_str(),
                std::chrono::duration<double>(now - m_start).count());
    static_cast<void>(std::fflush(stdout));
  }
  return now - m_start < m_time;
}

}  // namespace symm_test
