// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

// Pools on streams of GPUs: kernels that are late find out what is used again
// too early.

#include <gtest/gtest.h>

#include <Kokkos_SymmetricSpace.hpp>

#include "gpu_streams.hpp"

namespace symm_test::gpu_pools {
namespace {

using symm::MemoryKind;
using symm::MemPoolKind;
using symm::Status;

symm::MemPoolProperties local(std::size_t max_bytes = 0) {
  return {.kind      = MemPoolKind::local,
          .memory    = MemoryKind::device,
          .max_bytes = max_bytes};
}
symm::MemPoolProperties symmetric(std::size_t max_bytes = 0) {
  return {.memory = MemoryKind::device, .max_bytes = max_bytes};
}

/// Two streams that are kept, on which kernels have run.
class CudaPools : public testing::Test {
 protected:
  CudaPools() {
    for (auto const& stream : m_streams) {
      Kokkos::View<int, GpuSpace> const one("one");
      store_late(stream, one.data(), 0, 0, 1);
      m_wrong.check_for(stream, one.data(), 0, 0, 1);
      stream.fence();
    }
  }

  /// What was put into `late` before may not disturb what `again` has next.
  void expect_undisturbed(Gpu const& again, char* block) {
    store_late(again, block, 2);
    m_wrong.check_for(again, block, 2, late_ms / 2);
    EXPECT_EQ(m_wrong.count(), 0);
  }

