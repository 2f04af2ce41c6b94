// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_PERF_CUDA_CHECK_HPP
#define SYMM_PERF_CUDA_CHECK_HPP

#include <cuda_runtime_api.h>

#include <stdexcept>
#include <string>
#include <string_view>

namespace perf {

/// \throws std::runtime_error with CUDA's own text if `code` is an error.
inline void check_cuda(cudaError_t code, std::string_view call) {
  if (code == cudaSuccess) return;
  throw std::runtime_error(std::string(call) +
                           " failed: " + cudaGetErrorName(code) + " (" +
                           cudaGetErrorString(code) + ")");
}

}  // namespace perf

#endif
