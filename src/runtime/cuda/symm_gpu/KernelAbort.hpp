// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_GPU_KERNEL_ABORT_HPP
#define SYMM_GPU_KERNEL_ABORT_HPP

#ifdef __CUDACC__

#include <cstddef>

// The function of the CUDA runtime that assert() calls. Declared exactly as in
// Kokkos, because nvcc sees both declarations.
extern "C" {
// NOLINTNEXTLINE(bugprone-reserved-identifier)
[[noreturn]] __device__ void __assertfail(void const* message, void const* file,
                                          unsigned int line,
                                          void const* function,
                                          std::size_t charsize);
}

namespace symm::Impl::InKernel {

/// Prints `text` to stderr and aborts the kernel. Every later CUDA call in this
/// process fails.
[[noreturn]] inline __device__ void abort(char const* text) {
  __assertfail(text, "", 0, "", sizeof(char));
}

}  // namespace symm::Impl::InKernel

#endif
#endif
