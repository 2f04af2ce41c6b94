// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <random>
#include <vector>

#include <runtime/heap/OffsetAllocator.hpp>

namespace {

using symm::Impl::OffsetAllocator;
using BlockId = OffsetAllocator::BlockId;

constexpr auto none           = OffsetAllocator::none;
constexpr std::size_t granule = OffsetAllocator::granule;
constexpr std::size_t mib     = std::size_t{1} << 20U;

/// An allocator with one range [0, bytes).
OffsetAllocator allocator_of(std::size_t bytes) {
  OffsetAllocator allocator;
  allocator.add_range(0, bytes);
  return allocator;
}

TEST(OffsetAllocator, without_a_range_there_is_nothing) {
  OffsetAllocator allocator;
  EXPECT_EQ(allocator.allocate(16, 16), none);
  EXPECT_EQ(allocator.find(0), none);
  EXPECT_EQ(allocator.find_enclosing(0), none);
  EXPECT_EQ(allocator.free_bytes(), 0U);
  EXPECT_EQ(allocator.largest_free_bytes(), 0U);
  EXPECT_FALSE(allocator.remove_range(0, 16));
}

TEST(OffsetAllocator, M02_a_block_has_at_least_the_bytes_asked_for) {
  auto allocator = allocator_of(mib);
  for (std::size_t const bytes :
       {1U, 15U, 16U, 17U, 31U, 32U, 33U, 511U, 512U, 513U}) {
    auto const id = allocator.allocate(bytes, granule);
    ASSERT_NE(id, none);
    EXPECT_GE(allocator.place(id).bytes, bytes);
    EXPECT_LT(allocator.place(id).bytes, bytes + granule) << "no more waste";
  }
}

TEST(OffsetAllocator, M50_the_total_size_fits_exactly) {
  for (std::size_t const bytes :
       {granule, 48 * granule, mib, 3 * mib + 7 * 16, std::size_t{1} << 40U}) {
    auto allocator = allocator_of(bytes);
    auto const id  = allocator.allocate(bytes, granule);
    ASSERT_NE(id, none) << bytes;
    EXPECT_EQ(allocator.place(id).offset, 0U);
    EXPECT_EQ(allocator.free_bytes(), 0U);
    EXPECT_EQ(allocator.allocate(1, granule), none);
    allocator.free(id);
    EXPECT_EQ(allocator.allocate(bytes + 1, granule), none);
  }
}

TEST(OffsetAllocator, M50_after_frees_in_any_order_the_total_size_fits) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    auto allocator = allocator_of(mib);
    std::mt19937_64 random(seed);
    std::vector<BlockId> blocks;
    while (true) {
      auto const id = allocator.allocate(1 + random() % 4096, 64);
      if (id == none) break;
      blocks.push_back(id);
    }
    ASSERT_GT(blocks.size(), 200U);
    std::shuffle(blocks.begin(), blocks.end(), random);
    for (auto const id : blocks) allocator.free(id);
    EXPECT_EQ(allocator.n_live(), 0U);
    EXPECT_EQ(allocator.largest_free_bytes(), mib);
    EXPECT_NE(allocator.allocate(mib, granule), none) << "seed " << seed;
  }
}

TEST(OffsetAllocator, adjacent_ranges_are_one) {
  OffsetAllocator allocator;
  allocator.add_range(2 * mib, mib);
  allocator.add_range(0, mib);
  EXPECT_EQ(allocator.allocate(mib + 1, granule), none) << "a gap between them";
  allocator.add_range(mib, mib);
  auto const id = allocator.allocate(3 * mib, granule);
  ASSERT_NE(id, none);
  EXPECT_EQ(allocator.place(id).offset, 0U);
}

TEST(OffsetAllocator, a_range_is_removed_only_if_all_of_it_is_free) {
  auto allocator = allocator_of(3 * mib);
  auto const id  = allocator.allocate(granule, granule);
  ASSERT_EQ(allocator.place(id).offset, 0U);
  EXPECT_FALSE(allocator.remove_range(0, mib));
  EXPECT_EQ(allocator.free_bytes(), 3 * mib - granule);
  EXPECT_TRUE(allocator.remove_range(mib, mib)) << "from the middle";
  EXPECT_FALSE(allocator.remove_range(mib, mib)) << "it is not there any more";
  EXPECT_FALSE(allocator.remove_range(2 * mib, 2 * mib)) << "half is not there";
  EXPECT_EQ(allocator.free_bytes(), 2 * mib - granule);
  EXPECT_EQ(allocator.largest_free_bytes(), mib);
  allocator.free(id);
  EXPECT_TRUE(allocator.remove_range(0, mib));
  EXPECT_TRUE(allocator.remove_range(2 * mib, mib));
  EXPECT_EQ(allocator.free_bytes(), 0U);
}

TEST(OffsetAllocator, M09_alignments_are_met_with_and_without_a_phase) {
  for (std::size_t alignment = granule; alignment <= 4 * mib; alignment *= 2) {
    auto allocator = allocator_of(64 * mib);
    // Not at an aligned offset by chance.
    ASSERT_NE(allocator.allocate(3 * granule, granule), none);
    for (std::size_t const phase :
         {std::size_t{0}, granule, 128 % alignment, alignment - granule}) {
      if (phase >= alignment) continue;
      auto const id = allocator.allocate(100, alignment, phase);
      ASSERT_NE(id, none);
      EXPECT_EQ((allocator.place(id).offset + phase) % alignment, 0U)
          << alignment << " " << phase;
    }
  }
}

