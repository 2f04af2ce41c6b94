// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef KOKKOS_SYMMETRICSPACE_CUDACHECK_HPP
#define KOKKOS_SYMMETRICSPACE_CUDACHECK_HPP

#include <Kokkos_Core.hpp>

#ifdef KOKKOS_ENABLE_CUDA

#include <string>

#include "../../runtime/symm_errors.hpp"

namespace symm::Impl {

/// For what `function` of CUDA has returned within `call` of this library.
/// \throws SystemError with both names and CUDA's text.
inline void check_cuda(cudaError_t result, char const* call,
                       char const* function) {
  if (result == cudaSuccess) return;
  // Kokkos would take it for a failure of its next kernel.
  static_cast<void>(cudaGetLastError());
  throw SystemError(std::string(call) + ": " + function +
                    " failed: " + cudaGetErrorString(result));
}

/// Chooses the device of `exec` for this thread: one that is new to CUDA would
/// make a context on device 0. \throws SystemError
inline void set_device_of(Kokkos::Cuda const& exec, char const* call) {
  check_cuda(cudaSetDevice(exec.cuda_device()), call, "cudaSetDevice");
}

}  // namespace symm::Impl

#endif
#endif
