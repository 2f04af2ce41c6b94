// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

// The heap when the system refuses something on one PE only.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <support/ForkedPes.hpp>
#include <support/PeStack.hpp>
#include <support/ProcessResources.hpp>

#include <array>
#include <cstddef>
#include <sstream>
#include <string>

#include <runtime/base/Failure.hpp>
#include <runtime/heap/SymmetricHeap.hpp>

namespace symm_test::heap_faults {
namespace {

using symm::HeapStats;
using symm::Pe;
using symm::Impl::Bootstrap;
using testing::HasSubstr;
using testing::Not;

constexpr std::size_t mib = std::size_t{1} << 20U;
constexpr Pe failing      = 1;
constexpr int n_pes       = 3;

/// A heap of one PE, on memory that can be made to fail.
struct HeapStack : PeStack {
  explicit HeapStack(Bootstrap& its_bootstrap,
                     symm::Impl::HeapOptions const& options = {false, 0,
                                                               256 * mib})
      : PeStack(its_bootstrap),
        bootstrap(its_bootstrap),
        heap(vmm, exchange, bootstrap, rendezvous, options) {}

  /// From now on, `step` fails on one PE.
  void fail(VmmStep step, int first = 0, int times = 1'000'000) {
    if (bootstrap.my_pe() == failing) vmm.fail(step, first, times);
  }

  [[nodiscard]] HeapStats stats() const { return heap.stats(); }

