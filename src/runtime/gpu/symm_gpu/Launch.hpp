// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_GPU_LAUNCH_HPP
#define SYMM_GPU_LAUNCH_HPP

#include <cstddef>

#include "../../access/KernelQueue.hpp"
#include "../../base/Function.hpp"

#ifdef SYMM_COMPILES_KERNELS
#include <symm_gpu/LaunchKernel.hpp>
#endif

namespace symm::Impl {

#ifdef SYMM_COMPILES_KERNELS
template <class Body>
struct OneThreadKernel {
  Body body;

  __device__ void operator()(LaunchedBlock const&, std::size_t,
                             std::size_t) const {
    body();
  }
};
#endif

/// Enqueues body(LaunchedBlock, block, n_blocks) for every block, on a queue of
/// this thread's GPU.
/// \param call the kernel's name, for error messages.
/// \param n_blocks at least 1, and less than 2^31.
/// \param n_threads threads per block; at most max_launched_threads.
/// \throws SystemError on this PE if the vendor's library reports an error.
template <class Body>
void enqueue_kernel(char const* call, [[maybe_unused]] void* queue,
                    [[maybe_unused]] std::size_t n_blocks,
                    [[maybe_unused]] int n_threads,
                    [[maybe_unused]] Body const& body) {
#ifdef SYMM_COMPILES_KERNELS
  launch(call, queue, n_blocks, n_threads, body);
#else
  throw_without_kernel(call);
#endif
}

/// Runs body() in a kernel with one thread, and waits for the kernel to end.
template <class Body>
void run_one_thread_on_gpu(char const* call,
                           [[maybe_unused]] Body const& body) {
#ifdef SYMM_COMPILES_KERNELS
  run_in_kernel_queue(call, [&](void* stream) {
    launch(call, stream, 1, 1, OneThreadKernel<Body>{body});
  });
#else
  throw_without_kernel(call);
#endif
}

}  // namespace symm::Impl

#endif
