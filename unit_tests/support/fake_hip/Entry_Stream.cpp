// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#include "Cuda.hpp"

#include <cstdint>

using namespace fake_hip;

namespace {

hipError_t batch(hipStream_t stream, CUstreamBatchMemOpType operation,
                 void* address, std::uint64_t value, unsigned flags) {
  CUstreamBatchMemOpParams all{};
  all.waitValue.operation = operation;
  all.waitValue.address   = cuda(address);
  all.waitValue.value64   = value;
  all.waitValue.flags     = flags;
  return on_current(
      [&] { return SYMM_CUDA(cuStreamBatchMemOp)(cuda(stream), 1, &all, 0); });
}

/// HIP compares unsigned words (device-libs, amdblit.cl: `(long)word < value`,
/// where `value` is unsigned), so every word is at least 0. (Here, a negative
/// word is below any other value, which it is not in HIP.)
template <class Word>
hipError_t wait(hipStream_t stream, CUstreamBatchMemOpType operation,
                void* address, Word value, unsigned flags, Word mask) {
  constexpr Word all  = ~Word{0};
  constexpr Word sign = all ^ (all >> 1U);
  if (flags == hipStreamWaitValueGte && mask == all) {
    if (value == 0) return hipSuccess;
    return batch(stream, operation, address, value, CU_STREAM_WAIT_VALUE_GEQ);
  }
  if (flags != hipStreamWaitValueEq) return hipErrorInvalidValue;
  if (mask == all) {
    return batch(stream, operation, address, value, CU_STREAM_WAIT_VALUE_EQ);
  }
  if (mask != sign || value != 0) return hipErrorInvalidValue;
  // CUDA's words wrap around: those at least 0 have no sign.
  return batch(stream, operation, address, 0, CU_STREAM_WAIT_VALUE_GEQ);
}

}  // namespace

extern "C" {

hipError_t hipStreamCreateWithPriority(hipStream_t* stream, unsigned flags,
                                       int priority) {
  return on_current([&] {
    return SYMM_CUDA(cuStreamCreateWithPriority)(
        reinterpret_cast<CUstream*>(stream), flags, priority);
  });
}
hipError_t hipStreamDestroy(hipStream_t stream) {
  return on_current([&] { return SYMM_CUDA(cuStreamDestroy)(cuda(stream)); });
}
hipError_t hipStreamQuery(hipStream_t stream) {
  return on_current([&] { return SYMM_CUDA(cuStreamQuery)(cuda(stream)); });
}
hipError_t hipStreamSynchronize(hipStream_t stream) {
  return on_current(
      [&] { return SYMM_CUDA(cuStreamSynchronize)(cuda(stream)); });
}
hipError_t hipStreamIsCapturing(hipStream_t stream,
                                hipStreamCaptureStatus* status) {
  CUstreamCaptureStatus its{};
  auto const result = on_current(
      [&] { return SYMM_CUDA(cuStreamIsCapturing)(cuda(stream), &its); });
  *status = static_cast<hipStreamCaptureStatus>(its);
  return result;
}
hipError_t hipStreamWaitEvent(hipStream_t stream, hipEvent_t event,
                              unsigned flags) {
  return on_current([&] {
    return SYMM_CUDA(cuStreamWaitEvent)(cuda(stream), cuda(event), flags);
  });
}
hipError_t hipEventCreateWithFlags(hipEvent_t* event, unsigned flags) {
  return on_current([&] {
    return SYMM_CUDA(cuEventCreate)(reinterpret_cast<CUevent*>(event), flags);
  });
}
hipError_t hipEventRecord(hipEvent_t event, hipStream_t stream) {
  return on_current(
      [&] { return SYMM_CUDA(cuEventRecord)(cuda(event), cuda(stream)); });
}
hipError_t hipEventDestroy(hipEvent_t event) {
  return on_current([&] { return SYMM_CUDA(cuEventDestroy)(cuda(event)); });
}
/// HIP has this function since version 5.6, and Kokkos calls it.
hipError_t hipStreamGetDevice(hipStream_t, hipDevice_t* device) {
  *device = s_device;
  return hipSuccess;
}

hipError_t hipStreamWaitValue32(hipStream_t stream, void* address,
                                std::uint32_t value, unsigned flags,
                                std::uint32_t mask) {
  return wait(stream, CU_STREAM_MEM_OP_WAIT_VALUE_32, address, value, flags,
              mask);
}
hipError_t hipStreamWaitValue64(hipStream_t stream, void* address,
                                std::uint64_t value, unsigned flags,
                                std::uint64_t mask) {
  return wait(stream, CU_STREAM_MEM_OP_WAIT_VALUE_64, address, value, flags,
              mask);
}
hipError_t hipStreamWriteValue32(hipStream_t stream, void* address,
                                 std::uint32_t value, unsigned) {
  return batch(stream, CU_STREAM_MEM_OP_WRITE_VALUE_32, address, value,
               CU_STREAM_WRITE_VALUE_DEFAULT);
}
hipError_t hipStreamWriteValue64(hipStream_t stream, void* address,
                                 std::uint64_t value, unsigned) {
  return batch(stream, CU_STREAM_MEM_OP_WRITE_VALUE_64, address, value,
               CU_STREAM_WRITE_VALUE_DEFAULT);
}

}  // extern "C"
