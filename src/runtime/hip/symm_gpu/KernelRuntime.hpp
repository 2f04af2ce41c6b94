// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_GPU_KERNEL_RUNTIME_HPP
#define SYMM_GPU_KERNEL_RUNTIME_HPP

#ifdef __HIPCC__

#include <string>

#include "../../base/Function.hpp"
#include "../../symm_errors.hpp"

namespace symm::Impl {

/// Checks the `result` of HIP's `function`, called in this library's `call`.
/// \throws SystemError with both names and HIP's error text.
inline void check_hip(hipError_t result, char const* call,
                      char const* function) {
  if (result == hipSuccess) return;
  // Clear the error, so that the next caller of hipGetLastError() does not get
  // it.
  static_cast<void>(hipGetLastError());
  throw SystemError(std::string(call) + ": " + function +
                    " failed: " + hipGetErrorString(result));
}

// The headers in gpu/ call these functions of HIP. `call` is the library's
// call. \throws SystemError.

/// Sets a variable in the constant memory of this source file's kernels.
template <class T>
void set_constant(char const* call, T& variable, T const& value) {
  check_hip(hipMemcpyToSymbol(HIP_SYMBOL(variable), &value, sizeof value), call,
            "hipMemcpyToSymbol");
}

/// Makes a GPU the current one of this thread.
inline void use_device(char const* call, int device) {
  check_hip(hipSetDevice(device), call, "hipSetDevice");
}

/// The GPUs that HIP finds.
[[nodiscard]] inline int count_devices(char const* call) {
  int count = 0;
  check_hip(hipGetDeviceCount(&count), call, "hipGetDeviceCount");
  return count;
}

}  // namespace symm::Impl

#endif
#endif
