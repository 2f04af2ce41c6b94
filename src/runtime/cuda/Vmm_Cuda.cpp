// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

// The members of Vmm_Gpu that differ between vendors.

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

#include "../gpu/Vmm_Gpu.hpp"
#include "WordChanges.hpp"

namespace symm::Impl {

static_assert(sizeof(Vmm::FabricHandle) == sizeof(CUmemFabricHandle));

void Vmm_Gpu::retain_context() {
  run("using " + m_place, m_driver.device_primary_ctx_retain, &m_context,
      m_device);
}

void Vmm_Gpu::release_context() noexcept {
  static_cast<void>(m_driver.device_primary_ctx_release(m_device));
}

gpu::Result Vmm_Gpu::ContextGuard::enter() noexcept {
  return m_vmm.m_driver.ctx_push_current(m_vmm.m_context);
}

Vmm_Gpu::ContextGuard::~ContextGuard() {
  if (!*this) return;
  // This call fails only if other code has popped the context.
  static_cast<void>(m_vmm.m_driver.ctx_pop_current(&m_before));
}

gpu::Result Vmm_Gpu::import_memory(gpu::MemoryHandle& handle,
                                   UniqueFd const& descriptor) const {
  auto* const value =
      reinterpret_cast<void*>(static_cast<std::intptr_t>(descriptor.get()));
  return m_driver.mem_import_from_shareable_handle(&handle, value,
                                                   gpu::by_descriptor);
}

// CUDA's unified addresses are the same for the host and for kernels.
void Vmm_Gpu::check_pinned(void* /*address*/) const {}

void const* Vmm_Gpu::word_changes_code() const { return word_changes_ptx; }

void Vmm_Gpu::copy_contiguous(void* to, void const* from,
                              std::size_t bytes) const {
  run("copying memory of " + m_place, m_driver.copy, gpu::device_pointer(to),
      gpu::device_pointer(from), bytes);
}

void Vmm_Gpu::enqueue_copy(void* to, void const* from, std::size_t bytes,
                           gpu::Stream stream) const {
  run("copying memory of " + m_place, m_driver.copy_async,
      gpu::device_pointer(to), gpu::device_pointer(from), bytes, stream);
}

void Vmm_Gpu::enqueue_copy_2d(Strided const& all, gpu::Stream stream) const {
  CUDA_MEMCPY2D copy{};
  copy.srcMemoryType = CU_MEMORYTYPE_UNIFIED;
  copy.srcDevice     = gpu::device_pointer(all.from);
  copy.srcPitch      = all.from_stride;
  copy.dstMemoryType = CU_MEMORYTYPE_UNIFIED;
  copy.dstDevice     = gpu::device_pointer(all.to);
  copy.dstPitch      = all.to_stride;
  copy.WidthInBytes  = all.element_bytes;
  copy.Height        = all.count;
  run("copying memory of " + m_place, m_driver.copy_2d_async, &copy, stream);
}

namespace {

constexpr std::size_t max_at_once = 64;

}  // namespace

// (CU_STREAM_WAIT_VALUE_FLUSH is not set: it makes remote writes visible for
// writers that do not use fences, such as network cards. Here, every writer of
// the word has used a system-scope fence after its earlier writes.)
void Vmm_Gpu::wait_for_words(void* queue, WordWait const* waits,
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
      params.address   = gpu::device_pointer(wait.address);
      params.value64   = wait.value;
      params.flags =
          wait.is_equal ? CU_STREAM_WAIT_VALUE_EQ : CU_STREAM_WAIT_VALUE_GEQ;
    }
    run("enqueuing a wait, which the loops and conditions of CUDA graphs "
        "cannot have, on " +
            m_place,
        m_driver.stream_batch_mem_op, static_cast<gpu::Stream>(queue),
        static_cast<unsigned>(count), all.data(), 0);
  }
}

void Vmm_Gpu::store_words(void* queue, WordStore const* stores, std::size_t n) {
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
      params.address    = gpu::device_pointer(store.address);
      params.value64    = store.value;
      params.flags      = CU_STREAM_WRITE_VALUE_DEFAULT;
    }
    run("storing to memory of " + m_place, m_driver.stream_batch_mem_op,
        static_cast<gpu::Stream>(queue), static_cast<unsigned>(count),
        all.data(), 0);
  }
}

}  // namespace symm::Impl
