// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#include "Cuda.hpp"

using namespace fake_hip;

extern "C" {

hipError_t hipMemcpy(void* to, void const* from, std::size_t bytes,
                     hipMemcpyKind) {
  return on_current(
      [&] { return SYMM_CUDA(cuMemcpy)(cuda(to), cuda(from), bytes); });
}
hipError_t hipMemcpyAsync(void* to, void const* from, std::size_t bytes,
                          hipMemcpyKind, hipStream_t stream) {
  return on_current([&] {
    return SYMM_CUDA(cuMemcpyAsync)(cuda(to), cuda(from), bytes, cuda(stream));
  });
}
hipError_t hipMemcpy2DAsync(void* to, std::size_t to_pitch, void const* from,
                            std::size_t from_pitch, std::size_t width,
                            std::size_t height, hipMemcpyKind,
                            hipStream_t stream) {
  CUDA_MEMCPY2D copy{};
  copy.srcMemoryType = CU_MEMORYTYPE_UNIFIED;
  copy.srcDevice     = cuda(from);
  copy.srcPitch      = from_pitch;
  copy.dstMemoryType = CU_MEMORYTYPE_UNIFIED;
  copy.dstDevice     = cuda(to);
  copy.dstPitch      = to_pitch;
  copy.WidthInBytes  = width;
  copy.Height        = height;
  return on_current(
      [&] { return SYMM_CUDA(cuMemcpy2DAsync)(&copy, cuda(stream)); });
}
hipError_t hipMemsetD8(hipDeviceptr_t address, unsigned char value,
                       std::size_t bytes) {
  return on_current(
      [&] { return SYMM_CUDA(cuMemsetD8)(cuda(address), value, bytes); });
}

}  // extern "C"
