// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_GPU_DRIVER_NAMES_HPP
#define SYMM_GPU_DRIVER_NAMES_HPP

#include <cuda.h>

// The names that gpu/ has for functions, types and values of the CUDA driver.
// Another vendor's file has the same names.

// The driver functions that the library uses. (cuda.h renames some of them with
// macros, such as cuMemsetD8 to cuMemsetD8_v2.)
#define SYMM_FOR_EACH_DRIVER_FUNCTION(X)                              \
  X(copy, cuMemcpy)                                                   \
  X(copy_2d_async, cuMemcpy2DAsync)                                   \
  X(copy_async, cuMemcpyAsync)                                        \
  X(ctx_pop_current, cuCtxPopCurrent)                                 \
  X(ctx_push_current, cuCtxPushCurrent)                               \
  X(device_can_access_peer, cuDeviceCanAccessPeer)                    \
  X(device_get, cuDeviceGet)                                          \
  X(device_get_attribute, cuDeviceGetAttribute)                       \
  X(device_get_bus_id, cuDeviceGetPCIBusId)                           \
  X(device_get_count, cuDeviceGetCount)                               \
  X(device_get_name, cuDeviceGetName)                                 \
  X(device_get_uuid, cuDeviceGetUuid)                                 \
  X(device_primary_ctx_release, cuDevicePrimaryCtxRelease)            \
  X(device_primary_ctx_retain, cuDevicePrimaryCtxRetain)              \
  X(device_total_mem, cuDeviceTotalMem)                               \
  X(driver_get_version, cuDriverGetVersion)                           \
  X(event_create, cuEventCreate)                                      \
  X(event_destroy, cuEventDestroy)                                    \
  X(event_record, cuEventRecord)                                      \
  X(fill, cuMemsetD8)                                                 \
  X(get_error_name, cuGetErrorName)                                   \
  X(get_error_string, cuGetErrorString)                               \
  X(get_stream_priority_range, cuCtxGetStreamPriorityRange)           \
  X(host_register, cuMemHostRegister)                                 \
  X(host_unregister, cuMemHostUnregister)                             \
  X(init, cuInit)                                                     \
  X(ipc_close_mem_handle, cuIpcCloseMemHandle)                        \
  X(ipc_get_mem_handle, cuIpcGetMemHandle)                            \
  X(ipc_open_mem_handle, cuIpcOpenMemHandle)                          \
  X(launch_kernel, cuLaunchKernel)                                    \
  X(mem_address_free, cuMemAddressFree)                               \
  X(mem_address_reserve, cuMemAddressReserve)                         \
  X(mem_alloc, cuMemAlloc)                                            \
  X(mem_create, cuMemCreate)                                          \
  X(mem_export_to_shareable_handle, cuMemExportToShareableHandle)     \
  X(mem_free, cuMemFree)                                              \
  X(mem_get_address_range, cuMemGetAddressRange)                      \
  X(mem_get_allocation_granularity, cuMemGetAllocationGranularity)    \
  X(mem_get_allocation_properties_from_handle,                        \
    cuMemGetAllocationPropertiesFromHandle)                           \
  X(mem_get_info, cuMemGetInfo)                                       \
  X(mem_import_from_shareable_handle, cuMemImportFromShareableHandle) \
  X(mem_map, cuMemMap)                                                \
  X(mem_release, cuMemRelease)                                        \
  X(mem_retain_allocation_handle, cuMemRetainAllocationHandle)        \
  X(mem_set_access, cuMemSetAccess)                                   \
  X(mem_unmap, cuMemUnmap)                                            \
  X(module_get_function, cuModuleGetFunction)                         \
  X(module_get_loading_mode, cuModuleGetLoadingMode)                  \
  X(module_load_data, cuModuleLoadData)                               \
  X(module_unload, cuModuleUnload)                                    \
  X(pointer_get_attribute, cuPointerGetAttribute)                     \
  X(stream_batch_mem_op, cuStreamBatchMemOp)                          \
  X(stream_create_with_priority, cuStreamCreateWithPriority)          \
  X(stream_destroy, cuStreamDestroy)                                  \
  X(stream_is_capturing, cuStreamIsCapturing)                         \
  X(stream_query, cuStreamQuery)                                      \
  X(stream_synchronize, cuStreamSynchronize)                          \
  X(stream_wait_event, cuStreamWaitEvent)                             \
  X(synchronize, cuCtxSynchronize)

