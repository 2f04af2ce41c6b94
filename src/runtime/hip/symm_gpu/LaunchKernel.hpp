// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_GPU_LAUNCH_KERNEL_HPP
#define SYMM_GPU_LAUNCH_KERNEL_HPP

#ifdef __HIPCC__

#include <cstddef>

#include <symm_gpu/ThreadBlock.hpp>

#include "KernelRuntime.hpp"

// Launches short kernels of the library. HIP has no launch after which the
// kernel itself waits for the preceding one, as CUDA has.

namespace symm::Impl {

using LaunchedBlock = ThreadBlock<1>;

inline constexpr int max_launched_threads = 512;

// (Clang's host compilation, too, instantiates what a kernel calls, of which
// some is declared for devices only.)
template <class Body>
__global__ __launch_bounds__(max_launched_threads) void launched_kernel(
    [[maybe_unused]] Body const body) {
  SYMM_IF_ON_DEVICE(
      (body(LaunchedBlock(), std::size_t{blockIdx.x}, std::size_t{gridDim.x});))
}

/// Loads the kernel that runs `Body`. \returns false: a kernel of HIP does not
/// itself wait for the work enqueued before it.
template <class Body>
bool waits_on_gpu(char const* name) {
  static bool const result = [name] {
    hipFuncAttributes attributes{};
    check_hip(hipFuncGetAttributes(&attributes, reinterpret_cast<void const*>(
                                                    &launched_kernel<Body>)),
              name, "hipFuncGetAttributes");
    return false;
  }();
  return result;
}

/// Enqueues body(LaunchedBlock, block, n_blocks) for every block.
/// \param name the kernel's name, for error messages.
/// \param stream a stream of HIP on this thread's current device.
/// \param n_blocks at least 1, and less than 2^31.
/// \param n_threads threads per block; at most max_launched_threads.
/// \throws SystemError on this PE if HIP reports an error.
template <class Body>
void launch(char const* name, void* stream, std::size_t n_blocks, int n_threads,
            Body const& body) {
  auto copy     = body;
  void* value[] = {&copy};
  check_hip(
      hipLaunchKernel(reinterpret_cast<void const*>(&launched_kernel<Body>),
                      dim3(static_cast<unsigned>(n_blocks)),
                      dim3(static_cast<unsigned>(n_threads)), value, 0,
                      static_cast<hipStream_t>(stream)),
      name, "hipLaunchKernel");
}

}  // namespace symm::Impl

#endif
#endif
