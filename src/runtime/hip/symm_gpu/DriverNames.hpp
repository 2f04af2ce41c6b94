// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_GPU_DRIVER_NAMES_HPP
#define SYMM_GPU_DRIVER_NAMES_HPP

// Without overloads, a function of HIP has one address.
#define __HIP_DISABLE_CPP_FUNCTIONS__  // NOLINT(bugprone-reserved-identifier)
#include <hip/hip_runtime_api.h>

#include <bit>

// The names that gpu/ has for functions, types and values of HIP. (See the file
// in cuda/.) They are those of HIP 5.2.3, unless a comment says otherwise.

// HIP's runtime library is also its driver. (HIP's header renames some
// functions with macros, such as hipGetDeviceProperties since HIP 6.)
#define SYMM_FOR_EACH_DRIVER_FUNCTION(X)                               \
  X(copy, hipMemcpy)                                                   \
  X(copy_2d_async, hipMemcpy2DAsync)                                   \
  X(copy_async, hipMemcpyAsync)                                        \
  X(device_can_access_peer, hipDeviceCanAccessPeer)                    \
  X(device_get, hipDeviceGet)                                          \
  X(device_get_attribute, hipDeviceGetAttribute)                       \
  X(device_get_bus_id, hipDeviceGetPCIBusId)                           \
  X(device_get_count, hipGetDeviceCount)                               \
  X(device_get_name, hipDeviceGetName)                                 \
  X(device_get_uuid, hipDeviceGetUuid)                                 \
  X(device_total_mem, hipDeviceTotalMem)                               \
  X(driver_get_version, hipDriverGetVersion)                           \
  X(event_create, hipEventCreateWithFlags)                             \
  X(event_destroy, hipEventDestroy)                                    \
  X(event_record, hipEventRecord)                                      \
  X(fill, hipMemsetD8)                                                 \
  X(get_device, hipGetDevice)                                          \
  X(get_device_properties, hipGetDeviceProperties)                     \
  X(get_error_name, hipGetErrorName)                                   \
  X(get_error_string, hipGetErrorString)                               \
  X(get_stream_priority_range, hipDeviceGetStreamPriorityRange)        \
  X(host_get_device_pointer, hipHostGetDevicePointer)                  \
  X(host_register, hipHostRegister)                                    \
  X(host_unregister, hipHostUnregister)                                \
  X(init, hipInit)                                                     \
  X(ipc_close_mem_handle, hipIpcCloseMemHandle)                        \
  X(ipc_get_mem_handle, hipIpcGetMemHandle)                            \
  X(ipc_open_mem_handle, hipIpcOpenMemHandle)                          \
  X(launch_kernel, hipModuleLaunchKernel)                              \
  X(mem_address_free, hipMemAddressFree)                               \
  X(mem_address_reserve, hipMemAddressReserve)                         \
  X(mem_alloc, hipMalloc)                                              \
  X(mem_create, hipMemCreate)                                          \
  X(mem_export_to_shareable_handle, hipMemExportToShareableHandle)     \
  X(mem_free, hipFree)                                                 \
  X(mem_get_address_range, hipMemGetAddressRange)                      \
  X(mem_get_allocation_granularity, hipMemGetAllocationGranularity)    \
  X(mem_get_allocation_properties_from_handle,                         \
    hipMemGetAllocationPropertiesFromHandle)                           \
  X(mem_get_info, hipMemGetInfo)                                       \
  X(mem_import_from_shareable_handle, hipMemImportFromShareableHandle) \
  X(mem_map, hipMemMap)                                                \
  X(mem_release, hipMemRelease)                                        \
  X(mem_retain_allocation_handle, hipMemRetainAllocationHandle)        \
  X(mem_set_access, hipMemSetAccess)                                   \
  X(mem_unmap, hipMemUnmap)                                            \
  X(module_get_function, hipModuleGetFunction)                         \
  X(module_load_data, hipModuleLoadData)                               \
  X(module_unload, hipModuleUnload)                                    \
  X(pointer_get_attribute, hipPointerGetAttribute)                     \
  X(set_device, hipSetDevice)                                          \
  X(store_word_32, hipStreamWriteValue32)                              \
  X(store_word_64, hipStreamWriteValue64)                              \
  X(stream_create_with_priority, hipStreamCreateWithPriority)          \
  X(stream_destroy, hipStreamDestroy)                                  \
  X(stream_is_capturing, hipStreamIsCapturing)                         \
  X(stream_query, hipStreamQuery)                                      \
  X(stream_synchronize, hipStreamSynchronize)                          \
  X(stream_wait_event, hipStreamWaitEvent)                             \
  X(synchronize, hipDeviceSynchronize)                                 \
  X(wait_for_word_32, hipStreamWaitValue32)                            \
  X(wait_for_word_64, hipStreamWaitValue64)

