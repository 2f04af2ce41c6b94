// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

// Calls without an action: one PE alone makes them and returns. Were there a
// barrier, it would wait for ever.

#include <functional>
#include <string>

#include <heap/heap_test.hpp>

namespace {

using namespace symm_test;

/// Each PE alone makes the call while all others wait elsewhere; it gives null
/// without an error and leaves the heap, and the count of collective calls, as
/// they are.
void expect_no_action(std::function<void*()> const& call) {
  auto const before = symm::heap_stats();
  for (symm::Pe caller = 0; caller < symm::n_pes(); ++caller) {
    if (symm::my_pe() == caller) {
      EXPECT_EQ(call(), nullptr);
      EXPECT_STREQ(symm::last_error(), "");
    }
    EXPECT_EQ(symm::heap_stats(), before);
    wait_for_all_pes();
  }
  expect_heap_is_usable();
}

TEST(NoBarrier, M06_M07_M08_malloc_of_zero_bytes) {
  expect_no_action([] { return symm::malloc(0); });
}

TEST(NoBarrier, M11_M12_M20_align_of_zero_bytes) {
  expect_no_action([] { return symm::align(8, 0); });
  expect_no_action([] { return symm::align(gib, 0); });
}

TEST(NoBarrier, M16_M17_free_of_null) {
  testing::internal::CaptureStderr();
  expect_no_action([]() -> void* {
    symm::free(nullptr);
    return nullptr;
  });
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
}

TEST(NoBarrier, C08_C10_calloc_of_zero_objects) {
  expect_no_action([] { return symm::calloc(0, 8); });
  expect_no_action([] { return symm::calloc(0, ~std::size_t{0}); });
}

TEST(NoBarrier, C09_C10_calloc_of_objects_of_zero_bytes) {
  expect_no_action([] { return symm::calloc(8, 0); });
  expect_no_action([] { return symm::calloc(~std::size_t{0}, 0); });
}

TEST(NoBarrier, S04_M20_realloc_of_null_to_zero_bytes) {
  expect_no_action([] { return symm::realloc(nullptr, 0); });
}

TEST(NoBarrier, M08_sizes_of_zero_beside_live_blocks) {
  auto* const block = malloc_bytes(100);
  fill(block, 100, {symm::my_pe(), 0});
  expect_no_action([] { return symm::malloc(0); });
  expect_no_action([] { return symm::calloc(0, 0); });
  EXPECT_EQ(difference(block, 100, {symm::my_pe(), 0}), no_difference);
  symm::free(block);
}

}  // namespace
