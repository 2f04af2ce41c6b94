// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

// When a pool uses again what was freed: by the order of one stream, of
// several, by the time, and by a dependency that it makes itself.

#include <array>
#include <cstddef>
#include <utility>
#include <vector>

#include "pool_test.hpp"

namespace {

using namespace symm_test;

class PoolReuse : public BothPools {
 protected:
  /// A block that a peer may use behind a barrier in the order of the stream:
  /// what makes that of a local pool of the same code, which needs none.
  static void put_barrier(Exec const& exec) {
    if (!is_local()) symm::barrier(exec, symm::team_world());
  }
  /// Whether the latest block of a symmetric pool waits for other PEs.
  static bool waits_for_peers() { return !is_local() && symm::n_pes() > 1; }

  /// Where the next block of that size of the stream is; it is freed again.
  static char* next(symm::MemPool pool, std::size_t bytes, Exec const& exec) {
    auto* const block = take(pool, bytes, exec);
    give(block, exec);
    return block;
  }
};
SYMM_TEST_BOTH_POOLS(PoolReuse);

constexpr std::size_t block_bytes = 100 * kib;

TEST_P(PoolReuse, H02_H03_P03_on_the_same_stream_behind_its_order) {
  TestPool const pool(GetParam());
  pool.set_policy(false, false, false);
  make_room(pool, 10 * block_bytes);
  auto const exec    = streams(1)[0];
  auto* const first  = next(pool, block_bytes, exec);
  auto* const second = take(pool, block_bytes, exec);
  if (waits_for_peers()) {
    EXPECT_NE(second, first) << "a peer may use it still";
  } else {
    EXPECT_EQ(second, first);
  }
  give(second, exec);
  put_barrier(exec);
  EXPECT_EQ(next(pool, block_bytes, exec), second) << "the latest one first";
}

TEST_P(PoolReuse, P03_a_barrier_before_the_release_is_not_enough) {
  TestPool const pool(GetParam());
  pool.set_policy(false, false, false);
  make_room(pool, 10 * block_bytes);
  auto const exec   = streams(1)[0];
  auto* const first = take(pool, block_bytes, exec);
  put_barrier(exec);
  give(first, exec);
  EXPECT_EQ(next(pool, block_bytes, exec) == first, !waits_for_peers());
}

TEST_P(PoolReuse, P03_a_barrier_on_another_stream_is_not_enough) {
  TestPool const pool(GetParam());
  pool.set_policy(false, false, false);
  make_room(pool, 10 * block_bytes);
  auto const exec   = streams(2);
  auto* const other = next(pool, 256, exec[1]);
  auto* const first = next(pool, block_bytes, exec[0]);
  put_barrier(exec[1]);
  EXPECT_EQ(next(pool, block_bytes, exec[0]) == first, !waits_for_peers());
  EXPECT_EQ(next(pool, 256, exec[1]), other) << "but for that stream it is";
}

TEST_P(PoolReuse, P03_a_barrier_of_some_PEs_is_not_enough) {
  TestPool const pool(GetParam());
  pool.set_policy(false, false, false);
  make_room(pool, 10 * block_bytes);
  auto const exec   = streams(1)[0];
  auto* const first = next(pool, block_bytes, exec);
  auto half = symm::team_split(symm::team_world(), symm::my_pe() % 2, 0);
  symm::barrier(exec, half);
  // With one PE, half of the PEs is all.
  EXPECT_EQ(next(pool, block_bytes, exec) == first, !waits_for_peers());
  symm::team_destroy(half);
}

TEST_P(PoolReuse, P03_barrier_all_of_the_instance_is_enough) {
  TestPool const pool(GetParam());
  pool.set_policy(false, false, false);
  make_room(pool, 10 * block_bytes);
  auto const exec   = streams(1)[0];
  auto* const first = next(pool, block_bytes, exec);
  symm::barrier_all(exec);
  EXPECT_EQ(next(pool, block_bytes, exec), first);
}

TEST_P(PoolReuse, H52_H53_on_another_stream_behind_the_one_of_the_release) {
  TestPool const pool(GetParam());
  pool.set_policy(true, false, false);
  make_room(pool, 10 * block_bytes);
  auto const exec   = streams(3);
  auto* const first = next(pool, block_bytes, exec[0]);
  put_barrier(exec[0]);
  EXPECT_NE(next(pool, block_bytes, exec[1]), first) << "nothing orders them";
  EXPECT_EQ(symm::order_after(exec[2], exec[0]), Status::success);
  EXPECT_EQ(next(pool, block_bytes, exec[2]), first);
}

TEST_P(PoolReuse, H52_not_if_that_is_not_allowed) {
  TestPool const pool(GetParam());
  pool.set_policy(false, false, false);
  make_room(pool, 10 * block_bytes);
  auto const exec   = streams(2);
  auto* const first = next(pool, block_bytes, exec[0]);
  put_barrier(exec[0]);
  EXPECT_EQ(symm::order_after(exec[1], exec[0]), Status::success);
  EXPECT_NE(next(pool, block_bytes, exec[1]), first);
  EXPECT_EQ(next(pool, block_bytes, exec[0]), first) << "its own stream may";
}

TEST_P(PoolReuse, H52_a_release_behind_the_dependency_is_not_ordered_by_it) {
  TestPool const pool(GetParam());
  pool.set_policy(true, false, false);
  make_room(pool, 10 * block_bytes);
  auto const exec   = streams(2);
  auto* const first = take(pool, block_bytes, exec[0]);
  EXPECT_EQ(symm::order_after(exec[1], exec[0]), Status::success);
  give(first, exec[0]);
  put_barrier(exec[0]);
  EXPECT_NE(next(pool, block_bytes, exec[1]), first);
}

TEST_P(PoolReuse, H53_a_dependency_has_a_direction) {
  TestPool const pool(GetParam());
  pool.set_policy(true, false, false);
  make_room(pool, 10 * block_bytes);
  auto const exec   = streams(2);
  auto* const first = next(pool, block_bytes, exec[0]);
  put_barrier(exec[0]);
  EXPECT_EQ(symm::order_after(exec[0], exec[1]), Status::success);
  EXPECT_NE(next(pool, block_bytes, exec[1]), first);
}

TEST_P(PoolReuse, H52_H53_dependencies_are_transitive) {
  TestPool const pool(GetParam());
  pool.set_policy(true, false, false);
  make_room(pool, 10 * block_bytes);
  auto const exec   = streams(3);
  auto* const first = next(pool, block_bytes, exec[0]);
  put_barrier(exec[0]);
  EXPECT_EQ(symm::order_after(exec[1], exec[0]), Status::success);
  EXPECT_EQ(symm::order_after(exec[2], exec[1]), Status::success);
  EXPECT_EQ(next(pool, block_bytes, exec[2]), first);
}

// The barrier may be in the stream that waits, too.
TEST_P(PoolReuse, H52_P03_the_dependency_before_the_barrier) {
  TestPool const pool(GetParam());
  pool.set_policy(true, false, false);
  make_room(pool, 10 * block_bytes);
  auto const exec   = streams(2);
  auto* const first = next(pool, block_bytes, exec[0]);
  EXPECT_EQ(symm::order_after(exec[1], exec[0]), Status::success);
  auto* const second = next(pool, block_bytes, exec[1]);
  EXPECT_EQ(second == first, !waits_for_peers());
  put_barrier(exec[1]);
  auto* const one = take(pool, block_bytes, exec[1]);
  auto* const two = take(pool, block_bytes, exec[1]);
  EXPECT_TRUE(one == first || two == first);
  give(one, exec[1]);
  give(two, exec[1]);
}

TEST_P(PoolReuse, H15_H20_freed_on_a_stream_that_is_behind_the_first) {
  TestPool const pool(GetParam());
  pool.set_policy(false, false, false);
  make_room(pool, 10 * block_bytes);
  auto const exec   = streams(2);
  auto* const first = take(pool, block_bytes, exec[0]);
  EXPECT_EQ(symm::order_after(exec[1], exec[0]), Status::success);
  give(first, exec[1]);
  put_barrier(exec[1]);
  EXPECT_NE(next(pool, block_bytes, exec[0]), first)
      << "the order of the release counts";
  EXPECT_EQ(next(pool, block_bytes, exec[1]), first);
}

class LocalReuse : public testing::TestWithParam<bool> {
 protected:
  void SetUp() override { symm::heap_trim(); }
};
INSTANTIATE_TEST_SUITE_P(OpportunisticIs, LocalReuse, testing::Bool());

TEST_P(LocalReuse, H54_what_has_ended_is_used_on_any_stream_if_allowed) {
  TestPool const pool(Kind::local);
  pool.set_policy(false, GetParam(), false);
  auto const exec   = streams(2);
  auto* const kept  = take(pool, 4 * mib, exec[0]);
  auto* const freed = take(pool, 2 * mib, exec[0]);
  give(freed, exec[0]);
  exec[0].fence();
  auto const reserved = pool.reserved();
  EXPECT_EQ(reserved, 6 * mib);
  auto* const other = take(pool, 2 * mib, exec[1]);
  if (GetParam()) {
    EXPECT_EQ(other, freed);
  }
  EXPECT_EQ(pool.reserved() == reserved, GetParam()) << "in place of growth";
  give(other, exec[1]);
  give(kept, exec[0]);
}

// Of symmetric pools: agreed at barrier_all(), not looked up by one PE.
TEST(SymmetricReuse, H54_what_had_ended_at_barrier_all_is_used_on_any_stream) {
  TestPool const pool;
  pool.set_policy(false, true, false);
  make_room(pool, 10 * block_bytes);
  auto const exec   = streams(2);
  auto* const first = take(pool, block_bytes, exec[0]);
  give(first, exec[0]);
  exec[0].fence();
  auto* const second = take(pool, block_bytes, exec[1]);
  EXPECT_NE(second, first) << "who knows what other PEs do";
  give(second, exec[1]);
  exec[1].fence();
  symm::barrier_all();
  auto* const one = take(pool, block_bytes, exec[1]);
  auto* const two = take(pool, block_bytes, exec[1]);
  EXPECT_EQ(std::minmax(one, two), std::minmax(first, second));
  give(one, exec[1]);
  give(two, exec[1]);
}

TEST(SymmetricReuse, H54_not_if_that_is_not_allowed) {
  TestPool const pool;
  pool.set_policy(false, false, false);
  make_room(pool, 10 * block_bytes);
  auto const exec = streams(2);
  // For another pool the PEs look whether that stream is idle.
  TestPool const other_pool;
  give(take(other_pool, block_bytes, exec[0]), exec[0]);
  auto* const first = take(pool, block_bytes, exec[0]);
  give(first, exec[0]);
  exec[0].fence();
  symm::barrier_all();
  auto* const other = take(pool, block_bytes, exec[1]);
  EXPECT_NE(other, first);
  give(other, exec[1]);
}

TEST(SymmetricReuse, H54_a_release_behind_barrier_all_is_not_meant) {
  TestPool const pool;
  pool.set_policy(false, true, false);
  make_room(pool, 10 * block_bytes);
  auto const exec   = streams(2);
  auto* const first = take(pool, block_bytes, exec[0]);
  exec[0].fence();
  symm::barrier_all();
  give(first, exec[0]);
  auto* const other = take(pool, block_bytes, exec[1]);
  EXPECT_NE(other, first);
  give(other, exec[1]);
}

// The pool is full, and grows unless it may wait.

class FullPool : public PoolReuse {
 protected:
  FullPool() {
    m_block = take(pool, chunk, exec[0]);
    m_full  = pool.reserved();
    EXPECT_LT(m_full, 2 * chunk);
  }
  ~FullPool() override { symm::barrier_all(); }