namespace symm::Impl::gpu {

using Result           = hipError_t;
using Device           = hipDevice_t;
using DeviceAttribute  = hipDeviceAttribute_t;
using Context          = int;  // the device: threads have a current one
using Pointer          = hipDeviceptr_t;
using PointerAttribute = hipPointer_attribute;
using MemoryHandle     = hipMemGenericAllocationHandle_t;
using MemoryProperties = hipMemAllocationProp;
using HandleType       = hipMemAllocationHandleType;
using Location         = hipMemLocation;
using AccessRights     = hipMemAccessDesc;
using Granularity      = hipMemAllocationGranularity_flags;
using IpcHandle        = hipIpcMemHandle_t;
using Uuid             = hipUUID;
using Stream           = hipStream_t;
using CaptureStatus    = hipStreamCaptureStatus;
using Event            = hipEvent_t;
using Module           = hipModule_t;
using Kernel           = hipFunction_t;

inline constexpr auto success         = hipSuccess;
inline constexpr auto out_of_memory   = hipErrorOutOfMemory;
inline constexpr auto invalid_value   = hipErrorInvalidValue;
inline constexpr auto invalid_context = hipErrorInvalidContext;
inline constexpr auto not_found       = hipErrorNotFound;
inline constexpr auto not_ready       = hipErrorNotReady;
inline constexpr auto not_supported   = hipErrorNotSupported;
// HIP has no such error. This is the number of CUDA's.
inline constexpr auto not_permitted       = static_cast<hipError_t>(800);
inline constexpr auto captures_implicitly = hipErrorStreamCaptureImplicit;
inline constexpr auto already_page_locked = hipErrorHostMemoryAlreadyRegistered;
inline constexpr auto not_page_locked     = hipErrorHostMemoryNotRegistered;

// Attributes of a device. HIP 5.2.3 has only the last two: Driver::attribute()
// determines the others.
inline constexpr auto own_attribute(int number) {
  return static_cast<DeviceAttribute>(
      int{hipDeviceAttributeVendorSpecificBegin} + number);
}
inline constexpr auto has_virtual_memory   = own_attribute(1);
inline constexpr auto has_file_descriptors = own_attribute(2);
inline constexpr auto has_fabric           = own_attribute(3);
inline constexpr auto has_host_memory      = own_attribute(4);
inline constexpr auto numa_node            = own_attribute(5);
inline constexpr auto max_pitch            = hipDeviceAttributeMaxPitch;
inline constexpr auto n_multiprocessors = hipDeviceAttributeMultiprocessorCount;

// Physical memory.
inline constexpr auto pinned    = hipMemAllocationTypePinned;
inline constexpr auto on_device = hipMemLocationTypeDevice;
// hipMemLocationTypeHostNuma, since HIP 7. Not constexpr: older headers declare
// an enumeration that cannot have the value.
inline auto const on_numa_node      = std::bit_cast<hipMemLocationType>(3);
inline constexpr auto by_nothing    = hipMemHandleTypeNone;
inline constexpr auto by_descriptor = hipMemHandleTypePosixFileDescriptor;
inline constexpr auto by_fabric     = hipMemHandleTypeNone;  // HIP has none
// Whether calls about memory concern the thread's current device. (Some of them
// do so in some versions.)
inline constexpr bool memory_is_of_current_device = true;
inline constexpr auto no_access                   = hipMemAccessFlagsProtNone;
inline constexpr auto read_only                   = hipMemAccessFlagsProtRead;
inline constexpr auto read_write          = hipMemAccessFlagsProtReadWrite;
inline constexpr auto minimum_granularity = hipMemAllocationGranularityMinimum;
inline constexpr auto recommended_granularity =
    hipMemAllocationGranularityRecommended;

/// The ways in which memory with these properties can be shared.
template <class Properties>  // of memory, or const
auto& handle_types(Properties&& properties) {
  if constexpr (requires { properties.requestedHandleTypes; }) {  // since HIP 7
    return properties.requestedHandleTypes;
  } else {
    return properties.requestedHandleType;
  }
}

// Attributes of an address, and the values of `memory_type`.
inline constexpr auto memory_type    = HIP_POINTER_ATTRIBUTE_MEMORY_TYPE;
inline constexpr auto is_managed     = HIP_POINTER_ATTRIBUTE_IS_MANAGED;
inline constexpr auto device_ordinal = HIP_POINTER_ATTRIBUTE_DEVICE_ORDINAL;
inline constexpr auto has_ipc = HIP_POINTER_ATTRIBUTE_IS_LEGACY_HIP_IPC_CAPABLE;
inline constexpr int host_memory   = hipMemoryTypeHost;
inline constexpr int device_memory = hipMemoryTypeDevice;

// Flags.
inline constexpr unsigned without_timing   = hipEventDisableTiming;
inline constexpr unsigned non_blocking     = hipStreamNonBlocking;
inline constexpr auto no_capture           = hipStreamCaptureStatusNone;
inline constexpr unsigned lazy_peer_access = hipIpcMemLazyEnablePeerAccess;
inline constexpr unsigned for_all_contexts = hipHostRegisterPortable;

// Words of error messages.
namespace text {
inline constexpr auto* provider      = "Vmm_Hip";
inline constexpr auto* library       = SYMM_HIP_LIBRARY;
inline constexpr auto* runtime       = "HIP";
inline constexpr auto* driver        = "HIP runtime";
inline constexpr auto* oldest_driver = "Kokkos 5.0.2 needs ROCm 6.2";
inline constexpr auto* needed        = "an AMD GPU and ROCm";
inline constexpr auto* managed       = "HIP managed memory";
inline constexpr auto* malloc        = "hipMalloc";
inline constexpr auto* malloc_async  = "hipMallocAsync";
inline constexpr auto* malloc_host   = "hipHostMalloc";
inline constexpr auto* host_register = "hipHostRegister";
inline constexpr auto* enter         = "hipSetDevice";
}  // namespace text

}  // namespace symm::Impl::gpu

#endif
