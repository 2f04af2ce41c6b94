// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#include "Cuda.hpp"

#include <cstdlib>
#include <cstring>

using namespace fake_hip;

namespace {

CUpointer_attribute of_cuda(hipPointer_attribute which) {
  switch (which) {
    case HIP_POINTER_ATTRIBUTE_MEMORY_TYPE:
      return CU_POINTER_ATTRIBUTE_MEMORY_TYPE;
    case HIP_POINTER_ATTRIBUTE_IS_MANAGED:
      return CU_POINTER_ATTRIBUTE_IS_MANAGED;
    case HIP_POINTER_ATTRIBUTE_DEVICE_ORDINAL:
      return CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL;
    default: return CU_POINTER_ATTRIBUTE_IS_LEGACY_CUDA_IPC_CAPABLE;
  }
}

}  // namespace

extern "C" {

hipError_t hipMemGetInfo(std::size_t* free, std::size_t* total) {
  return on_current([&] { return SYMM_CUDA(cuMemGetInfo)(free, total); });
}
hipError_t hipMalloc(void** address, std::size_t bytes) {
  CUdeviceptr start = 0;
  auto const result =
      on_current([&] { return SYMM_CUDA(cuMemAlloc)(&start, bytes); });
  *address = reinterpret_cast<void*>(start);
  return result;
}
hipError_t hipFree(void* address) {
  return on_current([&] { return SYMM_CUDA(cuMemFree)(cuda(address)); });
}
hipError_t hipMemGetAddressRange(hipDeviceptr_t* start, std::size_t* bytes,
                                 hipDeviceptr_t address) {
  CUdeviceptr first = 0;
  auto const result = on_current([&] {
    return SYMM_CUDA(cuMemGetAddressRange)(&first, bytes, cuda(address));
  });
  *start            = reinterpret_cast<void*>(first);
  return result;
}
hipError_t hipPointerGetAttribute(void* data, hipPointer_attribute which,
                                  hipDeviceptr_t address) {
  if (which == HIP_POINTER_ATTRIBUTE_IS_LEGACY_HIP_IPC_CAPABLE &&
      version() < 70'200'000) {
    return hipErrorNotSupported;
  }
  auto const result = on_current([&] {
    return SYMM_CUDA(cuPointerGetAttribute)(data, of_cuda(which),
                                            cuda(address));
  });
  if (result == hipSuccess && which == HIP_POINTER_ATTRIBUTE_MEMORY_TYPE) {
    auto& type = *static_cast<unsigned*>(data);
    type = type == CU_MEMORYTYPE_HOST ? hipMemoryTypeHost : hipMemoryTypeDevice;
  }
  return result;
}
hipError_t hipHostRegister(void* address, std::size_t bytes, unsigned flags) {
  return on_current(
      [&] { return SYMM_CUDA(cuMemHostRegister)(address, bytes, flags); });
}
hipError_t hipHostGetDevicePointer(void** on_gpu, void* address,
                                   unsigned /*flags*/) {
  bool const moves = std::getenv("FAKE_HIP_MOVES") != nullptr;
  *on_gpu          = static_cast<char*>(address) + (moves ? 4096 : 0);
  return hipSuccess;
}
hipError_t hipHostUnregister(void* address) {
  return on_current([&] { return SYMM_CUDA(cuMemHostUnregister)(address); });
}

static_assert(sizeof(hipIpcMemHandle_t) == sizeof(CUipcMemHandle));

hipError_t hipIpcGetMemHandle(hipIpcMemHandle_t* handle, void* address) {
  return on_current([&] {
    return SYMM_CUDA(cuIpcGetMemHandle)(
        reinterpret_cast<CUipcMemHandle*>(handle), cuda(address));
  });
}
hipError_t hipIpcOpenMemHandle(void** address, hipIpcMemHandle_t handle,
                               unsigned) {
  CUipcMemHandle its{};
  std::memcpy(&its, &handle, sizeof its);
  CUdeviceptr start = 0;
  auto const result = on_current([&] {
    return SYMM_CUDA(cuIpcOpenMemHandle)(&start, its,
                                         CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS);
  });
  *address          = reinterpret_cast<void*>(start);
  return result;
}
hipError_t hipIpcCloseMemHandle(void* address) {
  return on_current(
      [&] { return SYMM_CUDA(cuIpcCloseMemHandle)(cuda(address)); });
}

}  // extern "C"
