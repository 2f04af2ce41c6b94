// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_TEST_CHECK_RACES_HPP
#define SYMM_TEST_CHECK_RACES_HPP

#include <gtest/gtest.h>

#include <cstdint>

#include <Kokkos_SymmetricSpace.hpp>
#include <symm_check.hpp>

namespace symm_test {

/// Collective: the races that all PEs find while they run `body`. Each pair of
/// places in the program counts once in a program.
template <class Body>
std::uint64_t races_in(Body const& body) {
  symm::barrier_all();
  auto const before = symm::check::races();
  symm::barrier_all();
  body();
  symm::barrier_all();
  auto const after = symm::check::races();
  symm::barrier_all();
  return after - before;
}

}  // namespace symm_test

/// Collective.
#define SYMM_EXPECT_RACE(...) \
  EXPECT_GE(symm_test::races_in([&] __VA_ARGS__), 1U)
#define SYMM_EXPECT_NO_RACE(...) \
  EXPECT_EQ(symm_test::races_in([&] __VA_ARGS__), 0U)

#endif
