// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

// Checks in kernels are those of the library's build in every source of a
// program: an inline function has one body, however its source was compiled.
#include <gtest/gtest.h>

#include <cstdlib>

#include <runtime/base/KernelText.hpp>

namespace symm_test {

// Compiled without NDEBUG.
void expect_nothing_in_debugging_source();

namespace {

#ifndef NDEBUG
#error "this source is compiled with NDEBUG"
#endif

void expect_nothing_in_optimized_source() {
  symm::Impl::expect(false, "test", "it is not met");
}

int status_after(void (*call)()) {
  int result = -1;
  EXPECT_EXIT((call(), std::_Exit(0)),
              [&](int status) {
                result = status;
                return true;
              },
              "");
  return result;
}

TEST(ChecksInKernels, are_the_same_in_sources_with_and_without_NDEBUG) {
  auto const status = status_after(expect_nothing_in_optimized_source);
  EXPECT_EQ(status_after(expect_nothing_in_debugging_source), status);
#ifdef SYMM_CHECKS_IN_KERNELS
  EXPECT_NE(status, 0);
#else
  EXPECT_EQ(status, 0);
#endif
}

}  // namespace
}  // namespace symm_test
