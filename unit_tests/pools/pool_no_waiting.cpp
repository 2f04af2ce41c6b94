// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

// P01: while a pool has room, nobody waits: neither for other PEs nor for a
// stream. Collective calls are counted by the heap, fences by Kokkos Tools.

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "pool_test.hpp"

namespace {

using namespace symm_test;

std::vector<std::string> s_fences;

/// Lists the fences of Kokkos, of instances and of all, for a scope.
class FenceRecorder {
 public:
  FenceRecorder() {
    s_fences.clear();
    Kokkos::Tools::Experimental::set_begin_fence_callback(
        [](char const* name, std::uint32_t, std::uint64_t*) {
          s_fences.emplace_back(name);
        });
  }
  FenceRecorder(FenceRecorder const&)            = delete;
  FenceRecorder& operator=(FenceRecorder const&) = delete;
  ~FenceRecorder() {
    Kokkos::Tools::Experimental::set_begin_fence_callback(nullptr);
  }
};

class NoWaiting : public BothPools {};
SYMM_TEST_BOTH_POOLS(NoWaiting);

TEST_P(NoWaiting, P01_the_recorder_sees_fences) {
  FenceRecorder const recorder;
  Exec().fence("a fence");
  EXPECT_EQ(s_fences, std::vector<std::string>{"a fence"});
}

TEST_P(NoWaiting, P01_H10_H20_malloc_and_free_while_there_is_room) {
  TestPool const pool(GetParam());
  auto const exec = streams(3);
  make_room(pool, 8 * mib);
  auto const calls = n_calls();
  FenceRecorder const recorder;
  for (std::size_t i = 0; i < 500; ++i) {
    give(take(pool, 256 * (i % 20 + 1), exec[i % 3]), exec[(i + i / 5) % 3]);
  }
  EXPECT_EQ(n_calls(), calls);
  EXPECT_EQ(s_fences, std::vector<std::string>{});
}

// One PE alone can go through it: the others may be anywhere.
TEST_P(NoWaiting, P01_PEs_do_not_wait_for_each_other) {
  TestPool const pool(GetParam());
  Exec const exec;
  make_room(pool, 8 * mib);
  for (symm::Pe pe = 0; pe < symm::n_pes(); ++pe) {
    if (pe == symm::my_pe()) {
      for (int i = 0; i < 50; ++i) give(take(pool, 1000, exec), exec);
    }
    wait_for_all_pes();
  }
  EXPECT_NO_THROW(symm::barrier_all());
}

TEST_P(NoWaiting, P01_attributes_and_the_life_of_pools) {
  auto const calls = n_calls();
  FenceRecorder const recorder;
  {
    TestPool const pool(GetParam());
    pool.set_policy(true, false, true);
    EXPECT_EQ(pool.used(), 0U);
  }
  EXPECT_EQ(n_calls(), calls);
  EXPECT_EQ(s_fences, std::vector<std::string>{});
}

template <class... Options>
void expect_views_wait_for_nothing(TestPool const& pool,
                                   Options const&... options) {
  auto const exec = streams(2);
  make_room(pool, mib);
  auto const calls = n_calls();
  FenceRecorder const recorder;
  for (std::size_t i = 0; i < 100; ++i) {
    View const view(
        Kokkos::view_alloc("v", exec[i % 2], Space(pool), options...), 1000);
    auto const copy = view;
    auto const part = Kokkos::subview(copy, std::pair(10, 20));
  }
  EXPECT_EQ(n_calls(), calls);
  EXPECT_EQ(s_fences, std::vector<std::string>{});
}

TEST_P(NoWaiting, P01_Views_that_are_not_initialized) {
  expect_views_wait_for_nothing(TestPool(GetParam()),
                                Kokkos::WithoutInitializing);
}

TEST_P(NoWaiting, P01_Views_that_are_initialized) {
#if KOKKOS_VERSION < 50000
  GTEST_SKIP() << "Kokkos 4 fences HostSpace before it initializes a View";
#endif
  expect_views_wait_for_nothing(TestPool(GetParam()));
}

// Kokkos waits for the instance that it chooses itself, but no PE for another.
TEST_P(NoWaiting, P01_Views_without_an_instance_wait_for_no_PE) {
  TestPool const pool(GetParam());
  make_room(pool, mib);
  auto const calls = n_calls();
  for (int i = 0; i < 20; ++i) {
    View const view(Kokkos::view_alloc("v", Space(pool)), 1000);
  }
  EXPECT_EQ(n_calls(), calls);
}

}  // namespace
