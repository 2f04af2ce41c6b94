// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_TEST_PES_HPP
#define SYMM_TEST_PES_HPP

#include <support/TestJob.hpp>

#include <algorithm>
#include <chrono>
#include <random>
#include <thread>
#include <type_traits>
#include <vector>

#include <runtime/base/Types.hpp>
#include <runtime/symm_job.hpp>

namespace symm_test {

/// Collective, through the TestJob: every PE's value, in PE order.
template <class T>
requires std::is_trivially_copyable_v<T> std::vector<T> gather(T const& mine) {
  std::vector<T> all(static_cast<std::size_t>(test_n_pes()));
  gather_bytes(&mine, all.data(), sizeof(T));
  return all;
}

/// Collective, through the TestJob: whether all PEs have the same value.
template <class T>
bool is_equal_on_all_pes(T const& mine) {
  auto const all = gather(mine);
  return std::all_of(all.begin(), all.end(),
                     [&](T const& other) { return other == mine; });
}

/// Whether loads and stores reach all PEs, because they are on one node.
inline bool are_all_near() {
  for (symm::Pe pe = 0; pe < symm::n_pes(); ++pe) {
    if (!symm::is_near(pe)) return false;
  }
  return true;
}

/// Random numbers that differ between PEs, so that a different PE comes first
/// each time.
inline std::mt19937 random_of_this_pe(unsigned seed) {
  return std::mt19937(1000 * seed + static_cast<unsigned>(symm::my_pe()));
}

/// In half of the calls, pauses and thus lets other PEs run ahead.
inline void random_pause(std::mt19937& random) {
  auto const draw = random() % 400;
  if (draw >= 200) return;
  std::this_thread::sleep_for(std::chrono::microseconds(draw));
}

}  // namespace symm_test

#endif
