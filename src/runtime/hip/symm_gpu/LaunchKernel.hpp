// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_GPU_LAUNCH_KERNEL_HPP
#define SYMM_GPU_LAUNCH_KERNEL_HPP

#ifdef __HIPCC__

#include <cstddef>

#include <symm_gpu/KernelRuntime.hpp>
#include <symm_gpu/ThreadBlock.hpp>

// Launches short kernels of the library. HIP has no launch after which the
// kernel itself waits for the preceding one, as CUDA has.

namespace symm::Impl {

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
    check_gpu(hipFuncGetAttributes(&attributes, reinterpret_cast<void const*>(
                                                    &launched_kernel<Body>)),
              name, "hipFuncGetAttributes");
    return false;
  }();
  return result;
}

/// Does what enqueue_kernel() says (Launch.hpp).
template <class Body>
void launch(char const* name, void* stream, std::size_t n_blocks, int n_threads,
            Body const& body) {
  auto copy     = body;
  void* value[] = {&copy};
  check_gpu(
      hipLaunchKernel(reinterpret_cast<void const*>(&launched_kernel<Body>),
                      dim3(static_cast<unsigned>(n_blocks)),
                      dim3(static_cast<unsigned>(n_threads)), value, 0,
                      static_cast<hipStream_t>(stream)),
      name, "hipLaunchKernel");
}

}  // namespace symm::Impl

#endif
#endif