  Bootstrap& bootstrap;
  symm::Impl::SymmetricHeap heap;
};

/// All statistics but the number of calls.
std::string text_of(HeapStats const& stats) {
  std::ostringstream out;
  out << stats.live_blocks << " live blocks, bytes: live " << stats.live_bytes
      << ", free " << stats.free_bytes << ", largest free "
      << stats.largest_free_bytes << ", mapped " << stats.mapped_bytes << " in "
      << stats.n_chunks << " chunks, limit " << stats.limit_bytes
      << ", retired blocks " << stats.retired_blocks;
  return out.str();
}

void expect_stats(HeapStack const& stack, HeapStats const& expected) {
  EXPECT_EQ(text_of(stack.stats()), text_of(expected));
}

void expect_equal_on_all_pes(HeapStack& stack) {
  for (auto const& stats :
       symm::Impl::allgather(stack.bootstrap, stack.stats())) {
    expect_stats(stack, stats);
  }
}

/// Differs for every sender, receiver and element.
char value(Pe from, Pe to, std::size_t i) {
  return static_cast<char>(from * 32 + to * 8 + static_cast<int>(i % 7));
}

/// Every PE reaches every PE's copy of the whole block, which is at the same
/// offset everywhere, and no neighbor's.
void expect_usable(HeapStack& stack, void* block, std::size_t bytes) {
  ASSERT_NE(block, nullptr);
  auto const& map = stack.heap.map();
  for (auto const offset :
       symm::Impl::allgather(stack.bootstrap, map.offset_of(block))) {
    ASSERT_EQ(offset, map.offset_of(block));
  }
  Pe const to        = (map.my_pe + 1) % map.n_pes;
  Pe const from      = (map.my_pe + map.n_pes - 1) % map.n_pes;
  char* const mine   = static_cast<char*>(block);
  char* const theirs = map.peer_ptr(mine, to);
  auto const step    = bytes < mib ? std::size_t{1} : std::size_t{61};
  for (std::size_t i = 0; i < bytes; i += step) {
    theirs[i] = value(map.my_pe, to, i);
  }
  stack.bootstrap.barrier();
  for (std::size_t i = 0; i < bytes; i += step) {
    ASSERT_EQ(mine[i], value(from, map.my_pe, i)) << i;
  }
  stack.bootstrap.barrier();
}

std::string failure_text(HeapStack& stack,
                         void* (*call)(symm::Impl::SymmetricHeap&)) {
  auto const failure = symm::Impl::failure_of([&] { call(stack.heap); });
  EXPECT_TRUE(failure) << "on every PE";
  if (!failure) return "";
  EXPECT_EQ(failure->kind, symm::Impl::ErrorKind::out_of_memory);
  return failure->message;
}

class HeapGrowthFaults : public testing::TestWithParam<VmmStep> {};

TEST_P(HeapGrowthFaults, M34_M48_growth_that_fails_on_one_pe_fails_on_all) {
  expect_on_pes(n_pes, [](Bootstrap& bootstrap) {
    HeapStack stack(bootstrap);
    void* const old        = stack.heap.malloc(100'000);
    auto const before      = stack.stats();
    auto const descriptors = n_open_descriptors();
    auto const mappings    = n_memfd_mappings("symm");
    // The second peer's memory; the first one's is mapped by then.
    bool const is_of_peer = GetParam() == VmmStep::import_handle;
    std::string const why = is_of_peer ? "PE 1 (host memory) cannot map the "
                                         "memory of PE 2 (host memory): "
                                       : "";
    for (int round = 0; round < 3; ++round) {
      stack.fail(GetParam(), is_of_peer ? 1 : 0);
      auto const text =
          failure_text(stack, [](symm::Impl::SymmetricHeap& heap) {
            return heap.malloc(16 * mib);
          });
      stack.vmm.heal();
      EXPECT_THAT(text, HasSubstr("symm::malloc(bytes = 16777216)"));
      EXPECT_THAT(text,
                  HasSubstr("PE 1 failed: " + why + "an injected failure"));
      expect_stats(stack, before);
      expect_equal_on_all_pes(stack);
      EXPECT_EQ(n_open_descriptors(), descriptors);
      EXPECT_EQ(n_memfd_mappings("symm"), mappings);
    }
    void* const next = stack.heap.malloc(16 * mib);
    expect_usable(stack, next, 16 * mib);
    expect_usable(stack, old, 100'000);
    expect_equal_on_all_pes(stack);
    stack.heap.free(next);
    stack.heap.free(old);
    static_cast<void>(stack.heap.finalize());
  });
}

INSTANTIATE_TEST_SUITE_P(Steps, HeapGrowthFaults,
                         testing::Values(VmmStep::create, VmmStep::map,
                                         VmmStep::set_access,
                                         VmmStep::export_handle,
                                         VmmStep::import_handle));

TEST_P(HeapGrowthFaults, M48_what_cannot_be_undone_costs_its_addresses_only) {
  expect_on_pes(n_pes, [](Bootstrap& bootstrap) {
    HeapStack stack(bootstrap);
    void* const old   = stack.heap.malloc(100'000);
    auto const before = stack.stats();
    if (bootstrap.my_pe() == failing) stack.vmm.fail_with_undo(GetParam());
    auto const text = failure_text(stack, [](symm::Impl::SymmetricHeap& heap) {
      return heap.malloc(16 * mib);
    });
    stack.vmm.heal();
    EXPECT_THAT(text, HasSubstr("an injected failure"));
    EXPECT_THAT(text, Not(HasSubstr("unmapping"))) << "the first is told";
    expect_stats(stack, before);
    expect_equal_on_all_pes(stack);
    void* const next = stack.heap.malloc(16 * mib);
    expect_usable(stack, next, 16 * mib);
    expect_usable(stack, old, 100'000);
    expect_equal_on_all_pes(stack);
    static_cast<void>(stack.heap.finalize());
  });
}

TEST(HeapFaults, M34_align_calloc_and_views_fail_on_all_pes_too) {
  expect_on_pes(n_pes, [](Bootstrap& bootstrap) {
    HeapStack stack(bootstrap);
    auto const before = stack.stats();
    stack.fail(VmmStep::create);
    EXPECT_THAT(failure_text(stack,
                             [](symm::Impl::SymmetricHeap& heap) {
                               return heap.align(4096, mib);
                             }),
                HasSubstr("alignment = 4096"));
    EXPECT_THAT(failure_text(stack,
                             [](symm::Impl::SymmetricHeap& heap) {
                               return heap.calloc(1024, 1024);
                             }),
                HasSubstr("count = 1024"));
    EXPECT_THAT(failure_text(stack,
                             [](symm::Impl::SymmetricHeap& heap) {
                               return heap.allocate_view("flux", mib, 256, 128);
                             }),
                HasSubstr("\"flux\""));
    expect_stats(stack, before);
    stack.vmm.heal();
    expect_usable(stack, stack.heap.calloc(1024, 1024), mib);
    static_cast<void>(stack.heap.finalize());
  });
}

TEST(HeapFaults, S06_a_realloc_that_fails_leaves_the_block_as_it_was) {
  expect_on_pes(n_pes, [](Bootstrap& bootstrap) {
    HeapStack stack(bootstrap);
    constexpr std::size_t bytes = 50'000;
    auto* const block           = static_cast<char*>(stack.heap.malloc(bytes));
    Pe const me                 = bootstrap.my_pe();
    for (std::size_t i = 0; i < bytes; ++i) block[i] = value(me, me, i);
    auto const before = stack.stats();
    stack.fail(VmmStep::map);
    auto const failure =
        symm::Impl::failure_of([&] { stack.heap.realloc(block, 64 * mib); });
    stack.vmm.heal();
    ASSERT_TRUE(failure) << "on every PE";
    EXPECT_EQ(failure->kind, symm::Impl::ErrorKind::out_of_memory);
    expect_stats(stack, before);
    for (std::size_t i = 0; i < bytes; ++i) {
      ASSERT_EQ(block[i], value(me, me, i));
    }
    auto* const moved = static_cast<char*>(stack.heap.realloc(block, 64 * mib));
    for (std::size_t i = 0; i < bytes; ++i) {
      ASSERT_EQ(moved[i], value(me, me, i));
    }
    stack.heap.free(moved);
    expect_equal_on_all_pes(stack);
    static_cast<void>(stack.heap.finalize());
  });
}

TEST(HeapFaults, a_smaller_chunk_does_where_a_larger_one_is_not_to_be_had) {
  expect_on_pes(n_pes, [](Bootstrap& bootstrap) {
    HeapStack stack(bootstrap);
    void* const large = stack.heap.malloc(32 * mib);
    auto const before = stack.stats();
    stack.fail(VmmStep::create, 0, 1);  // the chunk with room for later
    void* const small = stack.heap.malloc(mib);
    EXPECT_EQ(stack.stats().n_chunks, before.n_chunks + 1);
    EXPECT_LT(stack.stats().mapped_bytes, before.mapped_bytes + 16 * mib);
    expect_usable(stack, small, mib);
    expect_usable(stack, large, 32 * mib);
    expect_equal_on_all_pes(stack);
    static_cast<void>(stack.heap.finalize());
  });
}

TEST(HeapFaults, a_trim_that_fails_on_one_pe_leaves_the_heaps_equal) {
  expect_on_pes(n_pes, [](Bootstrap& bootstrap) {
    HeapStack stack(bootstrap);
    std::array<void*, 4> blocks{};
    for (auto& block : blocks) block = stack.heap.malloc(32 * mib);
    EXPECT_GT(stack.stats().n_chunks, 2U);
    void* const kept = blocks[0];
    for (std::size_t i = 1; i < blocks.size(); ++i) stack.heap.free(blocks[i]);
    stack.fail(VmmStep::unmap, 0, 1);
    auto const failure = symm::Impl::failure_of([&] { stack.heap.trim(); });
    stack.vmm.heal();
    ASSERT_TRUE(failure) << "on every PE";
    EXPECT_THAT(failure->message, HasSubstr("symm::heap_trim: PE 1 failed"));
    expect_equal_on_all_pes(stack);
    EXPECT_EQ(stack.stats().n_chunks, 1U) << "the others are gone";
    EXPECT_FALSE(stack.heap.is_mapped(blocks[1], 1));
    // Allocations go on, at the same offsets.
    for (int i = 0; i < 4; ++i) {
      void* block = nullptr;
      EXPECT_NO_THROW(block = stack.heap.malloc(32 * mib));
      if (block != nullptr) expect_usable(stack, block, 2 * mib);
    }
    EXPECT_NO_THROW(stack.heap.trim()) << "what is lost stays so";
    expect_usable(stack, kept, 32 * mib);
    expect_equal_on_all_pes(stack);
    static_cast<void>(stack.heap.finalize());
  });
}

/// Makes a step of the start of a heap with memory fail on one PE.
void expect_start_fails(VmmStep step) {
  expect_on_pes(n_pes, [step](Bootstrap& bootstrap) {
    PeStack stack(bootstrap);
    auto const descriptors = n_open_descriptors();
    if (bootstrap.my_pe() == failing) stack.vmm.fail(step);
    auto const start = [&] {
      symm::Impl::SymmetricHeap heap(stack.vmm, stack.exchange, bootstrap,
                                     stack.rendezvous,
                                     {true, 4 * mib, 4 * mib});
      static_cast<void>(heap.finalize());
    };
    auto const failure = symm::Impl::failure_of(start);
    stack.vmm.heal();
    ASSERT_TRUE(failure) << "on every PE";
    EXPECT_THAT(failure->message, HasSubstr("PE 1 failed: an injected"));
    EXPECT_EQ(n_open_descriptors(), descriptors);
    EXPECT_FALSE(symm::Impl::failure_of(start)) << "another try works";
  });
}

TEST(HeapFaults, M34_a_start_without_addresses_on_one_pe_fails_on_all) {
  expect_start_fails(VmmStep::reserve);
}

TEST(HeapFaults, M34_a_start_without_memory_on_one_pe_fails_on_all) {
  expect_start_fails(VmmStep::create);
}

}  // namespace
}  // namespace symm_test::heap_faults
