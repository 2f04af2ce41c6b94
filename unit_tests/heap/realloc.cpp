// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

// symm::realloc(): sizes, contents, what it frees.

#include <algorithm>
#include <cstddef>
#include <vector>

#include <heap/heap_test.hpp>
#include <runtime/heap/Poison.hpp>

namespace {

using namespace symm_test;

char* realloc_bytes(char* block, std::size_t bytes) {
  auto* const result = static_cast<char*>(symm::realloc(block, bytes));
  EXPECT_NE(result, nullptr) << symm::last_error();
  return result;
}

TEST(Realloc, S01_S02_S03_contents_are_kept_up_to_the_smaller_size) {
  auto const me                        = symm::my_pe();
  std::vector<std::size_t> const sizes = {
      1, 15, 16, 17, 1000, 4096, 4097, 300'000, 2 * mib, 2 * mib + 1, 5 * mib};
  for (auto const before : sizes) {
    for (auto const after : sizes) {
      SCOPED_TRACE(std::to_string(before) + " to " + std::to_string(after));
      auto* block = malloc_bytes(before);
      fill(block, before, {me, me, 1});
      block           = realloc_bytes(block, after);
      auto const kept = std::min(before, after);
      symm::barrier_all();
      for (symm::Pe pe = 0; pe < symm::n_pes(); ++pe) {
        EXPECT_EQ(difference_at(pe, block, kept, {pe, pe, 1}), no_difference);
      }
      symm::barrier_all();
      fill(block, after, {me, me, 2});  // all of it can be written
      EXPECT_EQ(difference(block, after, {me, me, 2}), no_difference);
      symm::free(block);
      EXPECT_STREQ(symm::last_error(), "");
    }
  }
}

TEST(Realloc, S01_statistics_follow_the_size) {
  auto const before = heap_state();
  auto* block       = malloc_bytes(1024);
  EXPECT_EQ(heap_state().live_bytes, before.live_bytes + 1024);
  block = realloc_bytes(block, 4096);
  EXPECT_EQ(heap_state().live_bytes, before.live_bytes + 4096);
  EXPECT_EQ(heap_state().live_blocks, before.live_blocks + 1);
  block = realloc_bytes(block, 512);
  EXPECT_EQ(heap_state().live_bytes, before.live_bytes + 512);
  symm::free(block);
  EXPECT_EQ(heap_state().live_bytes, before.live_bytes);
}

TEST(Realloc, S01_what_is_cut_off_can_be_allocated) {
  symm::heap_trim();
  auto* const block = malloc_bytes(2 * mib);
  auto const mapped = heap_state().mapped_bytes;
  EXPECT_EQ(realloc_bytes(block, mib), block);
  auto* const rest = malloc_bytes(mib);
  EXPECT_EQ(rest, block + mib);
  EXPECT_EQ(heap_state().mapped_bytes, mapped);
  fill(rest, mib, {symm::my_pe(), 0});
  symm::free(block);
  EXPECT_EQ(difference(rest, mib, {symm::my_pe(), 0}), no_difference);
  symm::free(rest);
}

TEST(Realloc, S04_of_null_is_malloc) {
  auto const before = heap_state();
  auto* const block = realloc_bytes(nullptr, 100);
  EXPECT_TRUE(is_aligned(block, alignof(std::max_align_t)));
  EXPECT_EQ(heap_state().live_blocks, before.live_blocks + 1);
  fill(block, 100, {symm::my_pe(), 0});
  EXPECT_EQ(difference(block, 100, {symm::my_pe(), 0}), no_difference);
  symm::free(block);
  EXPECT_STREQ(symm::last_error(), "");
}

TEST(Realloc, S05_to_size_zero_frees) {
  auto const before = heap_state();
  auto* const block = malloc_bytes(100);
  EXPECT_EQ(symm::realloc(block, 0), nullptr);
  EXPECT_STREQ(symm::last_error(), "");
  EXPECT_EQ(heap_state().live_blocks, before.live_blocks);
  EXPECT_EQ(heap_state().live_bytes, before.live_bytes);
  expect_free_fails(block, {"already freed"});
}

TEST(Realloc, S09_a_block_that_moves_leaves_its_old_place) {
  auto const before = heap_state();
  auto* const block = malloc_bytes(1000);
  auto* const guard = malloc_bytes(1000);  // no room to grow in place
  auto* const moved = realloc_bytes(block, 100'000);
  EXPECT_NE(moved, block);
  EXPECT_EQ(heap_state().live_blocks, before.live_blocks + 2);
  expect_free_fails(block, {"symm::free", "on PE"});
  auto* const again = malloc_bytes(1000);
  EXPECT_EQ(again, block) << "the old place is not free";
  for (char* const p : {moved, guard, again}) symm::free(p);
  EXPECT_EQ(heap_state().live_bytes, before.live_bytes);
}

TEST(Realloc, S14_blocks_stay_symmetric) {
  auto* block = malloc_bytes(100);
  for (std::size_t const bytes : {200UL, 50UL, 3 * mib, 10UL, 70'000UL}) {
    block = realloc_bytes(block, bytes);
    EXPECT_TRUE(is_equal_on_all_pes(heap().map().offset_of(block)));
  }
  symm::free(block);
}

// Loads and stores have completed when a PE enters the call, so nothing of the
// library can be pending; a late use is the program's error, and shows.
TEST(Realloc, S12_late_use_of_a_block_is_found_by_AddressSanitizer) {
#ifdef SYMM_HAS_ASAN
  auto const expect_poisoned = [](char* block, std::size_t bytes,
                                  bool is_poisoned) {
    for (symm::Pe pe = 0; pe < symm::n_pes(); ++pe) {
      if (!symm::is_near(pe)) continue;
      auto* const copy = symm::ptr(block, pe);
      EXPECT_EQ(__asan_address_is_poisoned(copy), is_poisoned);
      EXPECT_EQ(__asan_address_is_poisoned(copy + bytes - 1), is_poisoned);
    }
  };
  auto* const block = malloc_bytes(1024);
  expect_poisoned(block, 1024, false);
  auto* const moved = realloc_bytes(block, 4096);
  expect_poisoned(block, 1024, true);
  expect_poisoned(moved, 4096, false);
  EXPECT_EQ(realloc_bytes(moved, 1000), moved);
  expect_poisoned(moved, 1000, false);
  expect_poisoned(moved + 1008, 4096 - 1008, true);
  symm::free(moved);
  expect_poisoned(moved, 1000, true);
#else
  GTEST_SKIP() << "needs AddressSanitizer";
#endif
}

}  // namespace
