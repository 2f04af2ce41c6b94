// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

// The members of Vmm_Cuda that implement CopyQueue for words: they store,
// change and compare words in the order of a queue.

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <mutex>

#include "../memory/AtomicBatch.hpp"
#include "Vmm_Cuda.hpp"
#include "WordChanges.hpp"

namespace symm::Impl {

// (The queue has the highest priority, because queues of equal priority may
// share a hardware channel of the GPU, and MPS clients have few channels. In
// the program's channels, the library's copies would wait for kernels that wait
// for these copies.)
void* Vmm_Cuda::make_queue() {
  ContextGuard const context(*this);
  auto const what = "making a queue of " + m_place;
  int highest     = 0;
  check(m_driver.cuCtxGetStreamPriorityRange(nullptr, &highest), what,
        "cuCtxGetStreamPriorityRange");
  CUstream stream = nullptr;
  check(m_driver.cuStreamCreateWithPriority(&stream, CU_STREAM_NON_BLOCKING,
                                            highest),
        what, "cuStreamCreateWithPriority");
  return stream;
}

void Vmm_Cuda::free_queue(void* queue) noexcept {
  if (queue == nullptr || m_is_abandoned) return;
  // The calls fail only if the context is lost.
  CUcontext ours = nullptr;
  if (m_driver.cuCtxPushCurrent(m_context) != CUDA_SUCCESS) return;
  static_cast<void>(m_driver.cuStreamDestroy(static_cast<CUstream>(queue)));
  static_cast<void>(m_driver.cuCtxPopCurrent(&ours));
}

namespace {

constexpr std::size_t max_at_once = 64;

}  // namespace

// (CU_STREAM_WAIT_VALUE_FLUSH is not set: it makes remote writes visible for
// writers that do not use fences, such as network cards. Here, every writer of
// the word has used a system-scope fence after its earlier writes.)
void Vmm_Cuda::wait_for_words(void* queue, WordWait const* waits,
                              std::size_t n) {
  ContextGuard const context(*this);
  std::array<CUstreamBatchMemOpParams, max_at_once> all{};
  for (std::size_t done = 0; done < n; done += max_at_once) {
    auto const count = std::min(n - done, max_at_once);
    for (std::size_t i = 0; i < count; ++i) {
      auto const& wait = waits[done + i];
      auto& params     = all[i].waitValue;
      params           = {};
      params.operation = wait.bytes == 8 ? CU_STREAM_MEM_OP_WAIT_VALUE_64
                                         : CU_STREAM_MEM_OP_WAIT_VALUE_32;
      params.address   = device_pointer(wait.address);
      params.value64   = wait.value;
      params.flags =
          wait.is_equal ? CU_STREAM_WAIT_VALUE_EQ : CU_STREAM_WAIT_VALUE_GEQ;
    }
    check(m_driver.cuStreamBatchMemOp(static_cast<CUstream>(queue),
                                      static_cast<unsigned>(count), all.data(),
                                      0),
          "enqueuing a wait, which the loops and conditions of CUDA graphs "
          "cannot have, on " +
              m_place,
          "cuStreamBatchMemOp");
  }
}

void Vmm_Cuda::store_words(void* queue, WordStore const* stores,
                           std::size_t n) {
  ContextGuard const context(*this);
  std::array<CUstreamBatchMemOpParams, max_at_once> all{};
  for (std::size_t done = 0; done < n; done += max_at_once) {
    auto const count = std::min(n - done, max_at_once);
    for (std::size_t i = 0; i < count; ++i) {
      auto const& store = stores[done + i];
      auto& params      = all[i].writeValue;
      params            = {};
      params.operation  = store.bytes == 8 ? CU_STREAM_MEM_OP_WRITE_VALUE_64
                                           : CU_STREAM_MEM_OP_WRITE_VALUE_32;
      params.address    = device_pointer(store.address);
      params.value64    = store.value;
      params.flags      = CU_STREAM_WRITE_VALUE_DEFAULT;
    }
    check(m_driver.cuStreamBatchMemOp(static_cast<CUstream>(queue),
                                      static_cast<unsigned>(count), all.data(),
                                      0),
          "storing to memory of " + m_place, "cuStreamBatchMemOp");
  }
}

/// The kernel, loaded into the device's primary context. Its first launch loads
/// its code and may wait for running kernels. AtomicQueue therefore launches it
/// once for an empty batch.
CUfunction Vmm_Cuda::word_changes() {
  std::lock_guard const lock(m_event_mutex);
  if (m_word_changes != nullptr) return m_word_changes;
  auto const what = "loading the kernel of atomic operations on " + m_place;
  if (m_module == nullptr) {
    check(m_driver.cuModuleLoadData(&m_module, word_changes_ptx), what,
          "cuModuleLoadData");
  }
  CUfunction function = nullptr;
  check(m_driver.cuModuleGetFunction(&function, m_module, "symm_change_words"),
        what, "cuModuleGetFunction");
  m_word_changes = function;
  return function;
}

void Vmm_Cuda::begin_changes(void* queue, AtomicBoard* board,
                             std::uint64_t run) {
  constexpr unsigned n_threads  = 128;
  constexpr unsigned max_blocks = 32;
  ContextGuard const context(*this);
  auto* const function = word_changes();
  auto address         = device_pointer(board);
  auto const n         = static_cast<unsigned>(AtomicBatch(run).count());
  auto const n_blocks =
      std::clamp((n + n_threads - 1) / n_threads, 1U, max_blocks);
  void* parameters[] = {&address, &run};
  check(m_driver.cuLaunchKernel(function, n_blocks, 1, 1, n_threads, 1, 1, 0,
                                static_cast<CUstream>(queue), parameters,
                                nullptr),
        "atomic operations on memory of " + m_place, "cuLaunchKernel");
}

void* Vmm_Cuda::allocate(std::size_t bytes) {
  ContextGuard const context(*this);
  CUdeviceptr address = 0;
  check(m_driver.cuMemAlloc(&address, bytes), "memory of " + m_place,
        "cuMemAlloc");
  return reinterpret_cast<void*>(address);
}

void Vmm_Cuda::deallocate(void* memory) noexcept {
  if (memory == nullptr || m_is_abandoned) return;
  // The calls fail only if the context is lost.
  CUcontext ours = nullptr;
  if (m_driver.cuCtxPushCurrent(m_context) != CUDA_SUCCESS) return;
  static_cast<void>(m_driver.cuMemFree(device_pointer(memory)));
  static_cast<void>(m_driver.cuCtxPopCurrent(&ours));
}

void Vmm_Cuda::run_in_context(std::function<void()> const& body) {
  ContextGuard const context(*this);
  body();
}

bool Vmm_Cuda::is_on_gpu(void const* address) {
  ContextGuard const context(*this);
  auto const type = attribute_of(address, CU_POINTER_ATTRIBUTE_MEMORY_TYPE);
  return type.has_value() && *type != CU_MEMORYTYPE_HOST;
}

}  // namespace symm::Impl
