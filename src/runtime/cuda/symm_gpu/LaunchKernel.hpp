// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_GPU_LAUNCH_KERNEL_HPP
#define SYMM_GPU_LAUNCH_KERNEL_HPP

#ifdef __CUDACC__

#include <cstddef>

#include <symm_gpu/ThreadBlock.hpp>

#include "KernelRuntime.hpp"

// Launches short kernels of the library. They start before the preceding kernel
// in the stream has ended, and wait for that kernel on the GPU (programmatic
// stream serialization). This hides most of the launch latency.

namespace symm::Impl {

using LaunchedBlock = ThreadBlock<1>;

inline constexpr int max_launched_threads = 512;

// (The minimum of 1 block matters: otherwise, ptxas saves registers to fit a
// second block, and spills.)
template <class Body>
__global__ __launch_bounds__(max_launched_threads, 1) void launched_kernel(
    __grid_constant__ Body const body) {  // one copy for all threads
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  cudaGridDependencySynchronize();  // waits for all work enqueued before
#endif
  body(LaunchedBlock(), std::size_t{blockIdx.x}, std::size_t{gridDim.x});
}

/// Whether the kernel that runs `Body` itself waits for the work enqueued
/// before it, so that it may be launched early. A kernel compiled for a compute
/// capability below 9.0 does not wait, on any GPU.
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

/// Enqueues body(LaunchedBlock, block, n_blocks) for every block.
/// \param name the kernel's name, for error messages.
/// \param stream a stream of CUDA on this thread's current device.
/// \param n_blocks at least 1, and less than 2^31.
/// \param n_threads threads per block; at most max_launched_threads.
/// \throws SystemError on this PE if CUDA reports an error.
template <class Body>
void launch(char const* name, void* stream, std::size_t n_blocks, int n_threads,
            Body const& body) {
  cudaLaunchAttribute early{};
  early.id = cudaLaunchAttributeProgrammaticStreamSerialization;
  early.val.programmaticStreamSerializationAllowed = 1;
  cudaLaunchConfig_t config{};
  config.gridDim  = static_cast<unsigned>(n_blocks);
  config.blockDim = static_cast<unsigned>(n_threads);
  config.stream   = static_cast<cudaStream_t>(stream);
  config.attrs    = &early;
  config.numAttrs = waits_on_gpu<Body>(name) ? 1 : 0;
  check_cuda(cudaLaunchKernelEx(&config, launched_kernel<Body>, body), name,
             "cudaLaunchKernelEx");
}

}  // namespace symm::Impl

#endif
#endif
