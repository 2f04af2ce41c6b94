// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

// The functions before initialize() and after finalize().

#include <string>

#include <Kokkos_SymmetricSpace_Space.hpp>
#include <heap/heap_test.hpp>
#include <heap/heap_with.hpp>
#include <runtime/symm_errors.hpp>

namespace {

using namespace symm_test;

void expect_every_function_fails(std::string const& when) {
  int on_stack = 0;
  EXPECT_FALSE(symm::is_initialized());
  auto const expect_null = [&](void* result, std::string const& name) {
    EXPECT_EQ(result, nullptr);
    EXPECT_THAT(symm::last_error(),
                testing::AllOf(testing::HasSubstr(name + ": called " + when),
                               testing::HasSubstr("symm::ScopeGuard")));
  };
  expect_null(symm::malloc(8), "symm::malloc");
  expect_null(symm::align(8, 8), "symm::align");
  expect_null(symm::calloc(8, 8), "symm::calloc");
  expect_null(symm::realloc(nullptr, 8), "symm::realloc");
  expect_null(symm::ptr(&on_stack, 0), "symm::ptr");
  testing::internal::CaptureStderr();
  symm::free(&on_stack);
  expect_null(nullptr, "symm::free");
  EXPECT_THAT(testing::internal::GetCapturedStderr(),
              testing::HasSubstr("symm::free: called " + when));
  testing::internal::CaptureStderr();
  symm::free(nullptr);  // does nothing, at any time (M16)
  EXPECT_STREQ(symm::last_error(), "");
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
  EXPECT_THROW(static_cast<void>(symm::my_pe()), symm::UsageError);
  EXPECT_THROW(static_cast<void>(symm::n_pes()), symm::UsageError);
  EXPECT_THROW(static_cast<void>(symm::heap_stats()), symm::UsageError);
  EXPECT_THROW(symm::heap_trim(), symm::UsageError);
  EXPECT_THROW(symm::barrier_all(), symm::UsageError);
}

TEST(Uninitialized, M49_functions_fail_before_initialize_and_after_finalize) {
  // In a run of several tests an earlier one has had a heap.
  if (!HeapWith::was_used()) {
    expect_every_function_fails("before symm::initialize()");
  }
  for (int i = 0; i < 2; ++i) {
    {
      HeapWith const heap_with(Variables{});
      expect_heap_is_usable();
    }
    expect_every_function_fails("after symm::finalize()");
  }
}

}  // namespace
