// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#include "Cuda.hpp"

#include <cstdint>
#include <map>
#include <mutex>
#include <vector>

using namespace fake_hip;

namespace {

bool has(CUdevice_attribute which, int device) {
  int value = 0;
  return SYMM_CUDA(cuDeviceGetAttribute)(&value, which, device) ==
             CUDA_SUCCESS &&
         value != 0;
}

CUmemAllocationProp of_current_device(hipMemAllocationProp const& from) {
  auto to = cuda(from);
  if (from.location.type == hipMemLocationTypeDevice) to.location.id = s_device;
  return to;
}

/// The current device when each handle was created or imported: HIP maps the
/// memory for it. (Not known of handles that have been retained, or released
/// once.)
class DevicesOfHandles {
 public:
  void note(CUmemGenericAllocationHandle handle) {
    std::lock_guard const lock(m_mutex);
    m_devices[handle] = s_device;
  }
  void forget(CUmemGenericAllocationHandle handle) {
    std::lock_guard const lock(m_mutex);
    m_devices.erase(handle);
  }
  /// Whether the current device is the handle's, if that is known.
  bool is_current(CUmemGenericAllocationHandle handle) {
    std::lock_guard const lock(m_mutex);
    auto const found = m_devices.find(handle);
    return found == m_devices.end() || found->second == s_device;
  }

 private:
  std::mutex m_mutex;
  std::map<CUmemGenericAllocationHandle, int> m_devices;
};

// Never destroyed: programs use it until their end.
auto& s_devices = *new DevicesOfHandles;

}  // namespace

