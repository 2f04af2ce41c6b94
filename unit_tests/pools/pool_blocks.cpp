// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

// Blocks of pools of both kinds: malloc_async, malloc_from_pool_async and
// free_async.

#include <algorithm>
#include <array>
#include <cstddef>
#include <limits>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <runtime/base/Text.hpp>
#include <support/gpu.hpp>

#include "pool_test.hpp"

namespace {

using namespace symm_test;
using testing::AllOf;
using testing::HasSubstr;

class PoolBlocks : public BothPools {};
SYMM_TEST_BOTH_POOLS(PoolBlocks);

TEST_P(PoolBlocks, H10_H14_H30_later_work_of_the_stream_may_use_the_block) {
  TestPool const pool(GetParam());
  auto const exec            = streams(1)[0];
  constexpr std::size_t size = 1000 * sizeof(int);
  auto* const block          = take(pool, size, exec);
  auto const view            = ints(block, size);
  Kokkos::parallel_for(
      "H14", Kokkos::RangePolicy<Exec>(exec, 0, view.size()),
      KOKKOS_LAMBDA(int const i) { view(i) = 3 * i; });
  exec.fence();
  EXPECT_EQ(get(view, 999), 2997);
  give(block, exec);
}

TEST_P(PoolBlocks, H10_blocks_are_aligned_to_256_bytes_and_do_not_overlap) {
  TestPool const pool(GetParam());
  auto const exec = streams(1)[0];
  std::vector<std::pair<char*, std::size_t>> blocks;
  for (std::size_t const bytes :
       {1UL, 4UL, 255UL, 256UL, 257UL, 4096UL, mib - 1, mib, 3 * mib, 8UL}) {
    auto* const block = take(pool, bytes, exec);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(block) % 256, 0U) << bytes;
    blocks.emplace_back(block, bytes);
  }
  exec.fence();
  int salt = 0;
  for (auto const& [block, bytes] : blocks) {
    Kokkos::deep_copy(ints(block, bytes), ++salt);
  }
  salt = 0;
  for (auto const& [block, bytes] : blocks) {
    auto const view = ints(block, bytes);
    EXPECT_EQ(count_equal(view, ++salt), view.size()) << bytes;
  }
  std::sort(blocks.begin(), blocks.end());
  for (std::size_t i = 1; i < blocks.size(); ++i) {
    EXPECT_LE(blocks[i - 1].first + blocks[i - 1].second, blocks[i].first);
  }
  for (auto const& [block, bytes] : blocks) give(block, exec);
  EXPECT_EQ(pool.used(), 0U);
}

TEST_P(PoolBlocks, H10_0_bytes_are_null_and_take_nothing) {
  TestPool const pool(GetParam());
  void* address = not_null;
  EXPECT_EQ(symm::malloc_from_pool_async(&address, 0, pool, Exec()),
            Status::success);
  EXPECT_EQ(address, nullptr);
  EXPECT_EQ(pool.reserved(), 0U);
  EXPECT_EQ(pool.used(), 0U);
}

TEST_P(PoolBlocks, H17_H33_null_in_place_of_an_address_is_an_invalid_value) {
  TestPool const pool(GetParam());
  EXPECT_EQ(symm::malloc_from_pool_async(nullptr, 100, pool, Exec()),
            Status::invalid_value);
  EXPECT_THAT(symm::last_error(),
              AllOf(HasSubstr("symm::malloc_from_pool_async"),
                    HasSubstr("the address of the pointer is null")));
  EXPECT_EQ(symm::malloc_async(nullptr, 100), Status::invalid_value);
  EXPECT_THAT(symm::last_error(), HasSubstr("symm::malloc_async"));
  EXPECT_EQ(pool.used(), 0U);
}

