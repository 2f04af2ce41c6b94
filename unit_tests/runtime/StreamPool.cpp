// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

// What the model would find too seldom.

#include <gtest/gtest.h>
#include <malloc.h>

#include <cstddef>

#include "SimulatedPes.hpp"

namespace symm_test::stream_pool {
namespace {

using simulated::SimulatedHeap;
using simulated::SimulatedPe;

struct Local : SimulatedPe {
  explicit Local(symm::MemPoolKind kind = symm::MemPoolKind::local,
                 int n_pes              = 1)
      : SimulatedPe(0, n_pes, 3) {
    symm::MemPoolProperties properties;
    properties.kind = kind;
    make_pool(properties);
    pools[0]->policy().allow_opportunistic = false;
    pools[0]->policy().release_threshold   = SimulatedHeap::limit;
    // The pool takes its memory.
    free(0, 0, allocate(0, std::size_t{1} << 19U));
    call_heap();
  }
  std::size_t allocate(std::size_t stream, std::size_t bytes) {
    return heap.map().offset_of(malloc(0, stream, bytes, 0));
  }
};

TEST(StreamPool, what_waits_takes_no_more_memory_the_longer_the_program_runs) {
  Local pe(symm::MemPoolKind::symmetric, 2);
  // The barrier comes before free(): the latest block always waits.
  auto const loop = [&](int n) {
    for (int i = 0; i < n; ++i) {
      auto const block = pe.allocate(1, 256);
      pe.barrier(1);
      pe.free(0, 1, block);
      pe.clock.meetings.clear();
    }
  };
  loop(1000);
  auto const before = ::mallinfo2();
  loop(100'000);
  auto const after = ::mallinfo2();
  EXPECT_LT(after.uordblks + after.hblkhd,
            before.uordblks + before.hblkhd + 10'000);
}

TEST(StreamPool, H54_a_stream_that_was_found_idle_is_not_asked_again) {
  Local pe(symm::MemPoolKind::symmetric, 2);
  auto& pool                        = *pe.pools[0];
  pool.policy().allow_opportunistic = true;
  EXPECT_EQ(pool.streams_to_watch(), 0U);
  pe.free(0, 1, pe.allocate(1, 256));
  auto const asked = pool.streams_to_watch();
  EXPECT_NE(asked, 0U);
  pe.order.were_idle(asked);
  EXPECT_EQ(pool.streams_to_watch(), 0U) << "nothing was freed since";
  pe.free(0, 1, pe.allocate(1, 256));
  EXPECT_EQ(pool.streams_to_watch(), asked);
}

TEST(StreamPool, H02_what_a_stream_took_over_is_behind_what_it_waited_for) {
  Local pe;
  pe.pools[0]->policy().allow_internal_dependencies = false;
  auto const size                                   = std::size_t{1} << 18U;
  // Stream 1 has some memory of its own, which stream 2 may use.
  pe.free(0, 1, pe.allocate(1, 512));
  pe.free(0, 1, pe.allocate(1, 256));
  pe.order_after(2, 1);
  // It takes over what stream 0 had, of which stream 2 knows nothing.
  auto const block = pe.allocate(0, size);
  pe.free(0, 0, block);
  static_cast<void>(pe.allocate(0, 256));  // it is in the arena of stream 0
  pe.order_after(1, 0);
  auto const n_meetings = pe.clock.meetings.size();
  auto const some       = pe.allocate(1, size / 2);
  EXPECT_LT(some, block + size) << "taken over, and the other half with it";
  auto const other = pe.allocate(2, size / 4);
  EXPECT_GE(other, block + size);
  EXPECT_EQ(pe.clock.meetings.size(), n_meetings) << "no growth";
}

}  // namespace
}  // namespace symm_test::stream_pool
