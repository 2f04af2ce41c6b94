// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

// Kernels that still use memory which is given back: the memory is not used
// again before they have ended.

#include <atomic>
#include <chrono>
#include <cstring>
#include <functional>
#include <thread>

#include "CudaRuntime.hpp"

namespace symm_test::work {
namespace {

using namespace std::chrono_literals;
using symm::MemoryKind;
using symm::Pe;
using symm::Impl::Runtime;
using symm::Impl::SymmetricHeap;

constexpr std::size_t bytes = 64'000;
constexpr char by_kernel    = 'k';

/// How the memory is given back and had again.
struct Way {
  char const* name;
  void* (*allocate)(SymmetricHeap& heap);
  void (*give_back)(SymmetricHeap& heap, void* block);
};

class CudaRuntimeWork : public CudaRuntime,
                        public testing::WithParamInterface<Way> {
 protected:
  void SetUp() override {
    CudaRuntime::SetUp();
    // No room for a second block: the next one is at the same place.
    FakeCuda::set("SYMM_HEAP_LIMIT", "2M");
  }
};

void* allocate_view(SymmetricHeap& heap) {
  return heap.allocate_view("flux", bytes, 256, 128);
}
void* allocate(SymmetricHeap& heap) { return heap.malloc(bytes); }

INSTANTIATE_TEST_SUITE_P(
    Ways, CudaRuntimeWork,
    testing::Values(
        Way{"free", allocate,
            [](SymmetricHeap& heap, void* block) { heap.free(block); }},
        Way{"retire", allocate_view,
            [](SymmetricHeap& heap, void* block) { heap.retire(block); }},
        Way{"free_view", allocate_view,
            [](SymmetricHeap& heap, void* block) { heap.free_view(block); }}),
    [](auto const& test) { return std::string(test.param.name); });

/// A kernel of this PE begins, which will write the peer's copy and its own.
void launch_writer(SymmetricHeap& heap, void* block, Pe peer, int device,
                   std::atomic<bool>& has_ended) {
  auto* const theirs = heap.map().peer_ptr(static_cast<char*>(block), peer);
  fake().launch(device, 100, [=, &has_ended] {
    std::memset(theirs, by_kernel, bytes);
    std::memset(block, by_kernel, bytes);
    has_ended = true;
  });
}

TEST_P(CudaRuntimeWork, M24_memory_is_not_reused_before_kernels_have_ended) {
  expect_on_pes(2, [](ForkedBootstrap& bootstrap) {
    Pe const me = bootstrap.my_pe();
    initialize(bootstrap, me);
    for (auto const kind : {MemoryKind::device, MemoryKind::host}) {
      auto& its         = heap(kind);
      void* const block = GetParam().allocate(its);
      std::atomic<bool> has_ended{false};
      symm::barrier_all();
      if (me == 0) launch_writer(its, block, 1, 0, has_ended);
      GetParam().give_back(its, block);
      auto* const again = static_cast<char*>(its.calloc(bytes, 1));
      EXPECT_LE(again, static_cast<char*>(block) + bytes);
      if (me == 0) {
        EXPECT_TRUE(has_ended) << "the kernel's PE has waited";
      }
      std::this_thread::sleep_for(150ms);  // if not waited for, it writes now
      std::size_t n_overwritten = 0;
      for (std::size_t i = 0; i < bytes; ++i) {
        if (again[i] != 0) ++n_overwritten;
      }
      EXPECT_EQ(n_overwritten, 0U);
      its.free(again);
    }
    Runtime::finalize();
  });
}

/// Makes a kernel run while `call` is made, which must wait for it.
void expect_waits(ForkedBootstrap& bootstrap,
                  std::function<void(SymmetricHeap&)> const& call) {
  initialize(bootstrap, bootstrap.my_pe());
  auto& its         = heap(MemoryKind::device);
  void* const block = its.malloc(bytes);
  its.free(its.malloc(8 * mib));
  std::atomic<bool> has_ended{false};
  fake().launch(bootstrap.my_pe(), 100, [&, block] {
    std::memset(block, by_kernel, bytes);
    has_ended = true;
  });
  call(its);
  EXPECT_TRUE(has_ended);
  if (Runtime::is_initialized()) {
    EXPECT_EQ(static_cast<char*>(block)[bytes - 1], by_kernel);
    Runtime::finalize();
  }
}

TEST_F(CudaRuntime, trim_waits_for_kernels) {
  expect_on_pes(2, [](ForkedBootstrap& bootstrap) {
    expect_waits(bootstrap, [](SymmetricHeap& its) { its.trim(); });
  });
}

TEST_F(CudaRuntime, finalize_waits_for_kernels) {
  expect_on_pes(2, [](ForkedBootstrap& bootstrap) {
    expect_waits(bootstrap, [](SymmetricHeap&) { Runtime::finalize(); });
  });
}

TEST_F(CudaRuntime, S02_realloc_copies_what_kernels_have_written) {
  expect_on_pes(2, [](ForkedBootstrap& bootstrap) {
    initialize(bootstrap, bootstrap.my_pe());
    auto& its         = heap(MemoryKind::device);
    auto* const block = static_cast<char*>(its.calloc(bytes, 1));
    fake().launch(bootstrap.my_pe(), 50,
                  [=] { std::memset(block, by_kernel, bytes); });
    auto* const moved = static_cast<char*>(its.realloc(block, mib));
    for (std::size_t const i : {std::size_t{0}, bytes / 2, bytes - 1}) {
      EXPECT_EQ(moved[i], by_kernel) << i;
    }
    Runtime::finalize();
  });
}

TEST_F(CudaRuntime, C04_C11_calloc_returns_when_the_zeros_are_there) {
  expect_on_pes(2, [](ForkedBootstrap& bootstrap) {
    Pe const me = bootstrap.my_pe();
    initialize(bootstrap, me);
    auto& its = heap(MemoryKind::device);
    for (int round = 0; round < 20; ++round) {
      // A put of the peer that follows at once is not overwritten.
      auto* const block = static_cast<char*>(its.calloc(bytes, 1));
      *its.map().peer_ptr(block, 1 - me) = 'p';
      symm::barrier_all();
      std::this_thread::sleep_for(5ms);
      EXPECT_EQ(block[0], 'p');
      EXPECT_EQ(block[bytes - 1], 0);
      std::memset(block, 'q', bytes);
      its.free(block);
    }
    Runtime::finalize();
  });
}

TEST_F(CudaRuntime, no_context_stays_current_on_the_thread) {
  expect_on_pes(2, [](ForkedBootstrap& bootstrap) {
    initialize(bootstrap, bootstrap.my_pe());
    auto& its = heap(MemoryKind::device);
    its.free(its.realloc(its.calloc(64, 1), mib));
    EXPECT_EQ(symm::malloc(std::size_t{1} << 36U), nullptr);
    its.trim();
    EXPECT_EQ(fake().n_current_contexts(), 0);
    Runtime::finalize();
    EXPECT_EQ(fake().n_current_contexts(), 0);
  });
}

}  // namespace
}  // namespace symm_test::work