TEST_P(PoolBlocks, H33_no_pool_or_one_that_has_ended_is_an_invalid_value) {
  auto const ended = new_pool(GetParam());
  EXPECT_EQ(symm::mem_pool_destroy(ended), Status::success);
  void* address = not_null;
  EXPECT_EQ(symm::malloc_from_pool_async(&address, 100, ended, Exec()),
            Status::invalid_value);
  EXPECT_EQ(address, nullptr);
  EXPECT_THAT(symm::last_error(), HasSubstr("the pool has been destroyed"));
  address = not_null;
  EXPECT_EQ(symm::malloc_from_pool_async(&address, 100, {}, Exec()),
            Status::invalid_value);
  EXPECT_EQ(address, nullptr);
  EXPECT_THAT(symm::last_error(), HasSubstr("the pool is invalid"));
  address = not_null;
  EXPECT_EQ(symm::malloc_from_pool_async(&address, 100,
                                         symm::MemPool::make(123'456), Exec()),
            Status::invalid_value);
  EXPECT_EQ(address, nullptr);
}

TEST_P(PoolBlocks, H17_H33_more_than_there_is_is_out_of_memory_and_null) {
  TestPool const pool(GetParam());
  Exec const exec;
  auto const limit = stats().limit_bytes;
  for (std::size_t const bytes :
       {std::numeric_limits<std::size_t>::max(),
        std::numeric_limits<std::size_t>::max() - 255, limit + 1, limit + mib,
        std::size_t{1} << 63U}) {
    void* address = not_null;
    EXPECT_EQ(symm::malloc_from_pool_async(&address, bytes, pool, exec),
              Status::out_of_memory)
        << bytes;
    EXPECT_EQ(address, nullptr);
    EXPECT_THAT(symm::last_error(),
                AllOf(HasSubstr("growth of a pool"), HasSubstr("no room"),
                      HasSubstr(std::to_string(bytes))));
  }
  EXPECT_EQ(pool.used(), 0U);
  EXPECT_EQ(pool.reserved(), 0U);
  give(take(pool, 100, exec), exec);
}

TEST_P(PoolBlocks, H20_a_block_may_be_freed_on_another_stream) {
  TestPool const pool(GetParam());
  auto const exec   = streams(2);
  auto* const block = take(pool, 1000, exec[0]);
  EXPECT_EQ(symm::order_after(exec[1], exec[0]), Status::success);
  give(block, exec[1]);
  EXPECT_EQ(pool.used(), 0U);
}

TEST_P(PoolBlocks, H24_free_of_null_does_nothing) {
  TestPool const pool(GetParam());
  EXPECT_EQ(symm::free_async(nullptr, Exec()), Status::success);
  EXPECT_EQ(symm::free_async(nullptr), Status::success);
}

TEST_P(PoolBlocks, H24_what_is_no_block_of_a_pool_is_an_invalid_value) {
  TestPool const pool(GetParam());
  Exec const exec;
  auto* const block    = take(pool, 1000, exec);
  auto* const heaps    = symm::malloc(1000);
  auto const private_1 = std::make_unique<char[]>(1000);
  View const ordinary("ordinary", 10);
  int on_stack = 0;
  for (void* const address :
       std::array<void*, 6>{&on_stack, private_1.get(), heaps, ordinary.data(),
                            block + 256, block + 8}) {
    EXPECT_EQ(symm::free_async(address, exec), Status::invalid_value);
    EXPECT_THAT(
        symm::last_error(),
        AllOf(HasSubstr("symm::free_async"),
              HasSubstr("is not a block of a pool"),
              HasSubstr(symm::Impl::Text("address ",
                                         static_cast<void const*>(address))
                            .c_str())));
  }
  EXPECT_GT(pool.used(), 0U);
  give(block, exec);
  symm::free(heaps);
  EXPECT_STREQ(symm::last_error(), "");
}

TEST_P(PoolBlocks, H24_a_block_is_freed_once) {
  TestPool const pool(GetParam());
  Exec const exec;
  auto* const block = take(pool, 1000, exec);
  give(block, exec);
  EXPECT_EQ(symm::free_async(block, exec), Status::invalid_value);
  EXPECT_THAT(symm::last_error(), HasSubstr("once"));
  EXPECT_EQ(pool.used(), 0U);
}

// What fails has not happened: it is no difference between PEs.
TEST_P(PoolBlocks, H17_H24_a_call_that_one_PE_makes_wrongly_ends_there) {
  TestPool const pool(GetParam());
  Exec const exec;
  auto* const block = take(pool, 1000, exec);
  if (symm::my_pe() == 0) {
    void* address = nullptr;
    EXPECT_EQ(symm::free_async(block + 1, exec), Status::invalid_value);
    EXPECT_EQ(symm::malloc_from_pool_async(&address, 100, {}, exec),
              Status::invalid_value);
    EXPECT_EQ(symm::malloc_from_pool_async(nullptr, 100, pool, exec),
              Status::invalid_value);
    EXPECT_EQ(symm::mem_pool_destroy({}), Status::invalid_value);
  }
  EXPECT_NO_THROW(symm::barrier_all());
  give(block, exec);
  EXPECT_NO_THROW(symm::barrier_all());
}

TEST_P(PoolBlocks, H30_blocks_are_of_the_pool_that_is_given) {
  TestPool const one(GetParam());
  TestPool const other(GetParam());
  Exec const exec;
  auto* const block = take(one, 1000, exec);
  EXPECT_GE(one.used(), 1000U);
  EXPECT_EQ(other.used(), 0U);
  auto* const second = take(other, 5000, exec);
  EXPECT_GE(other.used(), 5000U);
  give(block, exec);
  EXPECT_EQ(one.used(), 0U);
  EXPECT_GE(other.used(), 5000U);
  give(second, exec);
}

TEST(SymmetricBlocks, M05_peers_reach_blocks_of_symmetric_pools_and_no_others) {
  TestPool const symmetric(Kind::symmetric);
  TestPool const local(Kind::local);
  Exec const exec;
  auto* const ours = take(symmetric, 100, exec);
  auto* const mine = take(local, 100, exec);
  EXPECT_NE(symm::ptr(ours, right()), nullptr);
  EXPECT_EQ(symm::ptr(mine, right()), nullptr);
  give(ours, exec);
  give(mine, exec);
}

// The functions that know no execution spaces.
#ifndef SYMM_TEST_GPU
TEST(SymmetricBlocks, H17_there_is_no_other_stream_than_null_without_a_gpu) {
  int no_stream = 0;
  void* block   = nullptr;
  EXPECT_EQ(symm::malloc_async(&block, 64, static_cast<void*>(&no_stream)),
            Status::invalid_value);
  EXPECT_EQ(block, nullptr);
  EXPECT_THAT(symm::last_error(), testing::HasSubstr("without a GPU"));
  symm::barrier_all();
}
#endif

TEST(SymmetricBlocks, H24_free_says_whose_a_block_of_a_pool_is) {
  void* block = nullptr;
  ASSERT_EQ(symm::malloc_async(&block, 64), Status::success);
  symm::free<>(block);
  EXPECT_THAT(symm::last_error(), testing::HasSubstr("symm::free_async"));
  EXPECT_EQ(symm::free_async(block), Status::success) << symm::last_error();
  symm::barrier_all();
}

TEST(SymmetricBlocks, H10_H20_on_the_stream_that_is_null) {
  TestPool const pool;
  void* address = nullptr;
  EXPECT_EQ(symm::malloc_from_pool_async(&address, 100, pool), Status::success)
      << symm::last_error();
  EXPECT_NE(address, nullptr);
  EXPECT_GT(pool.used(), 0U);
  EXPECT_EQ(symm::free_async(address), Status::success);
  EXPECT_EQ(pool.used(), 0U);
}

}  // namespace
