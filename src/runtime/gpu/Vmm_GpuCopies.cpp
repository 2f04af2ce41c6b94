// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

// The members of Vmm_Gpu that implement CopyQueue.

#include <algorithm>
#include <cstddef>
#include <mutex>

#include "Vmm_Gpu.hpp"

namespace symm::Impl {

void Vmm_Gpu::zero(char* address, std::size_t bytes) {
  ContextGuard const context(*this);
  run("filling memory of " + m_place, m_driver.fill,
      gpu::device_pointer(address), 0, bytes);
  // The call may return before the null stream has executed it.
  run("filling memory of " + m_place, m_driver.synchronize);
}

void Vmm_Gpu::copy(void* to, void const* from, std::size_t bytes) {
  ContextGuard const context(*this);
  copy_contiguous(to, from, bytes);
  run("copying memory of " + m_place, m_driver.synchronize);
}

void Vmm_Gpu::copy_strided(Strided const& all, void* queue) {
  ContextGuard const context(*this);
  auto* const stream = static_cast<gpu::Stream>(queue);
  auto const enqueue = [&](std::size_t first, std::size_t bytes) {
    enqueue_copy(all.to + first * all.to_stride,
                 all.from + first * all.from_stride, bytes, stream);
  };
  std::size_t const longest = std::max(all.to_stride, all.from_stride);
  if (all.count == 1 || longest == all.element_bytes) {
    enqueue(0, all.count * all.element_bytes);
  } else if (longest <= static_cast<std::size_t>(attribute(gpu::max_pitch))) {
    enqueue_copy_2d(all, stream);
  } else {  // with strides above 2 GiB, memory holds only a few elements
    for (std::size_t i = 0; i < all.count; ++i) enqueue(i, all.element_bytes);
  }
}

void Vmm_Gpu::synchronize() {
  ContextGuard const context(*this);
  run("waiting for kernels of " + m_place, m_driver.synchronize);
}

bool Vmm_Gpu::is_idle(void* queue) {
  ContextGuard const context(*this);
  auto const result = m_driver.stream_query(static_cast<gpu::Stream>(queue));
  if (result == gpu::not_ready) return false;
  check(result, m_driver.stream_query.name,
        [&] { return "asking for the work of " + m_place; });
  return true;
}

void Vmm_Gpu::wait(void* queue) {
  ContextGuard const context(*this);
  run("waiting for the work of " + m_place, m_driver.stream_synchronize,
      static_cast<gpu::Stream>(queue));
}

void Vmm_Gpu::make_wait(void* later, void* earlier) {
  ContextGuard const context(*this);
  auto const what = "ordering the work of " + m_place;
  // One event is enough: the wait applies to the record just before it.
  std::lock_guard const lock(m_event_mutex);
  if (m_event == nullptr) {
    run(what, m_driver.event_create, &m_event, gpu::without_timing);
  }
  run(what, m_driver.event_record, m_event, static_cast<gpu::Stream>(earlier));
  run(what, m_driver.stream_wait_event, static_cast<gpu::Stream>(later),
      m_event, 0);
}

bool Vmm_Gpu::is_captured(void* queue) {
  auto status    = gpu::no_capture;
  auto const ask = [&] {
    return m_driver.stream_is_capturing(static_cast<gpu::Stream>(queue),
                                        &status);
  };
  // A stream knows its context, so the query needs no ContextGuard, which would
  // cost more than the query. The default stream is that of the current
  // context.
  auto result = gpu::invalid_context;
  if (queue != nullptr) result = ask();
  if (result == gpu::invalid_context) {
    ContextGuard const context(*this);
    result = ask();
  }
  // This is the default stream, while another stream of this thread is being
  // captured.
  if (result == gpu::captures_implicitly) return true;
  check(result, m_driver.stream_is_capturing.name,
        [&] { return "asking for the work of " + m_place; });
  return status != gpu::no_capture;
}

}  // namespace symm::Impl
