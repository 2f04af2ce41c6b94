// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

// Thousands of cycles of the heap leave nothing behind.

#include <gtest/gtest.h>
#include <support/ForkedPes.hpp>
#include <support/PeStack.hpp>
#include <support/ProcessResources.hpp>
#include <support/Sanitizers.hpp>

#include <array>
#include <cstddef>
#include <functional>
#include <vector>

#include <runtime/base/Failure.hpp>
#include <runtime/heap/SymmetricHeap.hpp>

namespace symm_test {
namespace {

using symm::Pe;
using symm::Impl::Bootstrap;
using symm::Impl::SymmetricHeap;

constexpr std::size_t mib = std::size_t{1} << 20U;

/// What a process holds.
struct Holdings {
  std::size_t descriptors = n_open_descriptors();
  std::size_t memories = n_memfd_descriptors("symm") + n_memfd_mappings("symm");
  std::size_t mappings = 0;
  std::size_t private_bytes = private_resident_bytes();

  explicit Holdings(symm::HeapMap const& map)
      : mappings(n_mappings_in(
            map.base, map.stride * static_cast<std::size_t>(map.n_pes))) {}
};

void expect_balanced(Holdings const& before, Holdings const& after) {
  EXPECT_EQ(after.descriptors, before.descriptors);
  EXPECT_EQ(after.memories, before.memories);
  EXPECT_EQ(after.mappings, before.mappings);
  if (is_sanitized) return;
  EXPECT_LT(after.private_bytes, before.private_bytes + mib / 2);
}

/// Runs `cycle` on a new heap again and again, and looks at what the process
/// holds after a few cycles and at the end.
void expect_nothing_leaks(
    int n_pes, int n_cycles,
    std::function<void(PeStack&, SymmetricHeap&, int)> const& cycle) {
  expect_on_pes(n_pes, [&](Bootstrap& bootstrap) {
    PeStack stack(bootstrap);
    SymmetricHeap heap(stack.vmm, stack.exchange, bootstrap, stack.rendezvous,
                       {false, 0, 256 * mib});
    constexpr int n_warm_up = 20;
    for (int i = 0; i < n_warm_up; ++i) cycle(stack, heap, i);
    Holdings const before(heap.map());
    auto const stats = heap.stats();
    for (int i = 0; i < fewer_if_sanitized(n_cycles); ++i) {
      cycle(stack, heap, i);
      ASSERT_FALSE(testing::Test::HasFailure()) << "in cycle " << i;
    }
    expect_balanced(before, Holdings(heap.map()));
    EXPECT_EQ(heap.stats().live_blocks, stats.live_blocks);
    EXPECT_EQ(heap.stats().mapped_bytes, stats.mapped_bytes);
    static_cast<void>(heap.finalize());
  });
}

TEST(HeapCycles, R16_growth_and_trim_cycles_leak_nothing) {
  expect_nothing_leaks(2, 2000, [](PeStack&, SymmetricHeap& heap, int i) {
    auto const size_step = static_cast<std::size_t>(i % 5);
    auto* const first  = static_cast<char*>(heap.malloc(mib * (1 + size_step)));
    auto* const second = static_cast<char*>(heap.malloc(3 * mib));
    // Touched by both PEs: the memory is really there, and really goes.
    first[0]                                           = 'x';
    *heap.map().peer_ptr(second, 1 - heap.map().my_pe) = 'y';
    EXPECT_GE(heap.stats().n_chunks, 1U);
    heap.free(first);
    heap.free(second);
    EXPECT_GE(heap.trim(), 4 * mib);
    EXPECT_EQ(heap.stats().mapped_bytes, 0U);
  });
}

TEST(HeapCycles, R16_cycles_with_a_chunk_that_stays_leak_nothing) {
  expect_nothing_leaks(3, 300, [](PeStack&, SymmetricHeap& heap, int i) {
    static void* kept = heap.malloc(64);
    ASSERT_NE(kept, nullptr);
    auto* const block = heap.malloc(8 * mib);
    if (i % 2 == 0) {
      heap.free(kept);
      kept = heap.malloc(64);
    }
    heap.free(block);
    heap.trim();
  });
}

TEST(HeapCycles, R16_growth_that_fails_leaks_nothing) {
  expect_nothing_leaks(2, 500, [](PeStack& stack, SymmetricHeap& heap, int i) {
    constexpr std::array steps{VmmStep::create, VmmStep::export_handle,
                               VmmStep::map, VmmStep::set_access,
                               VmmStep::import_handle};
    if (heap.map().my_pe == i % 2) {
      stack.vmm.fail(steps[static_cast<std::size_t>(i) % steps.size()]);
    }
    EXPECT_TRUE(symm::Impl::failure_of(
        [&] { static_cast<void>(heap.malloc(4 * mib)); }));
    stack.vmm.heal();
    void* const block = heap.malloc(4 * mib);
    heap.free(block);
    heap.trim();
  });
}

// More Views than one call can tell of, retired in another order on each PE.
TEST(HeapCycles, R16_retired_views_leave_nothing_and_come_back_equal) {
  constexpr std::size_t n_views = 3 * symm::Impl::Rendezvous::max_notices + 7;
  expect_nothing_leaks(3, 8, [](PeStack&, SymmetricHeap& heap, int i) {
    std::vector<void*> views;
    for (std::size_t view = 0; view < n_views; ++view) {
      views.push_back(heap.allocate_view("view", 64 + 16 * (view % 5), 16, 0));
    }
    auto const start = static_cast<std::size_t>(i + heap.map().my_pe * 500);
    for (std::size_t view = 0; view < n_views; ++view) {
      heap.retire(views[(view + start) % n_views]);
    }
    heap.trim();
    EXPECT_EQ(heap.stats().live_blocks, 0U);
    EXPECT_EQ(heap.stats().retired_blocks, 0U);
    EXPECT_EQ(heap.stats().mapped_bytes, 0U);
  });
}

}  // namespace
}  // namespace symm_test
