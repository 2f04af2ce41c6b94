// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

// Which pools there are: default and current ones, their beginning and end.

#include <cstddef>

#include "pool_test.hpp"

namespace {

using namespace symm_test;
using testing::AllOf;
using testing::HasSubstr;

class PoolLife : public BothPools {};
SYMM_TEST_BOTH_POOLS(PoolLife);

using symm::MemoryKind;
using symm::MemPool;

// Where malloc_async() allocates.
MemoryKind here() { return symm::MemPoolProperties::default_memory_kind(); }

MemPool default_pool() {
  MemPool pool;
  EXPECT_EQ(symm::device_get_default_mem_pool(&pool, here()), Status::success)
      << symm::last_error();
  return pool;
}

MemPool current_pool() {
  MemPool pool;
  EXPECT_EQ(symm::device_get_mem_pool(&pool, here()), Status::success)
      << symm::last_error();
  return pool;
}

void set_current(MemPool pool) {
  EXPECT_EQ(symm::device_set_mem_pool(here(), pool), Status::success)
      << symm::last_error();
}

MemPool pool_here(Kind kind) {
  MemPool pool;
  EXPECT_EQ(symm::mem_pool_create(&pool, {.kind = kind, .memory = here()}),
            Status::success)
      << symm::last_error();
  return pool;
}

std::uint64_t used(MemPool pool) {
  return attribute(pool, Attribute::used_mem_current);
}

/// malloc_async() allocates in `pool`.
void expect_current_is(MemPool pool) {
  EXPECT_EQ(current_pool(), pool);
  auto const before = used(pool);
  void* address     = nullptr;
  EXPECT_EQ(symm::malloc_async(&address, 1000), Status::success)
      << symm::last_error();
  EXPECT_GE(used(pool), before + 1000);
  EXPECT_EQ(symm::free_async(address), Status::success);
  EXPECT_EQ(used(pool), before);
}

TEST(DefaultPool, H05_pools_are_supported_where_there_is_a_heap) {
  EXPECT_TRUE(default_pool().is_valid());
}

TEST(DefaultPool,
     H12_H13_the_default_pool_is_there_and_current_from_the_start) {
  auto const pool = default_pool();
  EXPECT_EQ(default_pool(), pool);
  expect_current_is(pool);
  void* address = nullptr;
  EXPECT_EQ(symm::malloc_async(&address, 100), Status::success);
  EXPECT_NE(symm::ptr(address, right()), nullptr) << "it is symmetric";
  EXPECT_EQ(symm::free_async(address), Status::success);
}

TEST_P(PoolLife, H12_malloc_async_allocates_in_the_pool_that_is_set) {
  auto const pool = pool_here(GetParam());
  set_current(pool);
  expect_current_is(pool);
  EXPECT_NE(default_pool(), pool);
  set_current(default_pool());
  expect_current_is(default_pool());
  EXPECT_EQ(symm::mem_pool_destroy(pool), Status::success);
}

TEST(DefaultPool, H12_what_cannot_be_current_is_an_invalid_value) {
  EXPECT_EQ(symm::device_get_default_mem_pool(nullptr, here()),
            Status::invalid_value);
  EXPECT_EQ(symm::device_get_mem_pool(nullptr, here()), Status::invalid_value);
  EXPECT_EQ(symm::device_set_mem_pool(here(), {}), Status::invalid_value);
  EXPECT_THAT(symm::last_error(), HasSubstr("the pool is invalid"));
  expect_current_is(default_pool());
}

// A build for CPUs has no GPU memory, and a build for GPUs two kinds.
TEST(DefaultPool, H12_H31_a_pool_is_current_for_its_own_memory_only) {
  auto const other =
      here() == MemoryKind::host ? MemoryKind::device : MemoryKind::host;
  EXPECT_EQ(symm::device_set_mem_pool(other, default_pool()),
            Status::invalid_value);
  EXPECT_THAT(symm::last_error(), HasSubstr("not in"));
  MemPool pool;
  if (symm::device_get_mem_pool(&pool, other) == Status::success) {
    EXPECT_NE(pool, default_pool());
    return;
  }
  EXPECT_EQ(symm::device_get_default_mem_pool(&pool, other),
            Status::invalid_value);
  EXPECT_THAT(symm::last_error(), HasSubstr("there is no symmetric heap in"));
  EXPECT_EQ(symm::mem_pool_create(&pool, {.memory = other}),
            Status::invalid_value);
  EXPECT_EQ(
      symm::mem_pool_create(&pool, {.kind = Kind::local, .memory = other}),
      Status::invalid_value);
  EXPECT_FALSE(pool.is_valid());
}

TEST_P(PoolLife, H40_H41_H43_a_new_pool_is_empty_and_another_one) {
  TestPool const one(GetParam());
  TestPool const other(GetParam());
  EXPECT_TRUE(MemPool(one).is_valid());
  EXPECT_NE(MemPool(one), MemPool(other));
  EXPECT_EQ(one.reserved(), 0U);
  EXPECT_EQ(one.used(), 0U);
  MemPool const copy = one;
  EXPECT_EQ(copy, MemPool(one));
}

TEST(PoolProperties, H43_properties_that_cannot_be_are_an_invalid_value) {
  EXPECT_EQ(symm::mem_pool_create(nullptr, {}), Status::invalid_value);
  EXPECT_THAT(symm::last_error(), HasSubstr("the address of the pool is null"));
  MemPool pool;
  EXPECT_EQ(symm::mem_pool_create(
                &pool, {.handle_type =
                            symm::MemPoolHandleType::posix_file_descriptor}),
            Status::invalid_value);
  EXPECT_THAT(symm::last_error(), HasSubstr("a symmetric pool has no handles"));
  EXPECT_FALSE(pool.is_valid());
}

TEST_P(PoolLife, H44_blocks_outlive_the_destruction_of_their_pool) {
  auto const pool = new_pool(GetParam());
  Exec const exec;
  constexpr std::size_t bytes = 3 * mib;
  auto const mapped           = stats().mapped_bytes;
  auto* const block           = take(pool, bytes, exec);
  exec.fence();
  fill(ints(block, bytes), symm::my_pe(), right());
  auto const calls = n_calls();
  EXPECT_EQ(symm::mem_pool_destroy(pool), Status::success);
  EXPECT_EQ(n_calls(), calls) << "it returns at once";
  symm::heap_trim();
  EXPECT_EQ(count_wrong(ints(block, bytes), symm::my_pe(), right()), 0U);
  if (!is_local()) {
    EXPECT_GE(stats().mapped_bytes, mapped + bytes);
    symm::barrier_all();
    EXPECT_EQ(
        count_wrong(of_peer(ints(block, bytes), left()), left(), symm::my_pe()),
        0U);
    symm::barrier_all();
  }
  give(block, exec);
  EXPECT_EQ(symm::free_async(block, exec), Status::invalid_value);
  symm::heap_trim();
  EXPECT_EQ(stats().mapped_bytes, mapped) << "its memory goes with the last";
}

TEST_P(PoolLife, H44_the_end_of_a_pool_waits_for_no_free_that_is_under_way) {
  auto const pool   = new_pool(GetParam());
  auto const exec   = streams(1)[0];
  auto const mapped = stats().mapped_bytes;
  give(take(pool, 3 * mib, exec), exec);
  auto const calls = n_calls();
  EXPECT_EQ(symm::mem_pool_destroy(pool), Status::success);
  EXPECT_EQ(n_calls(), calls);
  symm::heap_trim();
  EXPECT_EQ(stats().mapped_bytes, mapped);
}

TEST_P(PoolLife, H45_the_end_of_the_current_pool_makes_the_default_current) {
  auto const pool = pool_here(GetParam());
  set_current(pool);
  void* address = nullptr;
  EXPECT_EQ(symm::malloc_async(&address, 100), Status::success);
  EXPECT_EQ(symm::mem_pool_destroy(pool), Status::success);
  expect_current_is(default_pool());
  EXPECT_EQ(symm::free_async(address), Status::success);
}

TEST(DefaultPool, H46_the_default_pool_cannot_be_destroyed) {
  auto const pool = default_pool();
  EXPECT_EQ(symm::mem_pool_destroy(pool), Status::invalid_value);
  EXPECT_THAT(symm::last_error(),
              HasSubstr("a default pool cannot be destroyed"));
  expect_current_is(pool);
}

TEST_P(PoolLife, H47_a_pool_ends_once) {
  auto const pool = new_pool(GetParam());
  EXPECT_EQ(symm::mem_pool_destroy(pool), Status::success);
  for (auto const& ended : {pool, MemPool(), MemPool::make(99'999)}) {
    EXPECT_EQ(symm::mem_pool_destroy(ended), Status::invalid_value);
    std::uint64_t value = 7;
    EXPECT_EQ(symm::mem_pool_get_attribute(ended, Attribute::used_mem_current,
                                           &value),
              Status::invalid_value);
    EXPECT_EQ(value, 7U);
    EXPECT_EQ(symm::mem_pool_set_attribute(ended, Attribute::release_threshold,
                                           &value),
              Status::invalid_value);
    EXPECT_EQ(symm::mem_pool_trim_to(ended, 0), Status::invalid_value);
    EXPECT_EQ(symm::device_set_mem_pool(here(), ended), Status::invalid_value);
  }
}

TEST_P(PoolLife, H40_many_pools_come_and_go) {
  Exec const exec;
  auto const mapped = stats().mapped_bytes;
  for (int i = 0; i < 20; ++i) {
    TestPool const pool(GetParam());
    give(take(pool, 1000, exec), exec);
  }
  symm::heap_trim();
  EXPECT_EQ(stats().mapped_bytes, mapped);
}

}  // namespace
