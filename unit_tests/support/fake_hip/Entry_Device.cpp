// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#include "Cuda.hpp"

#include <cstring>

using namespace fake_hip;

extern "C" {

hipError_t hipInit(unsigned flags) {
  if (library() == nullptr) return hipErrorNoDevice;
  return error_of(SYMM_CUDA(cuInit)(flags));
}

hipError_t hipDriverGetVersion(int* result) {
  *result = version();
  return hipSuccess;
}

hipError_t hipGetDevice(int* device) {
  *device = s_device;
  return hipSuccess;
}

hipError_t hipSetDevice(int device) {
  auto const result = on(device, [] { return CUDA_SUCCESS; });
  if (result == hipSuccess) s_device = device;
  return result;
}

hipError_t hipGetDeviceCount(int* count) {
  return error_of(SYMM_CUDA(cuDeviceGetCount)(count));
}
hipError_t hipDeviceGet(hipDevice_t* device, int ordinal) {
  return error_of(SYMM_CUDA(cuDeviceGet)(device, ordinal));
}
hipError_t hipDeviceGetName(char* name, int bytes, hipDevice_t device) {
  return error_of(SYMM_CUDA(cuDeviceGetName)(name, bytes, device));
}
hipError_t hipDeviceGetPCIBusId(char* name, int bytes, int device) {
  return error_of(SYMM_CUDA(cuDeviceGetPCIBusId)(name, bytes, device));
}
hipError_t hipDeviceTotalMem(std::size_t* bytes, hipDevice_t device) {
  return error_of(SYMM_CUDA(cuDeviceTotalMem)(bytes, device));
}
hipError_t hipDeviceCanAccessPeer(int* can, int device, int peer) {
  return error_of(SYMM_CUDA(cuDeviceCanAccessPeer)(can, device, peer));
}

hipError_t hipDeviceGetUuid(hipUUID* uuid, hipDevice_t device) {
  CUuuid bits{};
  auto const result = SYMM_CUDA(cuDeviceGetUuid)(&bits, device);
  static_assert(sizeof bits == sizeof *uuid);
  std::memcpy(uuid, &bits, sizeof bits);
  return error_of(result);
}

hipError_t hipDeviceGetAttribute(int* value, hipDeviceAttribute_t which,
                                 int device) {
  bool const is_pitch = which == hipDeviceAttributeMaxPitch;
  if (!is_pitch && which != hipDeviceAttributeMultiprocessorCount)
    return hipErrorInvalidValue;
  return error_of(SYMM_CUDA(cuDeviceGetAttribute)(
      value,
      is_pitch ? CU_DEVICE_ATTRIBUTE_MAX_PITCH
               : CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT,
      device));
}

hipError_t hipGetDeviceProperties(hipDeviceProp_t* properties, int device) {
  *properties = {};
  std::strcpy(properties->gcnArchName, "stand-in");
  return hipDeviceGetName(properties->name, sizeof properties->name, device);
}

hipError_t hipDeviceSynchronize() {
  return on_current([] { return SYMM_CUDA(cuCtxSynchronize)(); });
}
hipError_t hipDeviceGetStreamPriorityRange(int* least, int* greatest) {
  return on_current(
      [&] { return SYMM_CUDA(cuCtxGetStreamPriorityRange)(least, greatest); });
}

}  // extern "C"
