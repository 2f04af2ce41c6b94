// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef KOKKOS_SYMMETRICSPACE_LAUNCH_HPP
#define KOKKOS_SYMMETRICSPACE_LAUNCH_HPP

#include <Kokkos_Core.hpp>
#include "CudaCheck.hpp"

#ifdef KOKKOS_ENABLE_CUDA

#include <cstddef>
#include <cstdint>

#include "../../runtime/shmem/Group.hpp"

// Kernels that the library enqueues for itself and that are short. Not launched
// by Kokkos, which has no launch that begins before the kernel ahead of it has
// ended and waits on the GPU (programmatic stream serialization): that hides
// most of the time of a launch.

namespace symm::Impl {

/// A thread block of one dimension as a group.
struct ThreadBlock : SharedLoops<ThreadBlock> {
  [[nodiscard]] SYMM_FUNCTION std::size_t rank() const {
    SYMM_IF_ON_HOST((return 0;))
    SYMM_IF_ON_DEVICE((return threadIdx.x;))
  }
  [[nodiscard]] SYMM_FUNCTION std::size_t size() const {
    SYMM_IF_ON_HOST((return 1;))
    SYMM_IF_ON_DEVICE((return blockDim.x;))
  }
  SYMM_FUNCTION void barrier() const { SYMM_IF_ON_DEVICE((__syncthreads();)) }
};

inline constexpr int most_launched_threads = 512;

template <class Body>
__global__ __launch_bounds__(most_launched_threads) void launched_kernel(
    Body const body) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  cudaGridDependencySynchronize();  // what was enqueued before has ended
#endif
  body(ThreadBlock(), std::size_t{blockIdx.x}, std::size_t{gridDim.x});
}

/// Whether the kernel waits for what was enqueued before it, and so may be
/// launched early: not if it was compiled for older GPUs, wherever it runs.
template <class Body>
bool waits_on_gpu(char const* name) {
  static bool const result = [name] {
    cudaFuncAttributes attributes{};
    check_cuda(cudaFuncGetAttributes(&attributes, launched_kernel<Body>), name,
               "cudaFuncGetAttributes");
    return attributes.ptxVersion >= 90;
  }();
  return result;
}

/// Tells Kokkos' tools, where some are loaded, of a kernel.
class ToolsRegion {
 public:
  ToolsRegion(char const* name, Kokkos::Cuda const& exec)
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

/// Enqueues body(ThreadBlock, block, n_blocks) for every block, and leaves the
/// device of `exec` as this thread's.
/// \param name of the kernel, for Kokkos' tools and messages.
/// \param n_blocks 1 or more, and less than 2^31.
/// \param n_threads of a block; not above most_launched_threads.
/// \throws SystemError on this PE, if CUDA refuses.
template <class Body>
void launch(char const* name, Kokkos::Cuda const& exec, std::size_t n_blocks,
            int n_threads, Body const& body) {
  ToolsRegion const region(name, exec);
  set_device_of(exec, name);
  cudaLaunchAttribute early{};
  early.id = cudaLaunchAttributeProgrammaticStreamSerialization;
  early.val.programmaticStreamSerializationAllowed = 1;
  cudaLaunchConfig_t config{};
  config.gridDim  = static_cast<unsigned>(n_blocks);
  config.blockDim = static_cast<unsigned>(n_threads);
  config.stream   = exec.cuda_stream();
  config.attrs    = &early;
  config.numAttrs = waits_on_gpu<Body>(name) ? 1 : 0;
  check_cuda(cudaLaunchKernelEx(&config, launched_kernel<Body>, body), name,
             "cudaLaunchKernelEx");
}

}  // namespace symm::Impl

#endif
#endif