TEST(OffsetAllocator, an_alignment_wastes_nothing_where_it_just_fits) {
  auto allocator = allocator_of(3 * 4096);
  auto const low = allocator.allocate(granule, granule);
  auto const id  = allocator.allocate(2 * 4096, 4096);
  ASSERT_NE(id, none);
  EXPECT_EQ(allocator.place(id).offset, 4096U);
  EXPECT_EQ(allocator.free_bytes(), 4096 - granule) << "the head stays free";
  allocator.free(low);
  EXPECT_NE(allocator.allocate(4096, granule), none) << "and merges";
}

TEST(OffsetAllocator, M47_sizes_and_alignments_that_cannot_be_there_give_none) {
  auto allocator     = allocator_of(mib);
  constexpr auto max = std::numeric_limits<std::size_t>::max();
  for (std::size_t const bytes :
       {mib + 1, max / 4, max / 2, max / 2 + 1, max - granule, max - 1, max}) {
    for (std::size_t const alignment :
         {granule, std::size_t{1} << 30U, max / 2 + 1}) {
      EXPECT_EQ(allocator.allocate(bytes, alignment), none) << bytes;
    }
  }
  EXPECT_EQ(allocator.free_bytes(), mib);
  // Offset 0 has every alignment.
  EXPECT_NE(allocator.allocate(granule, std::size_t{1} << 40U), none);
  EXPECT_EQ(allocator.allocate(granule, std::size_t{1} << 40U), none);
}

TEST(OffsetAllocator, a_block_shrinks_in_place) {
  auto allocator = allocator_of(mib);
  auto const id  = allocator.allocate(1000, granule);
  allocator.shrink(id, 1000);
  EXPECT_EQ(allocator.place(id).bytes, 1008U);
  allocator.shrink(id, 17);
  EXPECT_EQ(allocator.place(id).bytes, 32U);
  EXPECT_EQ(allocator.live_bytes(), 32U);
  EXPECT_EQ(allocator.find(0), id);
  EXPECT_EQ(allocator.largest_free_bytes(), mib - 32) << "the end merges";
}

TEST(OffsetAllocator, an_interior_offset_is_found_by_its_block) {
  auto allocator   = allocator_of(mib);
  auto const first = allocator.allocate(64, granule);
  auto const id    = allocator.allocate(64, granule);
  EXPECT_EQ(allocator.find(80), none);
  EXPECT_EQ(allocator.find_enclosing(80), id);
  EXPECT_EQ(allocator.find_enclosing(127), id);
  EXPECT_EQ(allocator.find_enclosing(128), none) << "free";
  EXPECT_EQ(allocator.find_enclosing(0), first);
  EXPECT_EQ(allocator.find_enclosing(2 * mib), none) << "outside";
}

/// Time of two allocations and frees, the best of several tries. The blocks
/// differ: one that was just freed does not serve the next request.
double seconds_of_pairs(OffsetAllocator& allocator, std::size_t bytes) {
  using Clock         = std::chrono::steady_clock;
  constexpr int pairs = 1000;
  auto best           = Clock::duration::max();
  for (int i = 0; i < 10; ++i) {
    auto const start = Clock::now();
    for (int pair = 0; pair < pairs; ++pair) {
      auto const first  = allocator.allocate(bytes, 256, 128);
      auto const second = allocator.allocate(bytes + 64, 256, 128);
      allocator.free(first);
      allocator.free(second);
    }
    best = std::min(best, Clock::now() - start);
  }
  return std::chrono::duration<double>(best).count() / pairs;
}

TEST(OffsetAllocator, a_hundred_thousand_holes_cost_no_time) {
  constexpr int n_holes = 100'000;
  auto empty            = allocator_of(256 * mib);
  auto holes            = allocator_of(256 * mib);
  std::vector<BlockId> blocks(2 * n_holes);
  for (int i = 0; i < 2 * n_holes; ++i) {
    blocks[static_cast<std::size_t>(i)] =
        holes.allocate(i % 2 == 0 ? 512 : 16, granule);
  }
  for (std::size_t i = 0; i < blocks.size(); i += 2) holes.free(blocks[i]);
  for (std::size_t const bytes : {64U, 500U, 520U, 4096U}) {
    // A search through the holes would cost a thousand times as much.
    EXPECT_LT(seconds_of_pairs(holes, bytes),
              10 * seconds_of_pairs(empty, bytes) + 4e-7)
        << bytes;
  }
}

TEST(OffsetAllocator, blocks_move_to_another_allocator_in_constant_time) {
  using Clock           = std::chrono::steady_clock;
  constexpr int n_moved = 100'000;
  auto from             = allocator_of(256 * mib);
  OffsetAllocator to;
  std::vector<BlockId> blocks(2 * n_moved);
  for (auto& block : blocks) block = from.allocate(1024, granule);
  auto const start = Clock::now();
  for (std::size_t i = 0; i < blocks.size(); i += 2) {
    to.prepare();
    auto const [offset, bytes] = from.remove(blocks[i]);
    to.add_range(offset, bytes);
  }
  std::chrono::duration<double> const elapsed = Clock::now() - start;
  EXPECT_EQ(to.free_bytes(), n_moved * 1024U);
  EXPECT_EQ(from.live_bytes(), n_moved * 1024U);
  // A search from an end would cost some hundred times as much.
  EXPECT_LT(elapsed.count(), 1.0);
}

}  // namespace
