// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

// The members of Vmm_Cuda that implement CopyQueue.

#include <algorithm>
#include <cstddef>
#include <mutex>

#include "Vmm_Cuda.hpp"

namespace symm::Impl {

void Vmm_Cuda::zero(char* address, std::size_t bytes) {
  ContextGuard const context(*this);
  check(m_driver.cuMemsetD8(device_pointer(address), 0, bytes),
        "filling memory of " + m_place, "cuMemsetD8");
  // cuMemsetD8() may return before the null stream has executed it.
  check(m_driver.cuCtxSynchronize(), "filling memory of " + m_place,
        "cuCtxSynchronize");
}

void Vmm_Cuda::copy(void* to, void const* from, std::size_t bytes) {
  ContextGuard const context(*this);
  check(m_driver.cuMemcpy(device_pointer(to), device_pointer(from), bytes),
        "copying memory of " + m_place, "cuMemcpy");
  check(m_driver.cuCtxSynchronize(), "copying memory of " + m_place,
        "cuCtxSynchronize");
}

void Vmm_Cuda::copy_strided(Strided const& all, void* queue) {
  ContextGuard const context(*this);
  auto* const stream = static_cast<CUstream>(queue);
  auto const enqueue = [&](std::size_t first, std::size_t bytes) {
    check(
        m_driver.cuMemcpyAsync(
            device_pointer(all.to + first * all.to_stride),
            device_pointer(all.from + first * all.from_stride), bytes, stream),
        "copying memory of " + m_place, "cuMemcpyAsync");
  };
  std::size_t const longest = std::max(all.to_stride, all.from_stride);
  if (all.count == 1 || longest == all.element_bytes) {
    enqueue(0, all.count * all.element_bytes);
  } else if (longest <= static_cast<std::size_t>(
                            attribute(CU_DEVICE_ATTRIBUTE_MAX_PITCH))) {
    CUDA_MEMCPY2D copy{};
    copy.srcMemoryType = CU_MEMORYTYPE_UNIFIED;
    copy.srcDevice     = device_pointer(all.from);
    copy.srcPitch      = all.from_stride;
    copy.dstMemoryType = CU_MEMORYTYPE_UNIFIED;
    copy.dstDevice     = device_pointer(all.to);
    copy.dstPitch      = all.to_stride;
    copy.WidthInBytes  = all.element_bytes;
    copy.Height        = all.count;
    check(m_driver.cuMemcpy2DAsync(&copy, stream),
          "copying memory of " + m_place, "cuMemcpy2DAsync");
  } else {  // with strides above 2 GiB, memory holds only a few elements
    for (std::size_t i = 0; i < all.count; ++i) enqueue(i, all.element_bytes);
  }
}

void Vmm_Cuda::synchronize() {
  ContextGuard const context(*this);
  check(m_driver.cuCtxSynchronize(), "waiting for kernels of " + m_place,
        "cuCtxSynchronize");
}

bool Vmm_Cuda::is_idle(void* queue) {
  ContextGuard const context(*this);
  auto const result = m_driver.cuStreamQuery(static_cast<CUstream>(queue));
  if (result == CUDA_ERROR_NOT_READY) return false;
  check(result, "asking for the work of " + m_place, "cuStreamQuery");
  return true;
}

void Vmm_Cuda::wait(void* queue) {
  ContextGuard const context(*this);
  check(m_driver.cuStreamSynchronize(static_cast<CUstream>(queue)),
        "waiting for the work of " + m_place, "cuStreamSynchronize");
}

void Vmm_Cuda::make_wait(void* later, void* earlier) {
  ContextGuard const context(*this);
  auto const what = "ordering the work of " + m_place;
  // One event is enough: the wait applies to the record just before it.
  std::lock_guard const lock(m_event_mutex);
  if (m_event == nullptr) {
    check(m_driver.cuEventCreate(&m_event, CU_EVENT_DISABLE_TIMING), what,
          "cuEventCreate");
  }
  check(m_driver.cuEventRecord(m_event, static_cast<CUstream>(earlier)), what,
        "cuEventRecord");
  check(m_driver.cuStreamWaitEvent(static_cast<CUstream>(later), m_event, 0),
        what, "cuStreamWaitEvent");
}

bool Vmm_Cuda::is_captured(void* queue) {
  auto status    = CU_STREAM_CAPTURE_STATUS_NONE;
  auto const ask = [&] {
    return m_driver.cuStreamIsCapturing(static_cast<CUstream>(queue), &status);
  };
  // A stream knows its context, so the query needs no ContextGuard, which would
  // cost more than the query. The default stream is that of the current
  // context.
  auto result = CUDA_ERROR_INVALID_CONTEXT;
  if (queue != nullptr) result = ask();
  if (result == CUDA_ERROR_INVALID_CONTEXT) {
    ContextGuard const context(*this);
    result = ask();
  }
  // This is the default stream, while another stream of this thread is being
  // captured.
  if (result == CUDA_ERROR_STREAM_CAPTURE_IMPLICIT) return true;
  check(result, "asking for the work of " + m_place, "cuStreamIsCapturing");
  return status != CU_STREAM_CAPTURE_STATUS_NONE;
}

}  // namespace symm::Impl
