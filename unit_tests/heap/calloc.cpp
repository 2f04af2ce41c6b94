// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

// symm::calloc(): zeros, sizes, growth. Its barrier is in ordering.cpp and
// no_barrier.cpp, its failures in limits.cpp and mismatch.cpp.

#include <Kokkos_Core.hpp>
#include <cstddef>
#include <utility>
#include <vector>

#include <heap/heap_test.hpp>
#include <support/kernels.hpp>

namespace {

using namespace symm_test;

char* calloc_bytes(std::size_t count, std::size_t size) {
  auto* const block = static_cast<char*>(symm::calloc(count, size));
  EXPECT_NE(block, nullptr) << symm::last_error();
  return block;
}

std::vector<std::pair<std::size_t, std::size_t>> const shapes = {
    {1, 1},    {1, 17},   {17, 1},      {3, 5},
    {100, 24}, {4096, 1}, {1000, 1001}, {2 * mib + 1, 1}};

TEST(Calloc, C01_C02_C03_all_objects_are_usable_on_all_pes) {
  auto const me = symm::my_pe();
  for (auto const& [count, size] : shapes) {
    auto const bytes  = count * size;
    auto* const guard = malloc_bytes(64);
    auto* const block = calloc_bytes(count, size);
    auto* const after = malloc_bytes(64);
    fill(guard, 64, {me, me, 1});
    fill(after, 64, {me, me, 2});
    auto const to = (me + 1) % symm::n_pes();
    fill_at(to, block, bytes, {me, to});
    symm::barrier_all();
    auto const from = (me + symm::n_pes() - 1) % symm::n_pes();
    EXPECT_EQ(difference(block, bytes, {from, me}), no_difference);
    EXPECT_EQ(difference(guard, 64, {me, me, 1}), no_difference);
    EXPECT_EQ(difference(after, 64, {me, me, 2}), no_difference);
    EXPECT_TRUE(is_equal_on_all_pes(heap().map().offset_of(block)));
    for (char* const p : {guard, block, after}) symm::free(p);
    EXPECT_STREQ(symm::last_error(), "") << "not the lowest address";
  }
}

TEST(Calloc, C04_C05_all_bytes_are_zero_also_of_recycled_memory) {
  for (int round = 0; round < 5; ++round) {
    for (auto const& [count, size] : shapes) {
      auto const bytes = count * size;
      auto* const used = malloc_bytes(bytes);
      set_bytes(used, 0xa5, bytes);
      symm::free(used);
      auto* const block = calloc_bytes(count, size);
      EXPECT_EQ(block, used) << "not recycled: the test shows too little";
      // Everybody's copy, right after return on this PE.
      for (symm::Pe pe = 0; pe < symm::n_pes(); ++pe) {
        EXPECT_EQ(difference_from_at(pe, 0, block, bytes), no_difference)
            << bytes << " bytes of PE " << pe;
      }
      symm::free(block);
    }
  }
}

/// As a kernel sees them.
int count_nonzero(symm::HeapMap const& map, symm::Pe pe, char const* bytes,
                  int count) {
  int result = 0;
  Kokkos::parallel_reduce(
      "count", Kokkos::RangePolicy<HeapExec>(0, count),
      KOKKOS_LAMBDA(int i, int& sum) {
        if (load_at(map, pe, bytes + i) != 0) ++sum;
      },
      result);
  return result;
}

TEST(Calloc, C04_kernels_read_zeros) {
  int const count  = are_all_near() ? 100'003 : 3001;
  auto* const used = malloc_bytes(static_cast<std::size_t>(count));
  set_bytes(used, 0xa5, static_cast<std::size_t>(count));
  symm::free(used);
  auto const* const block = calloc_bytes(static_cast<std::size_t>(count), 1);
  for (symm::Pe pe = 0; pe < symm::n_pes(); ++pe) {
    EXPECT_EQ(count_nonzero(heap().map(), pe, block, count), 0)
        << "on PE " << pe;
  }
  symm::free(const_cast<char*>(block));
}

TEST(Calloc, C04_neighbors_are_not_zeroed) {
  auto const me       = symm::my_pe();
  auto* const before  = malloc_bytes(160);
  auto* const between = malloc_bytes(160);
  auto* const after   = malloc_bytes(160);
  fill(before, 160, {me, me, 1});
  fill(after, 160, {me, me, 2});
  symm::free(between);
  auto* const block = calloc_bytes(10, 15);
  EXPECT_EQ(block, between);
  EXPECT_EQ(difference(before, 160, {me, me, 1}), no_difference);
  EXPECT_EQ(difference(after, 160, {me, me, 2}), no_difference);
  for (char* const p : {before, block, after}) symm::free(p);
}

TEST(Calloc, C06_blocks_are_aligned_for_any_type) {
  std::vector<char*> blocks;
  for (auto const& [count, size] : shapes) {
    blocks.push_back(calloc_bytes(count, size));
    EXPECT_TRUE(is_aligned(blocks.back(), alignof(std::max_align_t)));
    EXPECT_TRUE(is_aligned(blocks.back(), 16));
  }
  for (char* const block : blocks) symm::free(block);
}

TEST(Calloc, C14_more_than_the_free_heap_grows_it) {
  auto* const first = malloc_bytes(100);  // a heap that has something
  auto const before = heap_state();
  auto const bytes  = before.free_bytes + 3 * mib;
  auto* const block = calloc_bytes(bytes / 8, 8);
  EXPECT_GT(heap_state().mapped_bytes, before.mapped_bytes);
  for (symm::Pe pe = 0; pe < symm::n_pes(); ++pe) {
    EXPECT_EQ(difference_from_at(pe, 0, block, bytes / 8 * 8), no_difference);
  }
  symm::free(block);
  symm::free(first);
  symm::heap_trim();
}

}  // namespace
