// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

// Pools of a static heap, which has no other memory than that from its start.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <support/ForkedPes.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <memory>
#include <string>

#include <runtime/base/Failure.hpp>
#include <runtime/job/Runtime.hpp>
#include <runtime/symm_job.hpp>
#include <runtime/symm_memory.hpp>
#include <runtime/symm_pools.hpp>

namespace symm_test::pools_static {
namespace {

using symm::Pe;
using symm::Status;
using symm::Impl::Runtime;
using testing::HasSubstr;

constexpr std::size_t mib = std::size_t{1} << 20U;

void on_static_heap(std::function<void(Pe me)> const& body) {
  expect_on_pes(2, [&](ForkedBootstrap& bootstrap) {
    ASSERT_EQ(::setenv("SYMM_STATIC_HEAP", "1", 1), 0);
    ASSERT_EQ(::setenv("SYMM_SYMMETRIC_SIZE", "8M", 1), 0);
    Runtime::initialize(std::make_unique<ForkedBootstrap>(bootstrap));
    body(bootstrap.my_pe());
    Runtime::finalize();
  });
}

symm::MemPool make_pool(std::size_t max_bytes = 0) {
  symm::MemPool pool;
  symm::MemPoolProperties properties;
  properties.max_bytes = max_bytes;
  EXPECT_EQ(symm::mem_pool_create(&pool, properties), Status::success);
  return pool;
}

std::uint64_t reserved(symm::MemPool pool) {
  std::uint64_t value = 0;
  EXPECT_EQ(symm::mem_pool_get_attribute(
                pool, symm::MemPoolAttribute::reserved_mem_current, &value),
            Status::success);
  return value;
}

char* malloc_from(symm::MemPool pool, std::size_t bytes) {
  void* block = nullptr;
  EXPECT_EQ(symm::malloc_from_pool_async(&block, bytes, pool), Status::success)
      << symm::last_error();
  return static_cast<char*>(block);
}

TEST(PoolsOfStaticHeap, take_blocks_of_the_heap_and_give_them_back) {
  on_static_heap([](Pe me) {
    auto const pool   = make_pool();
    auto const before = symm::heap_stats();
    for (int round = 0; round < 3; ++round) {
      auto* const first  = malloc_from(pool, 3 * mib);
      auto* const second = malloc_from(pool, 1000);
      auto* const own    = static_cast<char*>(symm::malloc(mib));
      symm::barrier_all();
      // Nobody's memory is another's, on any PE.
      char const mine = static_cast<char>(10 * round + me);
      auto const peer = [&](char* block) { return symm::ptr(block, 1 - me); };
      std::fill_n(peer(first), 3 * mib, mine);
      std::fill_n(peer(second), 1000, static_cast<char>(mine + 2));
      std::fill_n(peer(own), mib, static_cast<char>(mine + 4));
      symm::barrier_all();
      char const its = static_cast<char>(10 * round + 1 - me);
      EXPECT_EQ(std::count(first, first + 3 * mib, its), 3 * mib);
      EXPECT_EQ(std::count(second, second + 1000, its + 2), 1000);
      EXPECT_EQ(std::count(own, own + mib, its + 4), mib);
      EXPECT_GE(reserved(pool), 3 * mib + 1000);
      EXPECT_EQ(symm::free_async(first), Status::success);
      EXPECT_EQ(symm::free_async(second), Status::success);
      symm::free(own);  // a collective call, behind which it goes back
      EXPECT_EQ(reserved(pool), 0U);
      auto const after = symm::heap_stats();
      EXPECT_EQ(after.live_bytes, before.live_bytes);
      EXPECT_EQ(after.free_bytes, before.free_bytes);
    }
    EXPECT_EQ(symm::mem_pool_destroy(pool), Status::success);
    static_cast<void>(symm::heap_trim());
  });
}

TEST(PoolsOfStaticHeap, that_find_no_room_fail_on_all_pes) {
  on_static_heap([](Pe) {
    auto const pool = make_pool();
    void* block     = nullptr;
    EXPECT_EQ(symm::malloc_from_pool_async(&block, 9 * mib, pool),
              Status::out_of_memory);
    EXPECT_THAT(symm::last_error(), HasSubstr("SYMM_STATIC_HEAP"));
    // All that there is, and no more.
    auto* const all = malloc_from(pool, 8 * mib);
    EXPECT_EQ(symm::malloc_from_pool_async(&block, 256, pool),
              Status::out_of_memory);
    EXPECT_EQ(symm::free_async(all), Status::success);
    EXPECT_EQ(symm::mem_pool_trim_to(pool, 0), Status::success);
    EXPECT_EQ(reserved(pool), 0U);
    symm::free(symm::malloc(7 * mib));
  });
}

TEST(PoolsOfStaticHeap, keep_to_their_maximum_and_their_threshold) {
  on_static_heap([](Pe) {
    auto const pool = make_pool(4 * mib);
    void* block     = nullptr;
    EXPECT_EQ(symm::malloc_from_pool_async(&block, 5 * mib, pool),
              Status::out_of_memory);
    std::uint64_t const threshold = 4 * mib;
    EXPECT_EQ(symm::mem_pool_set_attribute(
                  pool, symm::MemPoolAttribute::release_threshold, &threshold),
              Status::success);
    EXPECT_EQ(symm::free_async(malloc_from(pool, 4 * mib)), Status::success);
    static_cast<void>(symm::heap_trim());
    EXPECT_EQ(reserved(pool), 4 * mib);
    EXPECT_EQ(symm::mem_pool_trim_to(pool, 0), Status::success);
    EXPECT_EQ(reserved(pool), 0U);
  });
}

TEST(PoolsOfStaticHeap, their_blocks_are_not_the_heaps_to_free) {
  on_static_heap([](Pe) {
    auto const pool    = make_pool();
    auto* const block  = malloc_from(pool, mib);  // starts where the chunk does
    auto const failure = symm::Impl::failure_of(
        [&] { Runtime::instance("test").heap().free(block); });
    ASSERT_TRUE(failure);
    EXPECT_THAT(std::string(failure->message.c_str()),
                HasSubstr("is in a memory pool"));
    EXPECT_EQ(symm::free_async(block), Status::success);
  });
}

}  // namespace
}  // namespace symm_test::pools_static
