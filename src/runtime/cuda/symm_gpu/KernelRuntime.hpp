// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_GPU_KERNEL_RUNTIME_HPP
#define SYMM_GPU_KERNEL_RUNTIME_HPP

#ifdef __CUDACC__

#include <string>

#include "../../symm_errors.hpp"

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

// The headers in gpu/ call these functions of CUDA's runtime. `call` is the
// library's call.
// \throws SystemError.

/// Sets a variable in the constant memory of this source file's kernels.
template <class T>
void set_constant(char const* call, T& variable, T const& value) {
  check_cuda(cudaMemcpyToSymbol(variable, &value, sizeof value), call,
             "cudaMemcpyToSymbol");
}

/// Makes a GPU the current one of this thread.
inline void use_device(char const* call, int device) {
  check_cuda(cudaSetDevice(device), call, "cudaSetDevice");
}

/// The GPUs that CUDA's runtime finds.
[[nodiscard]] inline int count_devices(char const* call) {
  int count = 0;
  check_cuda(cudaGetDeviceCount(&count), call, "cudaGetDeviceCount");
  return count;
}

}  // namespace symm::Impl

#endif
#endif
