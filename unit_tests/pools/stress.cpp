// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

// Random calls on symmetric pools by PEs of very different speeds, with data
// that is checked by its owner and by its peers.
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <random>
#include <vector>

#include <Kokkos_SymmetricSpace.hpp>

namespace symm_test::pool_stress {
namespace {

using Exec = Kokkos::DefaultExecutionSpace;

constexpr std::size_t n_streams = 4;
constexpr int n_steps           = 1500;

struct Block {
  std::uint64_t* data;
  std::size_t count;
  std::size_t stream;
  std::uint64_t number;
  bool is_shared = false;  // there was a barrier since it was written
};

/// Differs for every block, PE and element.
KOKKOS_FUNCTION std::uint64_t value(std::uint64_t number, symm::Pe pe,
                                    std::size_t i) {
  return (number * 64 + static_cast<std::uint64_t>(pe)) * 1'000'003 + i;
}

void fill(Exec const& exec, Block const& block) {
  auto* const data  = block.data;
  auto const number = block.number;
  auto const me     = symm::my_pe();
  Kokkos::parallel_for(
      "fill", Kokkos::RangePolicy<Exec>(exec, 0, block.count),
      KOKKOS_LAMBDA(std::size_t i) { data[i] = value(number, me, i); });
}

/// Adds what is wrong of the copy of `pe` to `n_wrong`.
void check(Exec const& exec, Block const& block, symm::Pe pe,
           Kokkos::View<std::uint64_t, Exec::memory_space> const& n_wrong) {
  auto const* const data = symm::ptr(block.data, pe);
  auto const number      = block.number;
  Kokkos::parallel_for(
      "check", Kokkos::RangePolicy<Exec>(exec, 0, block.count),
      KOKKOS_LAMBDA(std::size_t i) {
        if (data[i] != value(number, pe, i)) Kokkos::atomic_inc(&n_wrong());
      });
}

TEST(PoolStress, P02_P03_random_calls_of_pes_at_different_speeds) {
  auto const streams =
      Kokkos::Experimental::partition_space(Exec(), 1, 1, 1, 1);
  Kokkos::View<std::uint64_t, Exec::memory_space> const n_wrong("wrong");
  symm::MemPool pool;
  symm::MemPoolProperties properties;
  properties.max_bytes = std::size_t{16} << 20U;
  ASSERT_EQ(symm::mem_pool_create(&pool, properties), symm::Status::success);
  std::uint64_t const threshold = properties.max_bytes;
  EXPECT_EQ(symm::mem_pool_set_attribute(
                pool, symm::MemPoolAttribute::release_threshold, &threshold),
            symm::Status::success);

  std::mt19937_64 calls(4711);  // the same on all PEs
  std::mt19937_64 own(static_cast<std::uint64_t>(symm::my_pe()));
  std::vector<Block> blocks;
  std::uint64_t n_blocks     = 0;
  std::size_t latest_barrier = 0;  // its stream
  auto const random = [&](std::size_t below) { return calls() % below; };
  auto const end    = [&](std::size_t i) {
    auto const block = blocks[i];
    blocks[i]        = blocks.back();
    blocks.pop_back();
    auto const& exec = streams[block.stream];
    check(exec, block, symm::my_pe(), n_wrong);
    if (block.is_shared) {
      check(exec, block, (symm::my_pe() + 1) % symm::n_pes(), n_wrong);
    }
    EXPECT_EQ(symm::free_async(block.data, exec), symm::Status::success)
        << symm::last_error();
  };
  for (int step = 0; step < n_steps; ++step) {
    // Some PEs are far ahead, others of others.
    if (own() % 64 == 0) ::usleep(static_cast<unsigned>(own() % 3000));
    auto const stream = random(n_streams);
    auto const& exec  = streams[stream];
    auto const action = random(100);
    if (action < 45) {
      auto const count = 1 + random(std::size_t{1} << random(17));
      void* data       = nullptr;
      auto const status =
          symm::malloc_from_pool_async(&data, 8 * count, pool, exec);
      if (status == symm::Status::success) {
        blocks.push_back(
            {static_cast<std::uint64_t*>(data), count, stream, ++n_blocks});
        fill(exec, blocks.back());
      } else {
        EXPECT_EQ(status, symm::Status::out_of_memory) << symm::last_error();
        if (!blocks.empty()) end(random(blocks.size()));
      }
    } else if (action < 80) {
      if (!blocks.empty()) end(random(blocks.size()));
    } else if (action < 90) {
      // Barriers of one team come one after the other.
      EXPECT_EQ(symm::order_after(exec, streams[latest_barrier]),
                symm::Status::success);
      latest_barrier = stream;
      symm::barrier(exec, symm::team_world());
      for (auto& block : blocks) block.is_shared |= block.stream == stream;
    } else if (action < 96) {
      auto const earlier = random(n_streams);
      EXPECT_EQ(symm::order_after(exec, streams[earlier]),
                symm::Status::success);
      for (auto& block : blocks) {
        if (block.stream == earlier) block.stream = stream;
      }
    } else if (action < 99) {
      symm::barrier_all();
    } else {
      static_cast<void>(symm::heap_trim());
      for (auto& block : blocks) block.is_shared = true;
    }
  }
  while (!blocks.empty()) end(0);
  static_cast<void>(symm::heap_trim());
  EXPECT_EQ(symm::mem_pool_trim_to(pool, 0), symm::Status::success);
  std::uint64_t reserved = 1;
  EXPECT_EQ(symm::mem_pool_get_attribute(
                pool, symm::MemPoolAttribute::reserved_mem_current, &reserved),
            symm::Status::success);
  EXPECT_EQ(reserved, 0U);
  EXPECT_EQ(symm::mem_pool_destroy(pool), symm::Status::success);
  auto const wrong =
      Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), n_wrong);
  EXPECT_EQ(wrong(), 0U);
}

}  // namespace
}  // namespace symm_test::pool_stress
