// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_CUDA_CUDACHECK_HPP
#define SYMM_CUDA_CUDACHECK_HPP

#ifdef __CUDACC__

#include <string>

#include "../symm_errors.hpp"

namespace symm::Impl {

/// Checks the `result` of CUDA's `function`, called in this library's `call`.
/// \throws SystemError with both names and CUDA's error text.
inline void check_cuda(cudaError_t result, char const* call,
                       char const* function) {
  if (result == cudaSuccess) return;
  // Clear the error, so that the next caller of cudaGetLastError() does not get
  // it.
  static_cast<void>(cudaGetLastError());
  throw SystemError(std::string(call) + ": " + function +
                    " failed: " + cudaGetErrorString(result));
}

}  // namespace symm::Impl

#endif
#endif