  static constexpr std::size_t chunk = 2 * mib;

  TestPool const pool{GetParam()};
  std::vector<Exec> const exec = streams(2);
  char* m_block                = nullptr;
  std::size_t m_full           = 0;
};
SYMM_TEST_BOTH_POOLS(FullPool);

TEST_P(FullPool, H04_H55_a_dependency_is_made_in_place_of_growth) {
  pool.set_policy(false, false, true);
  give(m_block, exec[0]);
  auto const calls  = n_calls();
  auto* const again = take(pool, chunk, exec[1]);
  EXPECT_EQ(again, m_block);
  EXPECT_EQ(pool.reserved(), m_full);
  EXPECT_EQ(n_calls(), calls) << "the PEs meet in their streams alone";
  give(again, exec[1]);
}

TEST_P(FullPool, H55_the_work_of_the_other_stream_is_waited_for) {
  pool.set_policy(false, false, true);
  auto const view = ints(m_block, chunk);
  Kokkos::parallel_for(
      "H55", Kokkos::RangePolicy<Exec>(exec[0], 0, view.size()),
      KOKKOS_LAMBDA(int const i) { view(i) = i; });
  give(m_block, exec[0]);
  auto* const again = take(pool, chunk, exec[1]);
  auto const other  = ints(again, chunk);
  Kokkos::parallel_for(
      "H55", Kokkos::RangePolicy<Exec>(exec[1], 0, other.size()),
      KOKKOS_LAMBDA(int const i) { other(i) = -i; });
  exec[1].fence();
  EXPECT_EQ(get(other, other.size() - 1), -static_cast<int>(other.size() - 1));
  give(again, exec[1]);
}

// It grows, or waits for everything in a collective call.
TEST_P(FullPool, H55_none_is_made_where_that_is_not_allowed) {
  pool.set_policy(false, false, false);
  auto const calls = n_calls();
  give(m_block, exec[0]);
  auto* const other = take(pool, chunk, exec[1]);
  if (is_local()) {
    EXPECT_EQ(n_calls(), calls);
  } else {
    EXPECT_GT(n_calls(), calls) << "no PE gets memory alone";
  }
  give(other, exec[1]);
}

TEST_P(FullPool, P05_the_pool_grows_if_there_is_nothing_to_wait_for) {
  auto* const other = take(pool, chunk, exec[1]);
  EXPECT_NE(other, m_block);
  EXPECT_GE(pool.reserved(), 2 * chunk);
  give(other, exec[1]);
  give(m_block, exec[0]);
}

TEST_P(FullPool, H55_the_pool_grows_if_little_waits) {
  auto* const small = take(pool, 64 * kib, exec[0]);  // its own chunk
  auto const before = pool.reserved();
  give(small, exec[0]);
  auto* const other = take(pool, 2 * chunk, exec[1]);
  EXPECT_GT(pool.reserved(), before);
  give(other, exec[1]);
  give(m_block, exec[0]);
}

// More streams than the pools can tell apart at a time.
TEST_P(PoolReuse, H02_many_streams_one_after_the_other) {
  TestPool const pool(GetParam());
  make_room(pool, mib);
  for (int round = 0; round < 3; ++round) {
    auto const exec = streams(40);
    for (auto const& stream : exec) {
      give(take(pool, 1000, stream), stream);
    }
    symm::heap_trim();
  }
  EXPECT_EQ(pool.used(), 0U);
}

TEST_P(PoolReuse, H17_too_many_streams_at_a_time_are_an_invalid_value) {
  TestPool const pool(GetParam());
  make_room(pool, mib);
  auto const exec = streams(64);
  std::vector<char*> blocks;
  for (std::size_t i = 0; i < 63; ++i) {
    blocks.push_back(take(pool, 256, exec[i]));
  }
  void* address = not_null;
  EXPECT_EQ(symm::malloc_from_pool_async(&address, 256, pool, exec[63]),
            Status::invalid_value);
  EXPECT_EQ(address, nullptr);
  EXPECT_THAT(symm::last_error(), testing::HasSubstr("more than 63 streams"));
  for (std::size_t i = 0; i < 63; ++i) give(blocks[i], exec[i]);
  symm::heap_trim();
  give(take(pool, 256, exec[63]), exec[63]);
}

}  // namespace
