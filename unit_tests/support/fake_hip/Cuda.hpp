// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_TEST_FAKE_HIP_CUDA_HPP
#define SYMM_TEST_FAKE_HIP_CUDA_HPP

// A stand-in for HIP's runtime library: it answers the functions of HIP that
// the library calls by functions of the CUDA driver, which is the fake one
// (fake_cuda/) or a real one. Errors have HIP's names and texts. Kernels of HIP
// do not run: a module has the CUDA code of symm_change_words(), whatever its
// image.
//
// What it does differently from CUDA is what ROCm's sources do (docs/
// hip_port.md): it ignores the alignment of a reservation, and memory is
// created, imported and mapped for the thread's current device.
//
// FAKE_HIP_VERSION  the version of HIP, as in HIP_VERSION; default: a recent
//                   one. Before 7.1, a descriptor is imported by its address;
//                   before 7.2, an attribute of addresses is not supported;
//                   before 7.15, hipMemRetainAllocationHandle() does not
//                   retain, and ends the process if it knows no such memory
// FAKE_HIP_MOVES    page-locked memory has another address on the GPU
//
// The entry points are in Entry_X.cpp. This is what they share: CUDA's driver
// and its types, and each thread's current device.

#include <cuda.h>
#include <dlfcn.h>
#define __HIP_DISABLE_CPP_FUNCTIONS__  // NOLINT(bugprone-reserved-identifier)
#include <hip/hip_runtime_api.h>

#include <cstdlib>

namespace fake_hip {

void* library();

template <class Function>
Function find(char const* symbol) {
  void* const found =
      library() == nullptr ? nullptr : ::dlsym(library(), symbol);
  if (found == nullptr) std::abort();  // hipInit() looks for the library
  return reinterpret_cast<Function>(found);
}

#define SYMM_TEXT(name) #name
/// A function of the driver, by the name that cuda.h gives it.
#define SYMM_CUDA(name)                                                      \
  ([] {                                                                      \
    static auto const s_function = find<decltype(&::name)>(SYMM_TEXT(name)); \
    return s_function;                                                       \
  }())

/// Most errors have the same number in both.
inline hipError_t error_of(CUresult result) {
  if (result == CUDA_ERROR_NOT_PERMITTED) return hipErrorNotSupported;
  return static_cast<hipError_t>(result);
}

/// Each thread has a current device, at first 0; the driver's contexts are
/// current only during a call.
inline thread_local int s_device = 0;

CUresult context_of(int device, CUcontext& context);

/// Calls `body`, which returns a CUresult, with the context of a device.
template <class Body>
hipError_t on(int device, Body const& body) {
  CUcontext context = nullptr;
  auto result       = context_of(device, context);
  if (result != CUDA_SUCCESS) return error_of(result);
  result = SYMM_CUDA(cuCtxPushCurrent)(context);
  if (result != CUDA_SUCCESS) return error_of(result);
  result = body();
  static_cast<void>(SYMM_CUDA(cuCtxPopCurrent)(&context));
  return error_of(result);
}

template <class Body>
hipError_t on_current(Body const& body) {
  return on(s_device, body);
}

int version();

// Types.

inline CUdeviceptr cuda(void const* address) {
  return reinterpret_cast<CUdeviceptr>(address);
}
inline CUstream cuda(hipStream_t stream) {
  return reinterpret_cast<CUstream>(stream);
}
inline CUevent cuda(hipEvent_t event) {
  return reinterpret_cast<CUevent>(event);
}
inline CUmemGenericAllocationHandle cuda(
    hipMemGenericAllocationHandle_t handle) {
  return reinterpret_cast<CUmemGenericAllocationHandle>(handle);
}

inline CUmemLocation cuda(hipMemLocation const& from) {
  CUmemLocation to{};
  to.type = static_cast<CUmemLocationType>(from.type);  // the same numbers
  to.id   = from.id;
  return to;
}

inline CUmemAllocationProp cuda(hipMemAllocationProp const& from) {
  CUmemAllocationProp to{};
  to.type     = static_cast<CUmemAllocationType>(from.type);
  to.location = cuda(from.location);
  to.requestedHandleTypes =
      static_cast<CUmemAllocationHandleType>(from.requestedHandleType);
  return to;
}

}  // namespace fake_hip

#endif