namespace symm::Impl::gpu {

using Result           = CUresult;
using Device           = CUdevice;
using DeviceAttribute  = CUdevice_attribute;
using Context          = CUcontext;
using Pointer          = CUdeviceptr;
using PointerAttribute = CUpointer_attribute;
using MemoryHandle     = CUmemGenericAllocationHandle;
using MemoryProperties = CUmemAllocationProp;
using HandleType       = CUmemAllocationHandleType;
using Location         = CUmemLocation;
using AccessRights     = CUmemAccessDesc;
using Granularity      = CUmemAllocationGranularity_flags;
using IpcHandle        = CUipcMemHandle;
using Uuid             = CUuuid;
using Stream           = CUstream;
using CaptureStatus    = CUstreamCaptureStatus;
using Event            = CUevent;
using Module           = CUmodule;
using Kernel           = CUfunction;

inline constexpr auto success             = CUDA_SUCCESS;
inline constexpr auto out_of_memory       = CUDA_ERROR_OUT_OF_MEMORY;
inline constexpr auto invalid_value       = CUDA_ERROR_INVALID_VALUE;
inline constexpr auto invalid_context     = CUDA_ERROR_INVALID_CONTEXT;
inline constexpr auto not_found           = CUDA_ERROR_NOT_FOUND;
inline constexpr auto not_permitted       = CUDA_ERROR_NOT_PERMITTED;
inline constexpr auto not_ready           = CUDA_ERROR_NOT_READY;
inline constexpr auto not_supported       = CUDA_ERROR_NOT_SUPPORTED;
inline constexpr auto captures_implicitly = CUDA_ERROR_STREAM_CAPTURE_IMPLICIT;
inline constexpr auto already_page_locked =
    CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED;
inline constexpr auto not_page_locked = CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED;

// Attributes of a device.
inline constexpr auto has_virtual_memory =
    CU_DEVICE_ATTRIBUTE_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED;
inline constexpr auto has_file_descriptors =
    CU_DEVICE_ATTRIBUTE_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR_SUPPORTED;
inline constexpr auto has_fabric =
    CU_DEVICE_ATTRIBUTE_HANDLE_TYPE_FABRIC_SUPPORTED;
inline constexpr auto has_host_memory =
    CU_DEVICE_ATTRIBUTE_HOST_NUMA_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED;
inline constexpr auto numa_node = CU_DEVICE_ATTRIBUTE_HOST_NUMA_ID;
inline constexpr auto max_pitch = CU_DEVICE_ATTRIBUTE_MAX_PITCH;
inline constexpr auto n_multiprocessors =
    CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT;

// Physical memory.
inline constexpr auto pinned        = CU_MEM_ALLOCATION_TYPE_PINNED;
inline constexpr auto on_device     = CU_MEM_LOCATION_TYPE_DEVICE;
inline constexpr auto on_numa_node  = CU_MEM_LOCATION_TYPE_HOST_NUMA;
inline constexpr auto by_nothing    = CU_MEM_HANDLE_TYPE_NONE;
inline constexpr auto by_descriptor = CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR;
inline constexpr auto by_fabric     = CU_MEM_HANDLE_TYPE_FABRIC;
// Whether calls about memory concern the thread's current device.
inline constexpr bool memory_is_of_current_device = false;
inline constexpr auto no_access           = CU_MEM_ACCESS_FLAGS_PROT_NONE;
inline constexpr auto read_only           = CU_MEM_ACCESS_FLAGS_PROT_READ;
inline constexpr auto read_write          = CU_MEM_ACCESS_FLAGS_PROT_READWRITE;
inline constexpr auto minimum_granularity = CU_MEM_ALLOC_GRANULARITY_MINIMUM;
inline constexpr auto recommended_granularity =
    CU_MEM_ALLOC_GRANULARITY_RECOMMENDED;

/// The ways in which memory with these properties can be shared.
template <class Properties>  // of memory, or const
auto& handle_types(Properties&& properties) {
  return properties.requestedHandleTypes;
}

// Attributes of an address, and the values of `memory_type`.
inline constexpr auto memory_type    = CU_POINTER_ATTRIBUTE_MEMORY_TYPE;
inline constexpr auto is_managed     = CU_POINTER_ATTRIBUTE_IS_MANAGED;
inline constexpr auto device_ordinal = CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL;
inline constexpr auto has_ipc = CU_POINTER_ATTRIBUTE_IS_LEGACY_CUDA_IPC_CAPABLE;
inline constexpr int host_memory   = CU_MEMORYTYPE_HOST;
inline constexpr int device_memory = CU_MEMORYTYPE_DEVICE;

// Flags.
inline constexpr auto without_timing       = CU_EVENT_DISABLE_TIMING;
inline constexpr auto non_blocking         = CU_STREAM_NON_BLOCKING;
inline constexpr auto no_capture           = CU_STREAM_CAPTURE_STATUS_NONE;
inline constexpr auto lazy_peer_access     = CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS;
inline constexpr unsigned for_all_contexts = CU_MEMHOSTREGISTER_PORTABLE;

// Words of error messages.
namespace text {
inline constexpr auto* provider      = "Vmm_Cuda";
inline constexpr auto* library       = "libcuda.so.1";
inline constexpr auto* runtime       = "CUDA";
inline constexpr auto* driver        = "CUDA driver";
inline constexpr auto* oldest_driver = "12.2";
inline constexpr auto* needed        = "an NVIDIA GPU and its driver";
inline constexpr auto* managed       = "CUDA managed memory";
inline constexpr auto* malloc        = "cudaMalloc";
inline constexpr auto* malloc_async  = "cudaMallocAsync";
inline constexpr auto* malloc_host   = "cudaMallocHost";
inline constexpr auto* host_register = "cudaHostRegister";
inline constexpr auto* enter         = "cuCtxPushCurrent";
}  // namespace text

}  // namespace symm::Impl::gpu

#endif
