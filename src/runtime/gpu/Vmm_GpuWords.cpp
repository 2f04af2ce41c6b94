// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

// The members of Vmm_Gpu that implement CopyQueue for words: they change words
// in the order of a queue. (Each vendor defines store_words() and
// wait_for_words().)

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <new>

#include "../memory/AtomicBatch.hpp"
#include "Vmm_Gpu.hpp"

namespace symm::Impl {

// (The queue has the highest priority, because queues of equal priority may
// share a hardware channel of the GPU, and MPS clients have few channels. In
// the program's channels, the library's copies would wait for kernels that wait
// for these copies.)
void* Vmm_Gpu::make_queue() {
  ContextGuard const context(*this);
  auto const what = "making a queue of " + m_place;
  int highest     = 0;
  run(what, m_driver.get_stream_priority_range, nullptr, &highest);
  gpu::Stream stream = nullptr;
  run(what, m_driver.stream_create_with_priority, &stream, gpu::non_blocking,
      highest);
  return stream;
}

void Vmm_Gpu::free_queue(void* queue) noexcept {
  if (queue == nullptr || m_is_abandoned) return;
  // The calls fail only if the context is lost.
  ContextGuard const context(*this, std::nothrow);
  if (!context) return;
  static_cast<void>(m_driver.stream_destroy(static_cast<gpu::Stream>(queue)));
}

/// The kernel, loaded into the device's primary context. Its first launch loads
/// its code and may wait for running kernels. AtomicQueue therefore launches it
/// once for an empty batch.
gpu::Kernel Vmm_Gpu::word_changes() {
  std::lock_guard const lock(m_event_mutex);
  if (m_word_changes != nullptr) return m_word_changes;
  auto const what = "loading the kernel of atomic operations on " + m_place;
  if (m_module == nullptr) {
    run(what, m_driver.module_load_data, &m_module, word_changes_code());
  }
  gpu::Kernel function = nullptr;
  run(what, m_driver.module_get_function, &function, m_module,
      "symm_change_words");
  m_word_changes = function;
  return function;
}

void Vmm_Gpu::begin_changes(void* queue, AtomicBoard* board,
                            std::uint64_t batch) {
  constexpr unsigned n_threads  = 128;
  constexpr unsigned max_blocks = 32;
  ContextGuard const context(*this);
  auto* const function = word_changes();
  auto address         = gpu::device_pointer(board);
  auto const n         = static_cast<unsigned>(AtomicBatch(batch).count());
  auto const n_blocks =
      std::clamp((n + n_threads - 1) / n_threads, 1U, max_blocks);
  void* parameters[] = {&address, &batch};
  run("atomic operations on memory of " + m_place, m_driver.launch_kernel,
      function, n_blocks, 1, 1, n_threads, 1, 1, 0,
      static_cast<gpu::Stream>(queue), parameters, nullptr);
}

void* Vmm_Gpu::allocate(std::size_t bytes) {
  ContextGuard const context(*this);
  gpu::Pointer address = {};
  run("memory of " + m_place, m_driver.mem_alloc, &address, bytes);
  return reinterpret_cast<void*>(address);
}

void Vmm_Gpu::deallocate(void* memory) noexcept {
  if (memory == nullptr || m_is_abandoned) return;
  // The calls fail only if the context is lost.
  ContextGuard const context(*this, std::nothrow);
  if (!context) return;
  static_cast<void>(m_driver.mem_free(gpu::device_pointer(memory)));
}

void Vmm_Gpu::run_in_context(std::function<void()> const& body) {
  ContextGuard const context(*this);
  body();
}

bool Vmm_Gpu::is_on_gpu(void const* address) {
  ContextGuard const context(*this);
  auto const type = attribute_of(address, gpu::memory_type);
  return type.has_value() && *type != gpu::host_memory;
}

}  // namespace symm::Impl
