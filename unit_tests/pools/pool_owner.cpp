// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

// UniqueMemPool.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <type_traits>
#include <utility>

#include <Kokkos_SymmetricSpace.hpp>

#include "memory_of_space.hpp"
#include "shared_pools.hpp"

namespace symm_test::shared_pools {
namespace {

using symm::MemPoolAttribute;
using symm::Status;
using symm::UniqueMemPool;
using testing::HasSubstr;

static_assert(!std::is_copy_constructible_v<UniqueMemPool>);
static_assert(!std::is_copy_assignable_v<UniqueMemPool>);
static_assert(std::is_nothrow_move_constructible_v<UniqueMemPool>);
static_assert(std::is_nothrow_move_assignable_v<UniqueMemPool>);
static_assert(!std::is_convertible_v<symm::MemPool, UniqueMemPool>);

/// Whether a pool has not been destroyed.
bool is_there(symm::MemPool pool) {
  std::uint64_t bytes = 0;
  return symm::mem_pool_get_attribute(pool, MemPoolAttribute::used_mem_current,
                                      &bytes) == Status::success;
}

symm::MemPoolProperties local() { return {.kind = symm::MemPoolKind::local}; }

TEST(UniqueMemPool, H40_H47_has_one_pool_as_long_as_it_lives) {
  symm::MemPool pool;
  {
    UniqueMemPool const owner((symm::MemPoolProperties()));
    pool = owner;
    EXPECT_TRUE(is_there(pool));
  }
  EXPECT_FALSE(is_there(pool));
}

TEST(UniqueMemPool, is_moved_and_given_up) {
  UniqueMemPool a(local());
  UniqueMemPool b(local());
  auto const in_a = a.get();
  auto const in_b = b.get();
  UniqueMemPool c(std::move(a));
  EXPECT_EQ(c.get(), in_a);
  EXPECT_FALSE(a.get().is_valid());  // NOLINT(bugprone-use-after-move)
  b = std::move(c);
  EXPECT_TRUE(is_there(in_a));
  EXPECT_FALSE(is_there(in_b));
  a.swap(b);
  EXPECT_EQ(a.release(), in_a);
  EXPECT_FALSE(a.get().is_valid());
  EXPECT_EQ(symm::mem_pool_destroy(in_a), Status::success);
  EXPECT_FALSE(UniqueMemPool().get().is_valid());
}

TEST(UniqueMemPool, H44_blocks_outlive_it) {
  void* block = nullptr;
  {
    UniqueMemPool const owner(local());
    block = allocate(1000, owner);
  }
  EXPECT_EQ(symm::free_async(block), Status::success);
}

TEST(UniqueMemPool, H56_gets_and_sets_attributes) {
  UniqueMemPool owner(local());
  owner.set_release_threshold(12'345'678'901);
  EXPECT_EQ(owner.release_threshold(), 12'345'678'901U);
  for (auto const policy :
       {MemPoolAttribute::reuse_follow_event_dependencies,
        MemPoolAttribute::reuse_allow_opportunistic,
        MemPoolAttribute::reuse_allow_internal_dependencies}) {
    EXPECT_TRUE(owner.allows(policy));
    owner.allow(policy, false);
    EXPECT_FALSE(owner.allows(policy));
  }
  void* const block = allocate(1000, owner);
  EXPECT_GE(owner.used(), 1000U);
  EXPECT_GE(owner.reserved(), owner.used());
  EXPECT_EQ(symm::free_async(block), Status::success);
  EXPECT_EQ(owner.used(), 0U);
  EXPECT_GE(owner.used_high(), 1000U);
  owner.trim_to(0);
  EXPECT_EQ(owner.reserved(), 0U);
  EXPECT_GT(owner.reserved_high(), 0U);
  owner.restart_highs();
  EXPECT_EQ(owner.used_high(), 0U);
  EXPECT_EQ(owner.reserved_high(), 0U);
}

TEST(UniqueMemPool, H43_throws_what_last_error_says) {
  auto properties      = shareable(memory_of_space<SYMM_TEST_SPACE>());
  properties.max_bytes = 0;
  try {
    UniqueMemPool const owner(properties);
    ADD_FAILURE() << "it was made";
  } catch (symm::UsageError const& error) {
    EXPECT_THAT(error.what(), HasSubstr("max_bytes is 0"));
  }
  properties.max_bytes = ~std::size_t{0};
  EXPECT_THROW(UniqueMemPool owner(properties), symm::OutOfMemory);
  UniqueMemPool none;
  EXPECT_THROW(static_cast<void>(none.used()), symm::UsageError);
  EXPECT_THROW(none.trim_to(0), symm::UsageError);
  EXPECT_THROW(none.set_release_threshold(1), symm::UsageError);
}

TEST(UniqueMemPool, a_view_lives_in_it) {
  UniqueMemPool const owner((symm::MemPoolProperties()));
  Kokkos::DefaultExecutionSpace const exec;
  {
    Kokkos::View<int*, symm::SymmetricSpace> const view(
        Kokkos::view_alloc(exec, symm::SymmetricSpace(owner), "in a pool"), 10);
    EXPECT_GE(owner.used(), 10 * sizeof(int));
    symm::barrier(exec, symm::team_world());
  }
  EXPECT_EQ(owner.used(), 0U);
}

}  // namespace
}  // namespace symm_test::shared_pools
