// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

// What a symmetric pool adds: equal offsets on all PEs without talking,
// whatever their speeds; blocks that peers use; growth.

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <random>
#include <thread>
#include <vector>

#include "pool_test.hpp"

namespace {

using namespace symm_test;
using testing::AllOf;
using testing::HasSubstr;

std::uint64_t offset_of(void const* address) {
  return symm::heap_map(Space::memory_kind).offset_of(address);
}

// What all PEs do is drawn from `all`; when, from `mine`. What follows from it
// is the same nevertheless, but for the times of barrier_all().
TEST(SymmetricPool, P02_equal_calls_give_equal_offsets_at_any_speed) {
  symm::heap_trim();
  TestPool const pool;
  auto const exec = streams(3);
  struct Live {
    char* block;
    int word;
  };
  std::vector<Live> live;
  std::mt19937 all(42);
  auto mine               = random_of_this_pe(17);
  std::uint64_t hash      = 0;
  auto const* has_barrier = &exec[0];  // the latest one
  for (int step = 0; step < rounds(600); ++step) {
    if (step % 20 == 0) random_pause(mine);
    auto const& stream = exec[all() % exec.size()];
    auto const draw    = all() % 100;
    if (draw < 50) {
      auto const bytes  = std::size_t{64} << all() % 14;
      auto* const block = take(pool, bytes, stream);
      hash              = hash * 31 + offset_of(block);
      live.push_back({block, step});
      stream.fence();
      set(ints(block, sizeof(int)), step, 0);
    } else if (draw < 90) {
      if (live.empty()) continue;
      auto const which = all() % live.size();
      EXPECT_EQ(get(ints(live[which].block, sizeof(int)), 0), live[which].word);
      for (auto const& other : exec) {
        if (all() % 2 == 0) {
          EXPECT_EQ(symm::order_after(stream, other), Status::success);
        }
      }
      give(live[which].block, stream);
      live[which] = live.back();
      live.pop_back();
    } else if (draw < 97) {
      // Those of a team come one after the other.
      EXPECT_EQ(symm::order_after(stream, *has_barrier), Status::success);
      symm::barrier(stream, symm::team_world());
      has_barrier = &stream;
    } else {
      symm::barrier_all();
    }
  }
  for (auto const& [block, word] : live) {
    EXPECT_EQ(get(ints(block, sizeof(int)), 0), word);
    give(block, exec[0]);
  }
  EXPECT_TRUE(is_equal_on_all_pes(hash));
  EXPECT_TRUE(is_equal_on_all_pes(pool.reserved()));
  EXPECT_NO_THROW(symm::barrier_all());
}

TEST(SymmetricPool, P02_offsets_are_equal_whatever_local_pools_do) {
  TestPool const pool;
  TestPool const local(Kind::local);
  auto const exec = streams(2);
  std::vector<char*> blocks;
  for (int i = 0; i < 10; ++i) {
    for (int mine = 0; mine < 2 * symm::my_pe(); ++mine) {
      give(take(local, 1000, exec[1]), exec[1]);
    }
    blocks.push_back(take(pool, 1000, exec[0]));
    EXPECT_TRUE(is_equal_on_all_pes(offset_of(blocks.back())));
  }
  for (auto* const block : blocks) give(block, exec[0]);
  EXPECT_NO_THROW(symm::barrier_all());
}

TEST(SymmetricPool, P03_a_peer_may_use_a_block_behind_a_barrier) {
  TestPool const pool;
  auto const exec             = streams(1)[0];
  constexpr std::size_t bytes = 1000 * sizeof(int);
  auto const me               = symm::my_pe();
  for (int round = 0; round < 3; ++round) {
    auto const view = ints(take(pool, bytes, exec), bytes);
    symm::barrier(exec, symm::team_world());
    exec.fence();
    fill(of_peer(view, right()), me, right());
    symm::barrier(exec, symm::team_world());
    exec.fence();
    EXPECT_EQ(count_wrong(view, left(), me), 0U);
    give(reinterpret_cast<char*>(view.data()), exec);
  }
  symm::barrier_all();
}

// A slow PE reads what a fast one has freed, and allocates in place of, until
// it has passed the barrier itself.
TEST(SymmetricPool, P03_a_slow_PE_reads_what_fast_ones_have_freed_already) {
  TestPool const pool;
  auto const exec             = streams(2);
  constexpr std::size_t bytes = 1000 * sizeof(int);
  auto const me               = symm::my_pe();
  make_room(pool, 100 * bytes);
  for (int round = 0; round < rounds(60); ++round) {
    auto const& stream = exec[static_cast<std::size_t>(round) % 2];
    bool const is_slow = round % symm::n_pes() == me;
    auto* const block  = take(pool, bytes, stream);
    auto const view    = ints(block, bytes);
    stream.fence();
    Kokkos::deep_copy(view, 100 * round + me);
    symm::barrier(stream, symm::team_world());
    if (is_slow) {
      std::this_thread::sleep_for(std::chrono::microseconds(500));
      stream.fence();
      EXPECT_EQ(count_equal(of_peer(view, right()), 100 * round + right()),
                view.size())
          << "round " << round;
    }
    give(block, stream);
    // What the others get meanwhile, and overwrite, is another block.
    for (auto const& other : exec) {
      auto* const next = take(pool, bytes, other);
      other.fence();
      Kokkos::deep_copy(ints(next, bytes), -1);
      give(next, other);
    }
    symm::barrier(stream, symm::team_world());
  }
  symm::barrier_all();
}

// Growth.

TEST(SymmetricPool, P05_growth_is_one_collective_call_and_equal_on_all_PEs) {
  symm::heap_trim();
  TestPool const pool;
  Exec const exec;
  auto mine         = random_of_this_pe(3);
  auto const mapped = stats().mapped_bytes;
  std::vector<char*> blocks;
  for (int i = 0; i < 5; ++i) {
    random_pause(mine);
    auto const calls    = n_calls();
    auto const reserved = pool.reserved();
    blocks.push_back(take(pool, mib, exec));
    EXPECT_EQ(n_calls() > calls, pool.reserved() > reserved);
    EXPECT_TRUE(is_equal_on_all_pes(offset_of(blocks.back())));
    EXPECT_EQ(stats().mapped_bytes, mapped + pool.reserved());
  }
  auto const calls = n_calls();
  for (auto* const block : blocks) give(block, exec);
  EXPECT_EQ(n_calls(), calls);
  EXPECT_TRUE(is_equal_on_all_pes(calls));
  symm::barrier_all();
}

class UnusedPool : public BothPools {};
SYMM_TEST_BOTH_POOLS(UnusedPool);

// What a stream has freed lies beside what no stream has used.
TEST_P(UnusedPool, P05_pieces_of_a_stream_and_of_the_pool_are_one_block) {
  TestPool const pool(GetParam());
  pool.set_policy(false, false, false);
  make_room(pool, 2 * mib);
  auto const exec = streams(1)[0];
  std::vector<char*> blocks;
  for (int i = 0; i < 4; ++i) blocks.push_back(take(pool, 256 * kib, exec));
  for (auto* const block : blocks) give(block, exec);
  symm::barrier(exec, symm::team_world());
  auto const calls    = n_calls();
  auto const reserved = pool.reserved();
  auto* const most    = take(pool, reserved - 512 * kib, exec);
  EXPECT_EQ(pool.reserved(), reserved);
  EXPECT_EQ(n_calls(), calls);
  // No more than the request needs has become the stream's.
  auto* const rest = take(pool, 512 * kib, exec);
  EXPECT_EQ(pool.reserved(), reserved);
  give(rest, exec);
  give(most, exec);
  symm::barrier_all();
}

TEST_P(UnusedPool, P05_an_unused_pool_does_not_grow_for_what_it_has) {
  TestPool const pool(GetParam());
  pool.set_policy(false, false, false);
  make_room(pool, 8 * mib);
  auto const reserved = pool.reserved();
  auto const exec     = streams(2);
  auto* const mine    = take(pool, 2 * mib, exec[0]);
  auto* const other   = take(pool, 2 * mib, exec[1]);
  give(mine, exec[0]);
  give(other, exec[1]);
  symm::barrier(exec[0], symm::team_world());
  // Nothing orders the other stream before this one: the PEs meet.
  auto* const most = take(pool, 6 * mib, exec[0]);
  EXPECT_EQ(pool.reserved(), reserved);
  give(most, exec[0]);
  symm::barrier_all();
}

class LimitedPool : public BothPools {};
SYMM_TEST_BOTH_POOLS(LimitedPool);

TEST_P(LimitedPool, P05_H17_no_more_than_the_maximum_on_any_PE) {
  constexpr std::size_t most = 4 * mib;
  TestPool const pool(GetParam(), most);
  Exec const exec;
  auto* const kept = take(pool, 3 * mib, exec);
  for (int i = 0; i < 3; ++i) {
    void* address = not_null;
    EXPECT_EQ(symm::malloc_from_pool_async(&address, 3 * mib, pool, exec),
              Status::out_of_memory);
    EXPECT_EQ(address, nullptr);
    EXPECT_THAT(symm::last_error(), HasSubstr("max_bytes = 4194304"));
    EXPECT_LE(pool.reserved(), most);
    // It works as before.
    give(take(pool, 256 * kib, exec), exec);
  }
  give(kept, exec);
  give(take(pool, 3 * mib, exec), exec);
  EXPECT_LE(pool.get(Attribute::reserved_mem_high), most);
  EXPECT_NO_THROW(symm::barrier_all());
}

TEST_P(LimitedPool, P05_the_maximum_is_rounded_up_to_whole_chunks) {
  TestPool const pool(GetParam(), 1);
  Exec const exec;
  auto* const kept = take(pool, mib, exec);
  EXPECT_EQ(pool.reserved(), 2 * mib);
  void* address = nullptr;
  EXPECT_EQ(symm::malloc_from_pool_async(&address, 2 * mib, pool, exec),
            Status::out_of_memory);
  give(kept, exec);
}

TEST_P(LimitedPool, P05_H55_at_its_maximum_a_pool_waits_for_what_was_freed) {
  TestPool const pool(GetParam(), 2 * mib);
  auto const exec   = streams(2);
  auto* const block = take(pool, 2 * mib, exec[0]);
  for (int i = 0; i < 4; ++i) {
    give(block, exec[static_cast<std::size_t>(i) % 2]);
    EXPECT_EQ(take(pool, 2 * mib, exec[static_cast<std::size_t>(i + 1) % 2]),
              block);
  }
  pool.set_policy(false, false, false);
  give(block, exec[0]);
  EXPECT_EQ(take(pool, 2 * mib, exec[1]), block)
      << "in a collective call, if it makes no dependencies";
  give(block, exec[1]);
  EXPECT_EQ(pool.reserved(), 2 * mib);
}

TEST_P(LimitedPool, P05_pieces_that_are_freed_become_one_again) {
  TestPool const pool(GetParam(), 2 * mib);
  auto const exec = streams(4);
  std::vector<char*> blocks;
  for (std::size_t i = 0; i < 8; ++i) {
    blocks.push_back(take(pool, 256 * kib, exec[i % 4]));
  }
  for (std::size_t i = 0; i < 8; ++i) give(blocks[i], exec[(i + 1) % 4]);
  give(take(pool, 2 * mib, exec[2]), exec[2]);
  EXPECT_EQ(pool.reserved(), 2 * mib);
}

}  // namespace
