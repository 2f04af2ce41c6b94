// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_CUDA_DRIVER_HPP
#define SYMM_CUDA_DRIVER_HPP

#include <cuda.h>

#include <string>

// The driver functions that the library uses. (cuda.h renames some of them with
// macros, such as cuMemsetD8 to cuMemsetD8_v2; the macros also rename the
// members below.)
#define SYMM_FOR_EACH_CUDA_FUNCTION(X)      \
  X(cuCtxGetStreamPriorityRange)            \
  X(cuCtxPopCurrent)                        \
  X(cuCtxPushCurrent)                       \
  X(cuCtxSynchronize)                       \
  X(cuDeviceCanAccessPeer)                  \
  X(cuDeviceGet)                            \
  X(cuDeviceGetAttribute)                   \
  X(cuDeviceGetCount)                       \
  X(cuDeviceGetName)                        \
  X(cuDeviceGetPCIBusId)                    \
  X(cuDeviceGetUuid)                        \
  X(cuDevicePrimaryCtxRelease)              \
  X(cuDevicePrimaryCtxRetain)               \
  X(cuDeviceTotalMem)                       \
  X(cuDriverGetVersion)                     \
  X(cuEventCreate)                          \
  X(cuEventDestroy)                         \
  X(cuEventRecord)                          \
  X(cuGetErrorName)                         \
  X(cuGetErrorString)                       \
  X(cuInit)                                 \
  X(cuIpcCloseMemHandle)                    \
  X(cuIpcGetMemHandle)                      \
  X(cuIpcOpenMemHandle)                     \
  X(cuLaunchKernel)                         \
  X(cuMemAddressFree)                       \
  X(cuMemAddressReserve)                    \
  X(cuMemAlloc)                             \
  X(cuMemCreate)                            \
  X(cuMemExportToShareableHandle)           \
  X(cuMemGetAddressRange)                   \
  X(cuMemFree)                              \
  X(cuMemGetAllocationGranularity)          \
  X(cuMemGetAllocationPropertiesFromHandle) \
  X(cuMemGetInfo)                           \
  X(cuMemHostRegister)                      \
  X(cuMemHostUnregister)                    \
  X(cuMemImportFromShareableHandle)         \
  X(cuMemMap)                               \
  X(cuMemRelease)                           \
  X(cuMemRetainAllocationHandle)            \
  X(cuMemSetAccess)                         \
  X(cuMemUnmap)                             \
  X(cuMemcpy)                               \
  X(cuMemcpy2DAsync)                        \
  X(cuMemcpyAsync)                          \
  X(cuMemsetD8)                             \
  X(cuModuleGetFunction)                    \
  X(cuModuleGetLoadingMode)                 \
  X(cuModuleLoadData)                       \
  X(cuModuleUnload)                         \
  X(cuPointerGetAttribute)                  \
  X(cuStreamBatchMemOp)                     \
  X(cuStreamCreateWithPriority)             \
  X(cuStreamDestroy)                        \
  X(cuStreamIsCapturing)                    \
  X(cuStreamQuery)                          \
  X(cuStreamSynchronize)                    \
  X(cuStreamWaitEvent)

#include "../base/Types.hpp"

namespace symm::Impl {

/// The CUDA driver, loaded at run time instead of linked. A program built with
/// CUDA can therefore start on a machine without a GPU, and report what is
/// missing.
struct CudaDriver {
#define SYMM_DECLARE_CUDA_FUNCTION(name) decltype(&::name) name = nullptr;
  SYMM_FOR_EACH_CUDA_FUNCTION(SYMM_DECLARE_CUDA_FUNCTION)
#undef SYMM_DECLARE_CUDA_FUNCTION

  /// The driver on this machine, loaded and initialized. Local; callable from
  /// any thread.
  /// \throws SystemError if there is no driver, if it is too old, or if it
  ///         finds no GPU; the next call tries again.
  static CudaDriver const& instance();

  /// Throws unless `result` is CUDA_SUCCESS. The message is "<what>: <call>
  /// failed: CUDA_ERROR_X (<text>)".
  /// \throws OutOfMemory, SystemError.
  void check(CUresult result, std::string const& what, char const* call) const;

  /// An attribute of a device; 0 if the driver does not know the attribute and
  /// therefore lacks the feature.
  /// \param place names the device in error messages.
  /// \throws SystemError.
  [[nodiscard]] int attribute(CUdevice device, CUdevice_attribute which,
                              std::string const& place) const;

  /// Name and text of an error: "CUDA_ERROR_X (<text>)".
  [[nodiscard]] std::string text_of(CUresult result) const;
};

/// Converts an address to the type of the driver's parameters.
inline CUdeviceptr device_pointer(void const* address) {
  return reinterpret_cast<CUdeviceptr>(address);
}

}  // namespace symm::Impl

#endif