  std::vector<Gpu> m_streams = make_streams(2);
  Gpu const& m_first         = m_streams[0];
  Gpu const& m_second        = m_streams[1];
  WrongElements m_wrong;
};

TEST_F(CudaPools, H02_the_same_stream_uses_a_block_again_at_once) {
  auto const pool   = make_pool(local());
  auto* const block = allocate(pool, m_first);
  char* again       = nullptr;
  {
    NoWait const no_wait;
    store_late(m_first, block, 1, late_ms);
    release(block, m_first);
    again = allocate(pool, m_first);
  }
  EXPECT_EQ(again, block);
  expect_undisturbed(m_first, again);
  release(again, m_first);
  end_pool(pool);
}

TEST_F(CudaPools, H52_another_stream_does_so_behind_order_after) {
  auto const pool = make_pool(local());
  set_policy(pool, true, false, false);
  auto* const block = allocate(pool, m_first);
  char* other       = nullptr;
  char* again       = nullptr;
  {
    NoWait const no_wait;
    store_late(m_first, block, 1, late_ms);
    release(block, m_first);
    other = allocate(pool, m_second);
    EXPECT_EQ(symm::order_after(m_second, m_first), Status::success)
        << symm::last_error();
    again = allocate(pool, m_second);
  }
  EXPECT_NE(other, block);
  EXPECT_EQ(again, block);
  expect_undisturbed(m_second, again);
  release(other, m_second);
  release(again, m_second);
  end_pool(pool);
}

TEST_F(CudaPools, H54_another_stream_does_so_when_the_first_is_idle) {
  auto const pool = make_pool(local(chunk));
  set_policy(pool, true, true, false);
  auto* const block = allocate(pool, m_first, chunk);
  store_late(m_first, block, 1, late_ms);
  release(block, m_first);
  m_first.fence();
  Kokkos::View<int, GpuSpace> const one("one");
  store_late(Gpu(), one.data(), 1, late_ms, 1);  // not waited for
  char* again = nullptr;
  {
    NoWait const no_wait;
    again = allocate(pool, m_second, chunk);
  }
  EXPECT_EQ(again, block);
  Kokkos::fence();
  expect_undisturbed(m_second, again);
  release(again, m_second);
  end_pool(pool);
}

TEST_F(CudaPools, H55_another_stream_is_made_to_wait_where_there_is_no_room) {
  auto const pool = make_pool(local(chunk));
  set_policy(pool, false, false, true);
  auto* const block = allocate(pool, m_first, chunk);
  char* again       = nullptr;
  {
    NoWait const no_wait;
    store_late(m_first, block, 1, late_ms);
    release(block, m_first);
    again = allocate(pool, m_second, chunk);
  }
  EXPECT_EQ(again, block);
  expect_undisturbed(m_second, again);
  release(again, m_second);
  end_pool(pool);
}

TEST_F(CudaPools, without_any_of_them_growth_waits_for_kernels) {
  auto const pool = make_pool(local(chunk));
  set_policy(pool, false, false, false);
  auto* const block = allocate(pool, m_first, chunk);
  store_late(m_first, block, 1, late_ms);
  release(block, m_first);
  auto* const again = allocate(pool, m_second, chunk);
  EXPECT_EQ(again, block);
  expect_undisturbed(m_second, again);
  release(again, m_second);
  end_pool(pool);
}

/// What the PE's elements are in a round.
int value_of(symm::Pe pe, int round) { return 100 * (pe + 1) + round; }

/// In each round some PEs' kernels are late.
int delay_of(symm::Pe pe, int round) {
  return (pe + round) % 2 == 0 ? late_ms / 2 : 0;
}

TEST_F(CudaPools, P03_a_block_is_reused_behind_a_barrier_of_the_stream) {
  auto const pool      = make_pool(symmetric());
  auto const me        = symm::my_pe();
  auto const world     = symm::team_world();
  char* const expected = allocate(pool, m_first);
  release(expected, m_first);
  symm::barrier_all();
  for (int round = 0; round < 6; ++round) {
    symm::barrier(m_first, world);  // behind the release
    auto* const block = allocate(pool, m_first);
    EXPECT_LE(block, expected + pool_bytes) << "the test shows too little";
    store_late(m_first, block, value_of(me, round), delay_of(me, round));
    symm::barrier(m_first, world);
    m_wrong.check_for(m_first, symm::ptr(block, right()),
                      value_of(right(), round), delay_of(me, round + 1));
    release(block, m_first);
    if (symm::n_pes() > 1) {
      // Peers may still be at it.
      auto* const other = allocate(pool, m_first);
      EXPECT_NE(other, block);
      store_late(m_first, other, -1);
      release(other, m_first);
    }
  }
  EXPECT_EQ(m_wrong.count(), 0);
  end_pool(pool);
}

TEST_F(CudaPools, P03_H55_a_pool_without_room_makes_such_a_barrier) {
  auto const pool = make_pool(symmetric(chunk));
  auto const me   = symm::my_pe();
  char* first     = nullptr;
  symm::barrier_all();
  for (int round = 0; round < 6; ++round) {
    auto const& exec  = m_streams[static_cast<std::size_t>(round / 2 % 2)];
    auto* const block = allocate(pool, exec, chunk);
    if (round == 0) first = block;
    EXPECT_EQ(block, first);
    store_late(exec, block, value_of(me, round), delay_of(me, round));
    symm::barrier(exec, symm::team_world());
    m_wrong.check_for(exec, symm::ptr(block, right()), value_of(right(), round),
                      delay_of(me, round + 1));
    release(block, exec);
  }
  EXPECT_EQ(m_wrong.count(), 0);
  end_pool(pool);
}

TEST_F(CudaPools, P03_idle_streams_are_agreed_upon_by_barrier_all) {
  auto const pool = make_pool(symmetric());
  set_policy(pool, false, true, false);
  auto* const block = allocate(pool, m_first);
  release(block, m_first);
  Kokkos::fence();
  symm::barrier_all();
  EXPECT_EQ(allocate(pool, m_second), block) << "idle on all PEs";
  // On PE 0 it is not.
  release(block, m_second);
  if (symm::my_pe() == 0) {
    Kokkos::View<int, GpuSpace> const one("one");
    store_late(m_second, one.data(), 1, late_ms, 1);
    symm::barrier_all();
    m_second.fence();
  } else {
    symm::barrier_all();
  }
  auto* const other = allocate(pool, m_first);
  EXPECT_NE(other, block);
  release(other, m_first);
  end_pool(pool);
}

TEST_F(CudaPools, a_stream_and_an_instance_of_it_are_one_stream) {
  gpuStream_t stream = nullptr;
  EXPECT_EQ(gpuStreamCreate(&stream), gpuSuccess);
  auto const pool = make_pool(local());
  set_policy(pool, false, false, false);
  {
    Gpu const instance(stream);
    Gpu const another(stream);
    void* const raw   = stream;
    auto* const block = allocate(pool, raw);
    store_late(instance, block, 1, late_ms);
    release(block, instance);
    EXPECT_EQ(allocate(pool, another), block);
    expect_undisturbed(another, block);
    release(block, raw);
    auto* const next = allocate(pool, raw);
    EXPECT_EQ(next, block);
    release(next, raw);
  }
  // The default one, and Kokkos' instance of it.
  {
    Gpu const instance(gpuStream_t{nullptr});
    void* const none  = nullptr;
    auto* const block = allocate(pool, none);
    store_late(instance, block, 1, late_ms);
    release(block, instance);
    EXPECT_EQ(allocate(pool, none), block);
    release(block, none);
  }
  end_pool(pool);
  EXPECT_EQ(gpuStreamDestroy(stream), gpuSuccess);
}

TEST_F(CudaPools, the_current_pool_serves_streams_without_Kokkos) {
  void* block = nullptr;
  EXPECT_EQ(symm::malloc_async(&block, pool_bytes), Status::success)
      << symm::last_error();
  EXPECT_EQ(gpuMemsetAsync(block, 7, pool_bytes, nullptr), gpuSuccess);
  EXPECT_EQ(symm::free_async(block), Status::success) << symm::last_error();
  symm::heap_trim();
}

}  // namespace
}  // namespace symm_test::gpu_pools
