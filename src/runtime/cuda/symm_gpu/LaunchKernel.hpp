// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_GPU_LAUNCH_KERNEL_HPP
#define SYMM_GPU_LAUNCH_KERNEL_HPP

#ifdef __CUDACC__

#include <cstddef>

#include <symm_gpu/KernelRuntime.hpp>
#include <symm_gpu/ThreadBlock.hpp>

// Launches short kernels of the library. They start before the preceding kernel
// in the stream has ended, and wait for that kernel on the GPU (programmatic
// stream serialization). This hides most of the launch latency.

namespace symm::Impl {

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
    check_gpu(cudaFuncGetAttributes(&attributes, launched_kernel<Body>), name,
              "cudaFuncGetAttributes");
    return attributes.ptxVersion >= 90;
  }();
  return result;
}

/// Does what enqueue_kernel() says (Launch.hpp).
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
  check_gpu(cudaLaunchKernelEx(&config, launched_kernel<Body>, body), name,
            "cudaLaunchKernelEx");
}

}  // namespace symm::Impl

#endif
#endif
