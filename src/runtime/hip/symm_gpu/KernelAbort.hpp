// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_GPU_KERNEL_ABORT_HPP
#define SYMM_GPU_KERNEL_ABORT_HPP

#ifdef __HIPCC__

#include "../../base/Function.hpp"

namespace symm::Impl::InKernel {

/// Prints `text` to stderr and aborts the kernel, and with it the program. (Not
/// tried: HIP's header prints the text and then executes a trap.)
[[noreturn]] inline __device__ void abort(char const* text) {
  ::__assert_fail(text, "", 0, "");
  __builtin_unreachable();
}

}  // namespace symm::Impl::InKernel

#endif
#endif
