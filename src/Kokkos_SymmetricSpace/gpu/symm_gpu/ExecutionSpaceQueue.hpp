// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_GPU_EXECUTION_SPACE_QUEUE_HPP
#define SYMM_GPU_EXECUTION_SPACE_QUEUE_HPP

#include <cstdint>

#include <Kokkos_Core.hpp>
#include <symm_gpu/KernelRuntime.hpp>
#include <symm_gpu/KokkosNames.hpp>

namespace symm::Impl {

/// The stream of an execution space instance. Work that the runtime
/// enqueues on that stream runs in order with the instance's other work. There
/// is no overload for host spaces.
inline void* queue_of(gpu::ExecutionSpace const& exec) {
  return gpu::stream_of(exec);
}

/// Reports a kernel to Kokkos Tools, if a tool is loaded. The kernel appears to
/// last as long as this object.
class ToolsRegion {
 public:
  ToolsRegion(char const* name, gpu::ExecutionSpace const& exec)
      : m_has_tools(Kokkos::Tools::profileLibraryLoaded()) {
    if (!m_has_tools) return;
    Kokkos::Tools::beginParallelFor(
        name, Kokkos::Tools::Experimental::device_id(exec), &m_id);
  }
  ~ToolsRegion() {
    if (m_has_tools) Kokkos::Tools::endParallelFor(m_id);
  }
  ToolsRegion(ToolsRegion const&)            = delete;
  ToolsRegion& operator=(ToolsRegion const&) = delete;

 private:
  bool m_has_tools;
  std::uint64_t m_id = 0;
};

/// Calls enqueue(queue_of(exec)), which launches kernels without Kokkos: Kokkos
/// has no launch that lets a kernel begin before the previous one has ended.
/// Before that, makes the device of `exec` the current device of this thread.
/// Otherwise, a thread that has not used a GPU before would create a context on
/// device 0.
/// \param name name of the kernels, for Kokkos Tools and error messages.
/// \throws SystemError on this PE if this fails, and whatever enqueue() throws.
template <class Enqueue>
void enqueue_kernels(char const* name, gpu::ExecutionSpace const& exec,
                     Enqueue const& enqueue) {
  ToolsRegion const region(name, exec);
  use_device(name, gpu::device_of(exec));
  enqueue(queue_of(exec));
}

}  // namespace symm::Impl

#endif