extern "C" {

hipError_t hipMemAddressReserve(void** address, std::size_t bytes,
                                std::size_t /*alignment*/, void* hint,
                                unsigned long long flags) {
  CUdeviceptr start = 0;
  auto const result =
      SYMM_CUDA(cuMemAddressReserve)(&start, bytes, 0, cuda(hint), flags);
  *address = reinterpret_cast<void*>(start);
  return error_of(result);
}
hipError_t hipMemAddressFree(void* address, std::size_t bytes) {
  return error_of(SYMM_CUDA(cuMemAddressFree)(cuda(address), bytes));
}

hipError_t hipMemGetAllocationGranularity(
    std::size_t* bytes, hipMemAllocationProp const* properties,
    hipMemAllocationGranularity_flags which) {
  // What CUDA has attributes for.
  bool const is_on_device =
      properties->location.type == hipMemLocationTypeDevice;
  int const device = s_device;
  if (!has(CU_DEVICE_ATTRIBUTE_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED, device)) {
    return hipErrorNotSupported;
  }
  if (properties->requestedHandleType != hipMemHandleTypeNone &&
      !has(CU_DEVICE_ATTRIBUTE_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR_SUPPORTED,
           device)) {
    return hipErrorNotSupported;
  }
  if (!is_on_device &&
      !has(CU_DEVICE_ATTRIBUTE_HOST_NUMA_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED,
           device)) {
    return hipErrorInvalidValue;
  }
  auto const wanted = of_current_device(*properties);
  return error_of(SYMM_CUDA(cuMemGetAllocationGranularity)(
      bytes, &wanted, static_cast<CUmemAllocationGranularity_flags>(which)));
}

hipError_t hipMemCreate(hipMemGenericAllocationHandle_t* handle,
                        std::size_t bytes,
                        hipMemAllocationProp const* properties,
                        unsigned long long flags) {
  auto const wanted                    = of_current_device(*properties);
  CUmemGenericAllocationHandle created = 0;
  auto const result = SYMM_CUDA(cuMemCreate)(&created, bytes, &wanted, flags);
  if (result == CUDA_SUCCESS &&
      properties->location.type == hipMemLocationTypeDevice) {
    s_devices.note(created);
  }
  *handle = reinterpret_cast<hipMemGenericAllocationHandle_t>(created);
  return error_of(result);
}
hipError_t hipMemRelease(hipMemGenericAllocationHandle_t handle) {
  s_devices.forget(cuda(handle));
  return error_of(SYMM_CUDA(cuMemRelease)(cuda(handle)));
}
hipError_t hipMemRetainAllocationHandle(hipMemGenericAllocationHandle_t* handle,
                                        void* address) {
  CUmemGenericAllocationHandle held = 0;
  auto const result = SYMM_CUDA(cuMemRetainAllocationHandle)(&held, address);
  *handle           = reinterpret_cast<hipMemGenericAllocationHandle_t>(held);
  if (version() < 71'500'000) {
    if (result != CUDA_SUCCESS) std::abort();
    static_cast<void>(SYMM_CUDA(cuMemRelease)(held));
  }
  return error_of(result);
}
hipError_t hipMemGetAllocationPropertiesFromHandle(
    hipMemAllocationProp* properties, hipMemGenericAllocationHandle_t handle) {
  CUmemAllocationProp its{};
  auto const result =
      SYMM_CUDA(cuMemGetAllocationPropertiesFromHandle)(&its, cuda(handle));
  *properties      = {};
  properties->type = static_cast<hipMemAllocationType>(its.type);
  properties->location.type =
      static_cast<hipMemLocationType>(its.location.type);
  properties->location.id         = its.location.id;
  properties->requestedHandleType = static_cast<hipMemAllocationHandleType>(
      its.requestedHandleTypes & CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR);
  return error_of(result);
}

hipError_t hipMemMap(void* address, std::size_t bytes, std::size_t offset,
                     hipMemGenericAllocationHandle_t handle,
                     unsigned long long flags) {
  // HIP would map it where this device finds it.
  if (!s_devices.is_current(cuda(handle))) return hipErrorInvalidDevice;
  return error_of(
      SYMM_CUDA(cuMemMap)(cuda(address), bytes, offset, cuda(handle), flags));
}
hipError_t hipMemUnmap(void* address, std::size_t bytes) {
  return error_of(SYMM_CUDA(cuMemUnmap)(cuda(address), bytes));
}
hipError_t hipMemSetAccess(void* address, std::size_t bytes,
                           hipMemAccessDesc const* all, std::size_t n) {
  std::vector<CUmemAccessDesc> rights;
  for (std::size_t i = 0; i < n; ++i) {
    rights.push_back(
        {cuda(all[i].location), static_cast<CUmemAccess_flags>(all[i].flags)});
  }
  return error_of(
      SYMM_CUDA(cuMemSetAccess)(cuda(address), bytes, rights.data(), n));
}
hipError_t hipMemGetAccess(unsigned long long* flags,
                           hipMemLocation const* location, void* address) {
  auto const place = cuda(*location);
  return error_of(SYMM_CUDA(cuMemGetAccess)(flags, &place, cuda(address)));
}

hipError_t hipMemExportToShareableHandle(void* shared,
                                         hipMemGenericAllocationHandle_t handle,
                                         hipMemAllocationHandleType type,
                                         unsigned long long flags) {
  if (type != hipMemHandleTypePosixFileDescriptor) return hipErrorInvalidValue;
  return error_of(SYMM_CUDA(cuMemExportToShareableHandle)(
      shared, cuda(handle), CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR, flags));
}
hipError_t hipMemImportFromShareableHandle(
    hipMemGenericAllocationHandle_t* handle, void* shared,
    hipMemAllocationHandleType type) {
  if (type != hipMemHandleTypePosixFileDescriptor) return hipErrorInvalidValue;
  bool const is_address = cuda(shared) > 1U << 20U;
  if (is_address != (version() < 70'100'000)) return hipErrorInvalidValue;
  auto const descriptor = is_address ? std::intptr_t{*static_cast<int*>(shared)}
                                     : reinterpret_cast<std::intptr_t>(shared);
  CUmemGenericAllocationHandle imported = 0;
  auto const result = SYMM_CUDA(cuMemImportFromShareableHandle)(
      &imported, reinterpret_cast<void*>(descriptor),
      CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR);
  if (result == CUDA_SUCCESS) s_devices.note(imported);
  *handle = reinterpret_cast<hipMemGenericAllocationHandle_t>(imported);
  return error_of(result);
}

}  // extern "C"
