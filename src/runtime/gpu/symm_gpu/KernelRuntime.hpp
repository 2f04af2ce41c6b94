// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_GPU_KERNEL_RUNTIME_HPP
#define SYMM_GPU_KERNEL_RUNTIME_HPP

#include "../../base/Function.hpp"

#ifdef SYMM_COMPILES_KERNELS

#include <string>

#include <symm_gpu/RuntimeNames.hpp>

#include "../../symm_errors.hpp"

// Calls of the vendor's runtime library, whose functions have the same names
// but for a prefix. `call` is this library's call. \throws SystemError.

namespace symm::Impl {

/// Checks the `result` of the runtime library's `function`.
/// \throws SystemError with both names and the text of the error.
inline void check_gpu(SYMM_GPU_RUNTIME(Error_t) result, char const* call,
                      char const* function) {
  if (result == SYMM_GPU_RUNTIME(Success)) return;
  // Clear the error, so that the next caller of GetLastError() does not get it.
  static_cast<void>(SYMM_GPU_RUNTIME(GetLastError)());
  throw SystemError(std::string(call) + ": " + function +
                    " failed: " + SYMM_GPU_RUNTIME(GetErrorString)(result));
}

/// Sets a variable in the constant memory of this source file's kernels.
template <class T>
void set_constant(char const* call, T& variable, T const& value) {
  check_gpu(SYMM_GPU_RUNTIME(MemcpyToSymbol)(SYMM_GPU_RUNTIME_SYMBOL(variable),
                                             &value, sizeof value),
            call, SYMM_GPU_RUNTIME_TEXT(MemcpyToSymbol));
}

/// Makes a GPU the current one of this thread.
inline void use_device(char const* call, int device) {
  check_gpu(SYMM_GPU_RUNTIME(SetDevice)(device), call,
            SYMM_GPU_RUNTIME_TEXT(SetDevice));
}

/// The GPUs that the runtime library finds.
[[nodiscard]] inline int count_devices(char const* call) {
  int count = 0;
  check_gpu(SYMM_GPU_RUNTIME(GetDeviceCount)(&count), call,
            SYMM_GPU_RUNTIME_TEXT(GetDeviceCount));
  return count;
}

}  // namespace symm::Impl

#endif
#endif
