// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

// symm::heap_trim() and what the statistics say.

#include <algorithm>
#include <cstddef>
#include <vector>

#include <heap/heap_test.hpp>
#include <heap/mapped.hpp>

namespace {

using namespace symm_test;

class Trim : public testing::Test {
 protected:
  void SetUp() override { symm::heap_trim(); }
  void TearDown() override { symm::heap_trim(); }
};

TEST_F(Trim, M38_memory_without_blocks_returns_to_the_system) {
  auto const before = heap_state();
  auto const mapped = mapped_bytes_of_node();
  auto const n_near = static_cast<std::size_t>(heap().map().n_near);
  EXPECT_EQ(mapped, n_near * before.mapped_bytes);
  auto* const block = malloc_bytes(9 * mib);
  auto const grown  = heap_state();
  EXPECT_GE(grown.mapped_bytes, before.mapped_bytes + 9 * mib);
  EXPECT_EQ(mapped_bytes_of_node(), n_near * grown.mapped_bytes);
  symm::free(block);
  EXPECT_EQ(heap_state().mapped_bytes, grown.mapped_bytes);
  auto const released = symm::heap_trim();
  EXPECT_EQ(released, grown.mapped_bytes - before.mapped_bytes);
  EXPECT_TRUE(is_equal_on_all_pes(released));
  EXPECT_EQ(heap_state(), before);
  EXPECT_EQ(mapped_bytes_of_node(), mapped);
  EXPECT_EQ(symm::heap_trim(), 0U) << "nothing is left to release";
  expect_heap_is_usable();
}

TEST_F(Trim, M38_memory_with_blocks_stays_with_its_data_on_all_pes) {
  auto const me = symm::my_pe();
  std::vector<char*> blocks;
  for (unsigned i = 0; i < 6; ++i) {  // as much as all before: its own chunk
    blocks.push_back(
        malloc_bytes(std::max(2 * mib, heap_state().mapped_bytes)));
    fill(blocks[i], 1000, {me, me, i});
  }
  for (unsigned i = 0; i < 6; i += 2) symm::free(blocks[i]);
  auto const before = heap_state();
  EXPECT_GT(symm::heap_trim(), 0U);
  auto const after = heap_state();
  EXPECT_LT(after.mapped_bytes, before.mapped_bytes);
  EXPECT_EQ(after.live_bytes, before.live_bytes);
  EXPECT_EQ(after.live_blocks, before.live_blocks);
  for (symm::Pe pe = 0; pe < symm::n_pes(); ++pe) {
    for (unsigned i = 1; i < 6; i += 2) {
      EXPECT_EQ(difference_at(pe, blocks[i], 1000, {pe, pe, i}), no_difference);
    }
  }
  expect_heap_is_usable();
  for (unsigned i = 1; i < 6; i += 2) symm::free(blocks[i]);
  EXPECT_STREQ(symm::last_error(), "");
}

TEST_F(Trim, S17_addresses_are_used_again_with_new_memory) {
  auto const me     = symm::my_pe();
  auto* const first = malloc_bytes(3 * mib);
  fill(first, 3 * mib, {me, me, 1});
  symm::free(first);
  EXPECT_GT(symm::heap_trim(), 0U);
  EXPECT_EQ(
      mapped_bytes_of_node(),
      static_cast<std::size_t>(heap().map().n_near) * heap_state().mapped_bytes)
      << "the old memory was not released";
  auto* const again = malloc_bytes(3 * mib);
  EXPECT_EQ(again, first);
  if (host_reaches_heap) {  // CUDA promises nothing about new memory
    EXPECT_EQ(difference_from(0, again, 3 * mib), no_difference)
        << "the old memory was not released";
  }
  symm::barrier_all();
  for (symm::Pe pe = 0; pe < symm::n_pes(); ++pe) {
    set_value_at(pe, again + me, static_cast<char>(10 * me + pe + 1));
  }
  symm::barrier_all();
  for (symm::Pe pe = 0; pe < symm::n_pes(); ++pe) {
    EXPECT_EQ(get_value(again + pe), 10 * pe + me + 1);
  }
  symm::free(again);
}

TEST_F(Trim, S17_large_blocks_reach_the_new_memory) {
  auto const me = symm::my_pe();
  char* first   = nullptr;
  for (unsigned round = 0; round < 3; ++round) {
    auto* const block = malloc_bytes(3 * mib);
    if (round == 0) first = block;
    EXPECT_EQ(block, first);
    fill(block, 3 * mib, {me, me, round});
    symm::barrier_all();
    for (symm::Pe pe = 0; pe < symm::n_pes(); ++pe) {
      EXPECT_EQ(difference_at(pe, block, 3 * mib, {pe, pe, round}),
                no_difference);
    }
    symm::free(block);
    EXPECT_GT(symm::heap_trim(), 0U);
  }
}

TEST_F(Trim, M38_gaps_are_filled_before_the_heap_ends_later) {
  std::vector<char*> blocks;
  for (int i = 0; i < 3; ++i) {
    blocks.push_back(malloc_bytes(symm::heap_stats().free_bytes + 2 * mib));
  }
  symm::free(blocks[1]);
  EXPECT_GT(symm::heap_trim(), 0U);
  auto* const filler = malloc_bytes(2 * mib);
  EXPECT_LT(filler, blocks[2]);
  EXPECT_TRUE(is_equal_on_all_pes(heap().map().offset_of(filler)));
  for (char* const block : {blocks[0], filler, blocks[2]}) symm::free(block);
}

TEST_F(Trim, M38_M50_statistics_add_up) {
  std::vector<char*> blocks;
  std::size_t asked = 0;
  for (std::size_t const bytes : {100UL, 5000UL, 3 * mib, 1UL}) {
    blocks.push_back(malloc_bytes(bytes));
    asked += bytes;
    auto const stats = symm::heap_stats();
    EXPECT_EQ(stats.live_blocks, blocks.size());
    EXPECT_GE(stats.live_bytes, asked);
    EXPECT_LT(stats.live_bytes, asked + 16 * blocks.size());
    EXPECT_EQ(stats.live_bytes + stats.free_bytes, stats.mapped_bytes);
    EXPECT_LE(stats.largest_free_bytes, stats.free_bytes);
    EXPECT_GE(stats.n_chunks, 1U);
    EXPECT_LE(stats.mapped_bytes, stats.limit_bytes);
    EXPECT_EQ(stats.retired_blocks, 0U);
    EXPECT_TRUE(is_equal_on_all_pes(stats.n_collective_calls));
  }
  auto const calls = symm::heap_stats().n_collective_calls;
  symm::barrier_all();
  EXPECT_EQ(symm::heap_stats().n_collective_calls, calls + 1);
  for (char* const block : blocks) symm::free(block);
}

}  // namespace
