// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#include <Kokkos_SymmetricSpace_RmaStrided.hpp>
#include "cuda/CudaCheck.hpp"

#include <algorithm>
#include <string>

#include "../runtime/symm_errors.hpp"

namespace symm {

void check_strides(std::size_t dest_stride, std::size_t source_stride,
                   char const* call) {
  if (dest_stride != 0 && source_stride != 0) return;
  throw UsageError(std::string(call) + ": strides are at least 1, not " +
                   std::to_string(dest_stride) + " (dest) and " +
                   std::to_string(source_stride) + " (source)");
}

#ifdef KOKKOS_ENABLE_CUDA

namespace {

/// The largest stride of a copy of the device, in bytes.
std::size_t max_pitch(int device, char const* call) {
  int bytes = 0;
  check_cuda(cudaDeviceGetAttribute(&bytes, cudaDevAttrMaxPitch, device), call,
             "cudaDeviceGetAttribute");
  return static_cast<std::size_t>(bytes);
}

}  // namespace

void copy_by_device(Kokkos::Cuda const& exec, StridedCopy<char> const& copy,
                    std::size_t size, char const* call) {
  auto const& [dest, source, dest_stride, source_stride, count] = copy;
  set_device_of(exec, call);
  auto const enqueue = [&](void* to, void const* from, std::size_t bytes) {
    check_cuda(
        cudaMemcpyAsync(to, from, bytes, cudaMemcpyDefault, exec.cuda_stream()),
        call, "cudaMemcpyAsync");
  };
  std::size_t const longest = std::max(dest_stride, source_stride);
  if (count == 1 || longest == 1) {
    enqueue(dest, source, count * size);
  } else if (longest <= max_pitch(exec.cuda_device(), call) / size) {
    check_cuda(cudaMemcpy2DAsync(dest, dest_stride * size, source,
                                 source_stride * size, size, count,
                                 cudaMemcpyDefault, exec.cuda_stream()),
               call, "cudaMemcpy2DAsync");
  } else {  // no memory has many of them
    for (std::size_t i = 0; i < count; ++i) {
      enqueue(dest + i * dest_stride * size, source + i * source_stride * size,
              size);
    }
  }
}

#endif

}  // namespace symm
