// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

// The dynamic heap: it starts with what SYMM_SYMMETRIC_SIZE says, or nothing,
// and grows up to SYMM_HEAP_LIMIT.

#include <cstddef>
#include <string>
#include <vector>

#include <heap/heap_test.hpp>
#include <heap/heap_with.hpp>

namespace {

using namespace symm_test;

TEST(Growth, M38_a_heap_is_dynamic_by_default_and_starts_empty) {
  HeapWith const heap_with(Variables{});
  EXPECT_EQ(heap_state().mapped_bytes, 0U);
  EXPECT_GE(heap_state().limit_bytes, 64 * gib);
  std::vector<char*> blocks;
  for (unsigned i = 0; i < 6; ++i) {
    blocks.push_back(malloc_bytes(mib << i));
    fill(blocks[i], mib << i, {symm::my_pe(), symm::my_pe(), i});
  }
  EXPECT_GE(heap_state().mapped_bytes, 63 * mib);
  symm::barrier_all();
  for (symm::Pe pe = 0; pe < symm::n_pes(); ++pe) {
    for (unsigned i = 0; i < 6; ++i) {
      EXPECT_EQ(difference_at(pe, blocks[i], mib << i, {pe, pe, i}),
                no_difference)
          << "what was there before the heap grew is damaged";
    }
  }
  symm::barrier_all();
  for (char* const block : blocks) symm::free(block);
}

TEST(Growth, M38_blocks_may_exceed_the_size_at_start) {
  HeapWith const heap_with(Variables{{"SYMM_SYMMETRIC_SIZE", "4M"}});
  EXPECT_EQ(heap_state().mapped_bytes, 4 * mib);
  auto* const whole = malloc_bytes(4 * mib);
  EXPECT_EQ(heap_state().mapped_bytes, 4 * mib) << "it was mapped at start";
  std::vector<char*> more;
  for (int i = 0; i < 5; ++i) more.push_back(malloc_bytes(4 * mib));
  EXPECT_GE(heap_state().mapped_bytes, 24 * mib);
  symm::free(whole);
  for (char* const block : more) symm::free(block);
  EXPECT_GE(symm::heap_trim(), 24 * mib) << "the first 4 MiB go, too";
  EXPECT_EQ(heap_state().mapped_bytes, 0U);
}

TEST(Growth, M38_steady_use_does_not_grow) {
  HeapWith const heap_with(Variables{});
  symm::free(malloc_bytes(10 * mib));
  auto const stats = heap_state();
  for (int i = 0; i < 100; ++i) {
    auto* const a = malloc_bytes(3 * mib);
    auto* const b = malloc_bytes(6 * mib);
    symm::free(a);
    symm::free(b);
  }
  EXPECT_EQ(heap_state(), stats);
}

TEST(Growth, M38_chunks_are_few) {
  HeapWith const heap_with(Variables{});
  std::vector<char*> blocks;
  for (int i = 0; i < 64; ++i) blocks.push_back(malloc_bytes(2 * mib));
  EXPECT_GE(heap_state().mapped_bytes, 128 * mib);
  EXPECT_LE(heap_state().mapped_bytes, 256 * mib);
  EXPECT_LE(heap_state().n_chunks, 12U);  // each half as large as all before
  for (char* const block : blocks) symm::free(block);
  EXPECT_EQ(heap_state().largest_free_bytes, heap_state().mapped_bytes);
}

TEST(Growth, M38_M40_the_limit_is_exact) {
  HeapWith const heap_with(Variables{{"SYMM_HEAP_LIMIT", "16M"}});
  EXPECT_EQ(heap_state().limit_bytes, 16 * mib);
  expect_failure([] { return symm::malloc(16 * mib + 1); },
                 {"16777216 bytes", "on any PE", "raise SYMM_HEAP_LIMIT"});
  symm::heap_trim();
  auto* const whole = malloc_bytes(16 * mib);
  fill(whole, 16 * mib, {symm::my_pe(), 0});
  EXPECT_EQ(symm::malloc(1), nullptr);
  symm::free(whole);
  std::vector<char*> blocks;  // all of it in pieces
  for (int i = 0; i < 16; ++i) blocks.push_back(malloc_bytes(mib));
  EXPECT_EQ(symm::malloc(1), nullptr);
  EXPECT_THAT(symm::last_error(), testing::HasSubstr("raise SYMM_HEAP_LIMIT"));
  for (char* const block : blocks) symm::free(block);
  expect_heap_is_usable();
}

TEST(Growth, M38_the_last_bytes_below_the_limit_are_used) {
  HeapWith const heap_with(Variables{{"SYMM_HEAP_LIMIT", "10M"}});
  // Geometric growth would ask for more than there is.
  std::vector<char*> blocks;
  for (int i = 0; i < 5; ++i) blocks.push_back(malloc_bytes(2 * mib));
  EXPECT_EQ(heap_state().mapped_bytes, 10 * mib);
  for (char* const block : blocks) symm::free(block);
}

/// Blocks of 4 MiB, each a chunk of its own.
std::vector<char*> three_chunks() {
  std::vector<char*> blocks;
  for (int i = 0; i < 3; ++i) blocks.push_back(malloc_bytes(4 * mib));
  EXPECT_EQ(heap_state().n_chunks, 3U);
  EXPECT_EQ(heap_state().mapped_bytes, 12 * mib);
  return blocks;
}

// trim() has left a gap: the free memory on both sides of it and the gap make
// one block.
TEST(Growth, M50_all_of_the_heap_is_one_block_again_after_trim) {
  HeapWith const heap_with(Variables{{"SYMM_HEAP_LIMIT", "12M"}});
  auto const blocks = three_chunks();
  symm::free(blocks[1]);
  EXPECT_EQ(symm::heap_trim(), 4 * mib);
  symm::free(blocks[0]);
  symm::free(blocks[2]);
  auto* const whole = malloc_bytes(12 * mib);
  fill(whole, 12 * mib, {symm::my_pe(), 0});
  EXPECT_EQ(difference(whole, 12 * mib, {symm::my_pe(), 0}), no_difference);
  symm::free(whole);
}

TEST(Growth, M50_a_gap_joins_what_is_free_behind_it) {
  HeapWith const heap_with(Variables{{"SYMM_HEAP_LIMIT", "12M"}});
  auto const me     = symm::my_pe();
  auto const blocks = three_chunks();
  symm::free(blocks[1]);
  EXPECT_EQ(symm::heap_trim(), 4 * mib);
  symm::free(blocks[2]);
  auto* const tail = static_cast<char*>(symm::align(2 * mib, 2 * mib));
  auto* const last = static_cast<char*>(symm::align(2 * mib, 2 * mib));
  symm::free(tail);  // of 12 MiB, the first 4 and the last 2 are in use
  EXPECT_EQ(last, blocks[2] + 2 * mib);
  expect_failure([] { return symm::malloc(6 * mib + 1); }, {"no room"});
  fill(blocks[0], 4 * mib, {me, me, 0});
  fill(last, 2 * mib, {me, me, 1});
  auto* const between = malloc_bytes(6 * mib);
  fill(between, 6 * mib, {me, me, 2});
  symm::barrier_all();
  for (symm::Pe pe = 0; pe < symm::n_pes(); ++pe) {
    EXPECT_EQ(difference_at(pe, blocks[0], 4 * mib, {pe, pe, 0}),
              no_difference);
    EXPECT_EQ(difference_at(pe, last, 2 * mib, {pe, pe, 1}), no_difference);
    EXPECT_EQ(difference_at(pe, between, 6 * mib, {pe, pe, 2}), no_difference);
  }
  symm::barrier_all();
  for (char* const block : {blocks[0], last, between}) symm::free(block);
}

TEST(Growth, M34_M47_more_than_the_machine_has_is_refused_not_killed) {
  HeapWith const heap_with(Variables{{"SYMM_HEAP_LIMIT", "8T"}});
  auto* const block = malloc_bytes(3 * mib);
  fill(block, 3 * mib, {symm::my_pe(), 0});
  expect_failure([] { return symm::malloc(4096 * gib); },
                 {call_text("symm::malloc", "bytes = 4398046511104"), "PE 0",
                  "no memory for", host_reaches_heap ? "bytes left" : "free"});
  expect_failure([] { return symm::calloc(4096 * gib, 1); }, {"no memory for"});
  expect_failure([&] { return symm::realloc(block, 4096 * gib); },
                 {"no memory for"});
  EXPECT_EQ(difference(block, 3 * mib, {symm::my_pe(), 0}), no_difference);
  symm::free(block);
}

TEST(Growth, C14_calloc_grows_a_heap_that_has_nothing) {
  HeapWith const heap_with(Variables{});
  auto* const block = static_cast<char*>(symm::calloc(5 * mib, 1));
  EXPECT_NE(block, nullptr) << symm::last_error();
  EXPECT_EQ(difference_from(0, block, 5 * mib), no_difference);
  symm::free(block);
}

TEST(Growth, M13_two_blocks_aligned_to_1_GiB) {
  HeapWith const heap_with(Variables{});
  auto* const small = malloc_bytes(100);
  std::vector<void*> blocks;
  for (int i = 0; i < 2; ++i) {
    blocks.push_back(symm::align(gib, 100));
    EXPECT_NE(blocks.back(), nullptr) << symm::last_error();
    EXPECT_TRUE(is_aligned(blocks.back(), gib));
    EXPECT_TRUE(is_equal_on_all_pes(heap().map().offset_of(blocks.back())));
  }
  EXPECT_NE(blocks[0], blocks[1]);
  symm::free(small);
  for (void* const block : blocks) symm::free(block);
}

}  // namespace
