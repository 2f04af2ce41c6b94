// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

// Pools and initialize(), finalize() and the settings of the heap. Every test
// starts the library itself.

#include <cstddef>
#include <string>

#include <heap/heap_with.hpp>

#include "pool_test.hpp"

namespace {

using namespace symm_test;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

/// All calls fail on this PE, and say why.
void expect_refused(std::string const& why) {
  Exec const exec;
  void* address = not_null;
  symm::MemPool pool;
  int value           = 1;
  auto const says_why = [&](Status status, char const* call) {
    EXPECT_EQ(status, Status::invalid_value) << call;
    EXPECT_THAT(symm::last_error(), AllOf(HasSubstr(call), HasSubstr(why)));
  };
  says_why(symm::malloc_async(&address, 100), "symm::malloc_async");
  EXPECT_EQ(address, nullptr);
  address = not_null;
  says_why(symm::malloc_from_pool_async(&address, 100, pool, exec),
           "symm::malloc_from_pool_async");
  EXPECT_EQ(address, nullptr);
  says_why(symm::free_async(&value, exec), "symm::free_async");
  says_why(symm::order_after(exec, exec), "symm::order_after");
  says_why(symm::mem_pool_create(&pool, {}), "symm::mem_pool_create");
  EXPECT_FALSE(pool.is_valid());
  says_why(symm::mem_pool_destroy(pool), "symm::mem_pool_destroy");
  says_why(symm::device_get_default_mem_pool(&pool, Space::memory_kind),
           "symm::device_get_default_mem_pool");
  says_why(symm::device_get_mem_pool(&pool, Space::memory_kind),
           "symm::device_get_mem_pool");
  says_why(symm::device_set_mem_pool(Space::memory_kind, pool),
           "symm::device_set_mem_pool");
  says_why(symm::mem_pool_get_attribute(
               pool, Attribute::reuse_allow_opportunistic, &value),
           "symm::mem_pool_get_attribute");
  says_why(symm::mem_pool_set_attribute(
               pool, Attribute::reuse_allow_opportunistic, &value),
           "symm::mem_pool_set_attribute");
  says_why(symm::mem_pool_trim_to(pool, 0), "symm::mem_pool_trim_to");
  EXPECT_THROW(View(Kokkos::view_alloc("v", exec, Space(pool)), 10),
               symm::UsageError);
}

TEST(PoolStart, H17_H24_outside_of_initialize_and_finalize_nothing_works) {
  expect_refused(HeapWith::was_used() ? "after symm::finalize()"
                                      : "before symm::initialize()");
  { HeapWith const heap(Variables{}); }
  expect_refused("after symm::finalize()");
}

TEST(PoolStart, H13_every_heap_has_its_default_pool) {
  for (int round = 0; round < 3; ++round) {
    HeapWith const heap(Variables{});
    void* block = nullptr;
    EXPECT_EQ(symm::malloc_async(&block, 1000), Status::success)
        << symm::last_error();
    EXPECT_NE(symm::ptr(block, right()), nullptr);
    EXPECT_EQ(symm::free_async(block), Status::success);
  }
}

std::string pool_finalize_text() {
  testing::internal::CaptureStderr();
  symm::finalize();
  return testing::internal::GetCapturedStderr();
}

class PoolFinalize : public testing::TestWithParam<Kind> {};
SYMM_TEST_BOTH_POOLS(PoolFinalize);

TEST_P(PoolFinalize, H44_nothing_is_said_of_pools_without_blocks) {
  symm::initialize();
  auto const pool  = new_pool(GetParam());
  auto const ended = new_pool(GetParam());
  give(take(pool, 1000, Exec()), Exec());
  give(take(ended, 1000, Exec()), Exec());
  EXPECT_EQ(symm::mem_pool_destroy(ended), Status::success);
  EXPECT_EQ(pool_finalize_text(), "");
}

TEST_P(PoolFinalize, H44_a_View_that_lives_is_reported_and_stays_readable) {
  symm::initialize();
  auto const pool = new_pool(GetParam());
  auto const me   = symm::my_pe();
  {
    View survivor(Kokkos::view_alloc("survivor", Exec(), Space(pool)), 1000);
    View const gone(Kokkos::view_alloc("gone", Exec(), Space(pool)), 1000);
    Kokkos::fence();
    Kokkos::deep_copy(survivor, me + 1);
  }
  View survivor(Kokkos::view_alloc("survivor", Exec(), Space(pool)), 1000);
  Kokkos::fence();
  Kokkos::deep_copy(survivor, me + 1);
  EXPECT_THAT(
      pool_finalize_text(),
      AllOf(HasSubstr("PE " + std::to_string(me)), HasSubstr("\"survivor\""),
            HasSubstr("of a pool"), Not(HasSubstr("gone"))));
  EXPECT_EQ(count_equal(survivor, me + 1), 1000U);
  auto copy = survivor;
  survivor  = {};
  EXPECT_EQ(count_equal(copy, me + 1), 1000U);
}

TEST_P(PoolFinalize, H44_a_block_that_lives_is_reported) {
  symm::initialize();
  auto const pool = new_pool(GetParam());
  take(pool, 1000, Exec());
  EXPECT_EQ(symm::mem_pool_destroy(pool), Status::success);
  EXPECT_THAT(pool_finalize_text(),
              HasSubstr("\"malloc_async\" (1024 bytes of a pool)"));
}

TEST_P(PoolFinalize, H44_a_View_may_end_when_another_heap_is_there) {
  symm::initialize();
  View survivor(
      Kokkos::view_alloc("of the first", Exec(), Space(new_pool(GetParam()))),
      1000);
  Kokkos::fence();
  EXPECT_THAT(pool_finalize_text(), HasSubstr("\"of the first\""));
  HeapWith const heap(Variables{});
  TestPool const pool(GetParam());
  auto* const block = take(pool, 1000, Exec());
  testing::internal::CaptureStderr();
  survivor = {};
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
  EXPECT_EQ(pool.used(), 1024U);
  give(block, Exec());
}

TEST(PoolStart, P04_a_difference_found_at_finalize_is_an_error_on_all_PEs) {
  symm::initialize();
  TestPool const* pool  = new TestPool;
  TestPool const* local = new TestPool(Kind::local);
  Exec const exec;
  make_room(*pool, mib);
  auto* const mine  = take(*local, 1000, exec);
  auto* const block = take(*pool, symm::my_pe() == 0 ? 1000 : 2000, exec);
  if (symm::n_pes() > 1) {
    EXPECT_THAT(message_of<symm::UsageError>([] { symm::finalize(); }),
                AllOf(HasSubstr("mismatched stream-ordered call #"),
                      HasSubstr("symm::finalize()")));
  }
  EXPECT_TRUE(symm::is_initialized());
  EXPECT_GT(local->used(), 0U) << "nothing has ended";
  give(mine, exec);
  give(block, exec);
  delete pool;
  delete local;
  EXPECT_EQ(pool_finalize_text(), "");
}

// Growth is that of the heap.

TEST(PoolStart, P05_the_limit_of_the_heap_is_one_for_all_PEs) {
  HeapWith const heap(Variables{{"SYMM_HEAP_LIMIT", "8M"}});
  TestPool const pool;
  TestPool const other;
  Exec const exec;
  auto* const block = take(pool, 5 * mib, exec);
  void* address     = not_null;
  EXPECT_EQ(symm::malloc_from_pool_async(&address, 4 * mib, other, exec),
            Status::out_of_memory);
  EXPECT_EQ(address, nullptr);
  EXPECT_THAT(symm::last_error(), AllOf(HasSubstr("growth of a pool"),
                                        HasSubstr("no room on any PE")));
  EXPECT_EQ(symm::malloc(4 * mib), nullptr) << "pools have their part of it";
  give(take(other, mib, exec), exec);
  give(block, exec);
  EXPECT_EQ(symm::mem_pool_trim_to(pool, 0), Status::success);
  give(take(other, 4 * mib, exec), exec);
  EXPECT_NO_THROW(symm::barrier_all());
}

TEST(PoolStart, P05_pools_of_a_static_heap_have_a_part_of_it) {
  HeapWith const heap(
      Variables{{"SYMM_STATIC_HEAP", "1"}, {"SYMM_SYMMETRIC_SIZE", "8M"}});
  Exec const exec;
  {
    TestPool const pool;
    auto* const block = take(pool, 5 * mib, exec);
    void* address     = not_null;
    EXPECT_EQ(symm::malloc_from_pool_async(&address, 5 * mib, pool, exec),
              Status::out_of_memory);
    EXPECT_EQ(address, nullptr);
    EXPECT_EQ(symm::malloc(5 * mib), nullptr);
    give(block, exec);
    give(take(pool, 5 * mib, exec), exec);
  }
  symm::heap_trim();
  auto* const block = symm::malloc(5 * mib);
  EXPECT_NE(block, nullptr) << symm::last_error();
  symm::free(block);
}

}  // namespace
