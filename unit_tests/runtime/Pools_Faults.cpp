// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

// Symmetric pools when something is missing on one PE only.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <support/ForkedPes.hpp>
#include <support/PeStack.hpp>

#include <csignal>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include <runtime/base/Failure.hpp>
#include <runtime/heap/SymmetricHeap.hpp>
#include <runtime/job/Runtime.hpp>
#include <runtime/pools/Stream.hpp>
#include <runtime/pools/StreamOrder.hpp>
#include <runtime/pools/StreamPool.hpp>
#include <runtime/symm_job.hpp>
#include <runtime/symm_pools.hpp>

namespace symm_test::pools_faults {
namespace {

using symm::Pe;
using symm::Status;
using symm::Impl::Bootstrap;
using symm::Impl::Runtime;
using testing::HasSubstr;

constexpr std::size_t mib = std::size_t{1} << 20U;
constexpr Pe failing      = 1;
constexpr int n_pes       = 3;

/// A pool on memory that can be made to fail.
struct PoolStack : PeStack {
  explicit PoolStack(Bootstrap& bootstrap)
      : PeStack(bootstrap),
        heap(vmm, exchange, bootstrap, rendezvous, {false, 0, 256 * mib}),
        order(bootstrap.n_pes()),
        pool(1, {}, heap, order),
        stream(order.number_of(
            {&clock,
             [](void const*) -> std::unique_ptr<symm::Impl::Stream> {
               return nullptr;  // no call needs it
             },
             nullptr, nullptr})) {}

  /// Null if there is no memory.
  char* malloc(std::size_t bytes) {
    auto* const block = pool.take(stream, bytes, 0, "");
    if (block != nullptr) return block;
    pool.grow(bytes, 0, "");
    return pool.take(stream, bytes, 0, "");
  }

  symm::Impl::SymmetricHeap heap;
  int clock = 0;
  symm::Impl::StreamOrder order;
  symm::Impl::StreamPool pool;
  std::uint32_t stream;
};

class PoolGrowthFaults : public testing::TestWithParam<VmmStep> {};

TEST_P(PoolGrowthFaults, P05_growth_that_one_pe_is_refused_fails_on_all) {
  expect_on_pes(n_pes, [](Bootstrap& bootstrap) {
    PoolStack stack(bootstrap);
    auto* const old     = stack.malloc(100'000);
    auto const reserved = stack.pool.reserved().current;
    for (int round = 0; round < 2; ++round) {
      if (bootstrap.my_pe() == failing) stack.vmm.fail(GetParam());
      auto const failure = symm::Impl::failure_of(
          [&] { static_cast<void>(stack.malloc(32 * mib)); });
      stack.vmm.heal();
      ASSERT_TRUE(failure) << "on every PE";
      EXPECT_EQ(failure->kind, symm::Impl::ErrorKind::out_of_memory);
      EXPECT_THAT(std::string(failure->message.c_str()),
                  HasSubstr("an injected failure"));
      EXPECT_EQ(stack.pool.reserved().current, reserved);
      EXPECT_EQ(stack.pool.used().current, 100'096U);
    }
    // The pool goes on, alike on all PEs.
    for (auto const bytes : {32 * mib, std::size_t{1000}}) {
      auto const offset = stack.heap.map().offset_of(stack.malloc(bytes));
      for (auto const other : symm::Impl::allgather(bootstrap, offset)) {
        EXPECT_EQ(other, offset);
      }
    }
    EXPECT_NE(stack.pool.find(old), nullptr);
    static_cast<void>(stack.heap.finalize());
  });
}

INSTANTIATE_TEST_SUITE_P(Steps, PoolGrowthFaults,
                         testing::Values(VmmStep::create, VmmStep::map,
                                         VmmStep::import_handle));

// A PE that ends.

symm::MemPool make_pool(std::size_t max_bytes = 0) {
  symm::MemPool pool;
  symm::MemPoolProperties properties;
  properties.max_bytes = max_bytes;
  EXPECT_EQ(symm::mem_pool_create(&pool, properties), Status::success)
      << symm::last_error();
  return pool;
}

void expect_others_told(int signal_of_lost,
                        std::vector<PeResult> const& results,
                        std::string const& text) {
  EXPECT_TRUE(results[failing].was_killed_by(signal_of_lost));
  for (std::size_t pe = 0; pe < results.size(); ++pe) {
    if (static_cast<Pe>(pe) == failing) continue;
    EXPECT_TRUE(results[pe].has_exited_with(aborted_status))
        << results[pe].output;
    EXPECT_THAT(results[pe].output, HasSubstr(" is gone"));
    EXPECT_THAT(results[pe].output, HasSubstr(text));
  }
}

TEST(PoolFaults, others_that_wait_in_growth_for_a_lost_pe_stop_with_a_message) {
  auto const results = run_pes(n_pes, [](ForkedBootstrap& bootstrap) {
    Runtime::initialize(std::make_unique<ForkedBootstrap>(bootstrap));
    auto const pool = make_pool();
    if (bootstrap.my_pe() == failing) std::raise(SIGKILL);
    void* block = nullptr;
    static_cast<void>(symm::malloc_from_pool_async(&block, mib, pool));
  });
  expect_others_told(SIGKILL, results, "growth of a pool");
}

TEST(PoolFaults, others_in_a_barrier_of_the_pool_stop_with_a_message) {
  auto const results = run_pes(n_pes, [](ForkedBootstrap& bootstrap) {
    Runtime::initialize(std::make_unique<ForkedBootstrap>(bootstrap));
    auto const pool = make_pool(2 * mib);
    void* block     = nullptr;
    EXPECT_EQ(symm::malloc_from_pool_async(&block, 2 * mib, pool),
              Status::success);
    EXPECT_EQ(symm::free_async(block), Status::success);
    if (bootstrap.my_pe() == failing) std::raise(SIGKILL);
    // The pool is at its limit, and what was freed waits for a barrier.
    static_cast<void>(symm::malloc_from_pool_async(&block, 2 * mib, pool));
  });
  expect_others_told(SIGKILL, results, "symm::barrier of the PE team");
}

}  // namespace
}  // namespace symm_test::pools_faults
