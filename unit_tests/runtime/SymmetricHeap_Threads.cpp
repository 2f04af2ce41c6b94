// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

// What threads of one PE may do at a time.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <support/ForkedPes.hpp>
#include <support/PeStack.hpp>

#include <atomic>
#include <cstddef>
#include <thread>
#include <vector>

#include <runtime/base/Failure.hpp>
#include <runtime/heap/SymmetricHeap.hpp>

namespace symm_test::heap_threads {
namespace {

using symm::Impl::Bootstrap;
using testing::AllOf;
using testing::HasSubstr;

constexpr std::size_t mib = std::size_t{1} << 20U;

TEST(HeapThreads, look_ups_beside_a_collective_call_find_what_is_mapped) {
  expect_on_pes(2, [](Bootstrap& bootstrap) {
    PeStack stack(bootstrap);
    symm::Impl::SymmetricHeap heap(stack.vmm, stack.exchange, bootstrap,
                                   stack.rendezvous, {false, 0, 256 * mib});
    auto* const kept = static_cast<char*>(heap.malloc(1000));
    std::atomic<bool> is_over{false};
    std::atomic<long> n_wrong{0};
    std::vector<std::thread> threads;
    for (int i = 0; i < 2; ++i) {
      threads.emplace_back([&] {
        while (!is_over) {
          if (!heap.is_mapped(kept, 1000)) ++n_wrong;
          if (heap.is_mapped(kept, 256 * mib)) ++n_wrong;
        }
      });
    }
    for (int round = 0; round < 6; ++round) {
      std::vector<void*> blocks;
      for (int i = 0; i < 12; ++i) blocks.push_back(heap.malloc(2 * mib));
      for (void* const block : blocks) heap.free(block);
      static_cast<void>(heap.trim());
    }
    is_over = true;
    for (auto& thread : threads) thread.join();
    EXPECT_EQ(n_wrong, 0);
    static_cast<void>(heap.finalize());
  });
}

TEST(HeapThreads, a_second_thread_in_a_collective_call_is_told_of_the_first) {
  expect_on_pes(2, [](Bootstrap& bootstrap) {
    PeStack stack(bootstrap);
    symm::Impl::SymmetricHeap heap(stack.vmm, stack.exchange, bootstrap,
                                   stack.rendezvous, {false, 0, 256 * mib});
    // PE 1 is in no collective call before PE 0 has made both of its own.
    if (bootstrap.my_pe() == 0) {
      void* block = nullptr;
      std::thread first([&] { block = heap.malloc(1000); });
      while (!stack.rendezvous.is_in_call()) std::this_thread::yield();
      auto const failure = symm::Impl::failure_of([&] { heap.trim(); });
      EXPECT_TRUE(failure);
      if (failure) {
        EXPECT_EQ(failure->kind, symm::Impl::ErrorKind::usage);
        EXPECT_THAT(failure->message, AllOf(HasSubstr("symm::heap_trim"),
                                            HasSubstr("symm::malloc")));
      }
      bootstrap.barrier();
      first.join();
      heap.free(block);
    } else {
      bootstrap.barrier();
      heap.free(heap.malloc(1000));
    }
    EXPECT_EQ(heap.stats().live_blocks, 0U);
    static_cast<void>(heap.finalize());
  });
}

}  // namespace
}  // namespace symm_test::heap_threads
