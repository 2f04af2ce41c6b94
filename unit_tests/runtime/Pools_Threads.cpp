// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

// Local pools on threads beside calls that wait for other PEs (preset
// host-tsan).

#include <gtest/gtest.h>
#include <support/ForkedPes.hpp>
#include <support/Shared.hpp>

#include <array>
#include <atomic>
#include <cstddef>
#include <memory>
#include <thread>
#include <vector>

#include <runtime/job/Runtime.hpp>
#include <runtime/symm_job.hpp>
#include <runtime/symm_memory.hpp>
#include <runtime/symm_pools.hpp>

namespace symm_test::pools_threads {
namespace {

using symm::Status;
using symm::Impl::Runtime;

constexpr std::size_t mib = std::size_t{1} << 20U;

symm::MemPool make_pool(symm::MemPoolKind kind) {
  symm::MemPool pool;
  symm::MemPoolProperties properties;
  properties.kind = kind;
  EXPECT_EQ(symm::mem_pool_create(&pool, properties), Status::success);
  return pool;
}

char* malloc_from(symm::MemPool pool, std::size_t bytes) {
  void* block = nullptr;
  EXPECT_EQ(symm::malloc_from_pool_async(&block, bytes, pool), Status::success)
      << symm::last_error();
  return static_cast<char*>(block);
}

/// Local.
void use_a_local_pool(symm::MemPool pool, int n_rounds) {
  for (int round = 0; round < n_rounds; ++round) {
    std::array<char*, 3> blocks{};
    for (auto& block : blocks) {
      block    = malloc_from(pool, mib);
      block[0] = 'x';
      EXPECT_EQ(block[0], 'x');
    }
    for (auto* const block : blocks) {
      EXPECT_EQ(symm::free_async(block), Status::success);
    }
    if (round % 5 == 4) {
      EXPECT_EQ(symm::mem_pool_trim_to(pool, 0), Status::success);
    }
  }
}

TEST(PoolsThreads, local_pools_go_on_beside_symmetric_ones_and_the_heap) {
  expect_on_pes(2, [](ForkedBootstrap& bootstrap) {
    Runtime::initialize(std::make_unique<ForkedBootstrap>(bootstrap));
    auto const shared = make_pool(symm::MemPoolKind::local);
    std::atomic<bool> is_over{false};
    std::vector<std::thread> threads;
    for (int i = 0; i < 2; ++i) {
      threads.emplace_back([&, i] {
        auto const pool = i == 0 ? shared : make_pool(symm::MemPoolKind::local);
        while (!is_over) {
          use_a_local_pool(pool, 5);
          use_a_local_pool(shared, 5);
          std::this_thread::yield();
        }
        if (i != 0) {
          EXPECT_EQ(symm::mem_pool_destroy(pool), Status::success);
        }
      });
    }
    auto const pool = make_pool(symm::MemPoolKind::symmetric);
    for (int round = 0; round < 30; ++round) {
      auto* const first  = malloc_from(pool, 2 * mib);
      auto* const second = malloc_from(pool, 3 * mib);
      EXPECT_EQ(symm::free_async(first), Status::success);
      symm::barrier_all();
      symm::free(symm::malloc(1000));
      EXPECT_EQ(symm::free_async(second), Status::success);
      if (round % 4 == 3) static_cast<void>(symm::heap_trim());
    }
    is_over = true;
    for (auto& thread : threads) thread.join();
    EXPECT_EQ(symm::mem_pool_destroy(pool), Status::success);
    EXPECT_EQ(symm::mem_pool_destroy(shared), Status::success);
    static_cast<void>(symm::heap_trim());
    Runtime::finalize();
  });
}

TEST(PoolsThreads, growth_that_waits_for_a_late_pe_keeps_no_local_pool) {
  Shared<std::atomic<bool>> const may_come;
  expect_on_pes(2, [&](ForkedBootstrap& bootstrap) {
    Runtime::initialize(std::make_unique<ForkedBootstrap>(bootstrap));
    auto const symmetric = make_pool(symm::MemPoolKind::symmetric);
    auto const local     = make_pool(symm::MemPoolKind::local);
    bool const is_late   = bootstrap.my_pe() == 1;
    std::thread other([&] {
      if (is_late) return;
      // While the first thread waits in growth for the late PE.
      while (!Runtime::instance("test").rendezvous().is_in_call()) {
        std::this_thread::yield();
      }
      use_a_local_pool(local, 10);
      symm::MemPool current;
      EXPECT_EQ(symm::device_get_mem_pool(&current, symm::MemoryKind::host),
                Status::success);
      *may_come = true;
    });
    while (is_late && !*may_come) std::this_thread::yield();
    auto* const block = malloc_from(symmetric, mib);
    other.join();
    EXPECT_EQ(symm::free_async(block), Status::success);
    static_cast<void>(symm::heap_trim());
    Runtime::finalize();
  });
}

}  // namespace
}  // namespace symm_test::pools_threads
