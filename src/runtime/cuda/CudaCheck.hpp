// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_CUDA_CUDACHECK_HPP
#define SYMM_CUDA_CUDACHECK_HPP

#ifdef __CUDACC__

#include <string>

#include "../symm_errors.hpp"

namespace symm::Impl {

/// Checks the `result` of CUDA's `function`, called in `call` of this library.
/// \throws SystemError with both names and CUDA's text.
inline void check_cuda(cudaError_t result, char const* call,
                       char const* function) {
  if (result == cudaSuccess) return;
  // Clear it: the next caller of cudaGetLastError() must not see this error.
  static_cast<void>(cudaGetLastError());
  throw SystemError(std::string(call) + ": " + function +
                    " failed: " + cudaGetErrorString(result));
}

}  // namespace symm::Impl

#endif
#endif
