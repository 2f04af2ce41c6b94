// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
// Virtual memory management.

#include <fcntl.h>

#include <cstdint>
#include <cstring>

#include "Driver.hpp"

using fake_cuda::Allocation;
using fake_cuda::Driver;
using fake_cuda::Entry;
using fake_cuda::Fabric;
using fake_cuda::Place;

namespace {

constexpr int fd_type     = CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR;
constexpr int fabric_type = CU_MEM_HANDLE_TYPE_FABRIC;

bool is_host(CUmemLocationType type) {
  return type == CU_MEM_LOCATION_TYPE_HOST ||
         type == CU_MEM_LOCATION_TYPE_HOST_NUMA;
}

/// Whether memory can be there at all.
CUresult check_properties(Driver const& driver,
                          CUmemAllocationProp const& properties) {
  auto const& [type, id] = properties.location;
  if (properties.type != CU_MEM_ALLOCATION_TYPE_PINNED) {
    return CUDA_ERROR_INVALID_VALUE;
  }
  if (type == CU_MEM_LOCATION_TYPE_DEVICE) {
    if (id < 0 || id >= driver.n_devices()) return CUDA_ERROR_INVALID_DEVICE;
    auto const gpu = static_cast<std::size_t>(driver.gpu_of(id));
    return driver.config.devices[gpu].has_vmm ? CUDA_SUCCESS
                                              : CUDA_ERROR_NOT_SUPPORTED;
  }
  if (type == CU_MEM_LOCATION_TYPE_HOST) {
    return properties.requestedHandleTypes == 0 ? CUDA_SUCCESS
                                                : CUDA_ERROR_INVALID_VALUE;
  }
  // The machine has one NUMA node.
  return type == CU_MEM_LOCATION_TYPE_HOST_NUMA && id == 0
             ? CUDA_SUCCESS
             : CUDA_ERROR_INVALID_VALUE;
}

CUresult check_handle_types(Driver const& driver, int types) {
  if ((types & ~(fd_type | fabric_type)) != 0) return CUDA_ERROR_INVALID_VALUE;
  if ((types & fabric_type) == 0) return CUDA_SUCCESS;
  switch (driver.config.fabric) {
    case Fabric::absent: return CUDA_ERROR_NOT_SUPPORTED;
    case Fabric::denied: return CUDA_ERROR_NOT_PERMITTED;
    default: return CUDA_SUCCESS;
  }
}

Place place_of(Driver const& driver, CUmemLocation const& location) {
  if (is_host(location.type)) return {false, 0};
  return {true, driver.gpu_of(location.id)};
}

bool has_room(Driver const& driver, Place place, std::size_t bytes) {
  if (!place.is_gpu) return true;
  auto const gpu = static_cast<std::size_t>(place.number);
  auto const all = driver.config.devices[gpu].memory_bytes;
  auto const used =
      fake_cuda::bytes_in_use(driver.config.machine, place.name());
  return used <= all && bytes <= all - used;
}

/// Adds the right that `wish` gives for `memory`, if it can be given.
CUresult add_right(Driver const& driver, Allocation const& memory,
                   CUmemAccessDesc const& wish,
                   fake_cuda::AddressSpace::Rights& rights) {
  if (wish.flags == CU_MEM_ACCESS_FLAGS_PROT_READ &&
      !driver.config.has_read_only) {
    return CUDA_ERROR_NOT_SUPPORTED;
  }
  if (is_host(wish.location.type)) {
    if (memory.place.is_gpu) return CUDA_ERROR_INVALID_VALUE;
    rights["cpu"] = wish.flags;
    return CUDA_SUCCESS;
  }
  int const id = wish.location.id;
  if (wish.location.type != CU_MEM_LOCATION_TYPE_DEVICE || id < 0 ||
      id >= driver.n_devices()) {
    return CUDA_ERROR_INVALID_DEVICE;
  }
  int const gpu = driver.gpu_of(id);
  bool const may_be =
      memory.place.is_gpu
          ? driver.config.are_peers(gpu, memory.place.number)
          : driver.config.devices.at(std::size_t(gpu)).has_host_numa;
  if (!may_be) return CUDA_ERROR_INVALID_DEVICE;
  rights[Place{true, gpu}.name()] = wish.flags;
  return CUDA_SUCCESS;
}

}  // namespace

CUresult cuMemGetAllocationGranularity(std::size_t* bytes,
                                       CUmemAllocationProp const* properties,
                                       CUmemAllocationGranularity_flags) {
  Entry entry("cuMemGetAllocationGranularity");
  if (entry.result() != CUDA_SUCCESS) return entry.result();
  *bytes = fake_cuda::granularity;
  return check_properties(entry.driver, *properties);
}

CUresult cuMemAddressReserve(CUdeviceptr* address, std::size_t bytes,
                             std::size_t alignment, CUdeviceptr hint,
                             unsigned long long flags) {
  Entry entry("cuMemAddressReserve");
  if (entry.result() != CUDA_SUCCESS) return entry.result();
  if (flags != 0) return CUDA_ERROR_INVALID_VALUE;
  return entry.driver.addresses.reserve(*address, bytes, alignment, hint);
}

CUresult cuMemAddressFree(CUdeviceptr address, std::size_t bytes) {
  Entry entry("cuMemAddressFree");
  if (entry.result() != CUDA_SUCCESS) return entry.result();
  return entry.driver.addresses.free(address, bytes);
}

CUresult cuMemCreate(CUmemGenericAllocationHandle* handle, std::size_t bytes,
                     CUmemAllocationProp const* properties,
                     unsigned long long flags) {
  Entry entry("cuMemCreate");
  if (entry.result() != CUDA_SUCCESS) return entry.result();
  auto& driver = entry.driver;
  if (flags != 0 || bytes == 0 || bytes % fake_cuda::granularity != 0) {
    return CUDA_ERROR_INVALID_VALUE;
  }
  int const types = properties->requestedHandleTypes;
  for (auto const result : {check_properties(driver, *properties),
                            check_handle_types(driver, types)}) {
    if (result != CUDA_SUCCESS) return result;
  }
  auto const place = place_of(driver, properties->location);
  if (!has_room(driver, place, bytes)) return CUDA_ERROR_OUT_OF_MEMORY;
  auto const memory =
      fake_cuda::create_allocation(driver.config.machine, place, bytes, types);
  if (memory == nullptr) return CUDA_ERROR_OUT_OF_MEMORY;
  *handle = driver.add_reference(memory);
  return CUDA_SUCCESS;
}

CUresult cuMemRelease(CUmemGenericAllocationHandle handle) {
  Entry entry("cuMemRelease");
  if (entry.result() != CUDA_SUCCESS) return entry.result();
  auto const memory = entry.driver.memory_of(handle);
  if (memory == nullptr) return CUDA_ERROR_INVALID_HANDLE;
  if (--memory->n_references == 0) entry.driver.handles.erase(handle);
  return CUDA_SUCCESS;
}

CUresult cuMemRetainAllocationHandle(CUmemGenericAllocationHandle* handle,
                                     void* address) {
  Entry entry("cuMemRetainAllocationHandle");
  if (entry.result() != CUDA_SUCCESS) return entry.result();
  auto const* const mapping = entry.driver.addresses.mapping_around(
      reinterpret_cast<CUdeviceptr>(address));
  if (mapping == nullptr) return CUDA_ERROR_INVALID_VALUE;
  *handle = entry.driver.add_reference(mapping->memory);
  return CUDA_SUCCESS;
}

CUresult cuMemGetAllocationPropertiesFromHandle(
    CUmemAllocationProp* properties, CUmemGenericAllocationHandle handle) {
  Entry entry("cuMemGetAllocationPropertiesFromHandle");
  if (entry.result() != CUDA_SUCCESS) return entry.result();
  auto const memory = entry.driver.memory_of(handle);
  if (memory == nullptr) return CUDA_ERROR_INVALID_HANDLE;
  *properties               = {};
  properties->type          = CU_MEM_ALLOCATION_TYPE_PINNED;
  properties->location.type = memory->place.is_gpu
                                  ? CU_MEM_LOCATION_TYPE_DEVICE
                                  : CU_MEM_LOCATION_TYPE_HOST_NUMA;
  properties->location.id   = entry.driver.ordinal_of(memory->place);
  properties->requestedHandleTypes =
      static_cast<CUmemAllocationHandleType>(memory->handle_types);
  return CUDA_SUCCESS;
}

CUresult cuMemMap(CUdeviceptr address, std::size_t bytes, std::size_t offset,
                  CUmemGenericAllocationHandle handle,
                  unsigned long long flags) {
  Entry entry("cuMemMap");
  if (entry.result() != CUDA_SUCCESS) return entry.result();
  auto const memory = entry.driver.memory_of(handle);
  if (memory == nullptr) return CUDA_ERROR_INVALID_HANDLE;
  if (flags != 0 || offset != 0) return CUDA_ERROR_INVALID_VALUE;
  return entry.driver.addresses.map(address, bytes, memory);
}

CUresult cuMemUnmap(CUdeviceptr address, std::size_t bytes) {
  Entry entry("cuMemUnmap");
  if (entry.result() != CUDA_SUCCESS) return entry.result();
  return entry.driver.addresses.unmap(address, bytes);
}

CUresult cuMemSetAccess(CUdeviceptr address, std::size_t bytes,
                        CUmemAccessDesc const* wishes, std::size_t count) {
  Entry entry("cuMemSetAccess");
  if (entry.result() != CUDA_SUCCESS) return entry.result();
  auto& addresses           = entry.driver.addresses;
  auto const* const mapping = addresses.mapping_at(address, bytes);
  if (mapping == nullptr || count == 0) return CUDA_ERROR_INVALID_VALUE;
  fake_cuda::AddressSpace::Rights rights;
  for (std::size_t i = 0; i < count; ++i) {
    auto const result =
        add_right(entry.driver, *mapping->memory, wishes[i], rights);
    if (result != CUDA_SUCCESS) return result;
  }
  return addresses.set_access(address, bytes, rights);
}

CUresult cuMemGetAccess(unsigned long long* flags,
                        CUmemLocation const* location, CUdeviceptr address) {
  Entry entry("cuMemGetAccess");
  if (entry.result() != CUDA_SUCCESS) return entry.result();
  auto const* const mapping = entry.driver.addresses.mapping_around(address);
  if (mapping == nullptr) return CUDA_ERROR_INVALID_VALUE;
  auto const place  = is_host(location->type)
                          ? "cpu"
                          : place_of(entry.driver, *location).name();
  auto const rights = mapping->rights.find(place);
  *flags = rights == mapping->rights.end() ? CU_MEM_ACCESS_FLAGS_PROT_NONE
                                           : rights->second;
  return CUDA_SUCCESS;
}

CUresult cuMemExportToShareableHandle(void* shareable,
                                      CUmemGenericAllocationHandle handle,
                                      CUmemAllocationHandleType type,
                                      unsigned long long flags) {
  Entry entry("cuMemExportToShareableHandle");
  if (entry.result() != CUDA_SUCCESS) return entry.result();
  auto const memory = entry.driver.memory_of(handle);
  if (memory == nullptr) return CUDA_ERROR_INVALID_HANDLE;
  if (flags != 0 || (type != fd_type && type != fabric_type) ||
      (memory->handle_types & type) == 0) {
    return CUDA_ERROR_INVALID_VALUE;
  }
  if (type == fabric_type) {
    auto const fabric = fake_cuda::fabric_handle_of(*memory);
    std::memcpy(shareable, &fabric, sizeof fabric);
    return CUDA_SUCCESS;
  }
  // Nothing promises that programs which this one starts do not inherit it.
  int const descriptor = ::fcntl(memory->file.get(), F_DUPFD, 0);
  if (descriptor < 0) return CUDA_ERROR_UNKNOWN;
  std::memcpy(shareable, &descriptor, sizeof descriptor);
  return CUDA_SUCCESS;
}

CUresult cuMemImportFromShareableHandle(CUmemGenericAllocationHandle* handle,
                                        void* shareable,
                                        CUmemAllocationHandleType type) {
  Entry entry("cuMemImportFromShareableHandle");
  if (entry.result() != CUDA_SUCCESS) return entry.result();
  auto& driver = entry.driver;
  symm::Impl::UniqueFd file;
  if (type == fabric_type) {
    if (driver.config.fabric != Fabric::granted) {
      return CUDA_ERROR_NOT_PERMITTED;
    }
    CUmemFabricHandle fabric{};
    std::memcpy(&fabric, shareable, sizeof fabric);
    file = fake_cuda::open_fabric_handle(fabric);
  } else if (type == fd_type) {
    auto const theirs =
        static_cast<int>(reinterpret_cast<std::intptr_t>(shareable));
    file = symm::Impl::UniqueFd(::fcntl(theirs, F_DUPFD_CLOEXEC, 0));
  }
  if (!file) return CUDA_ERROR_UNKNOWN;
  auto const memory =
      fake_cuda::open_allocation(driver.config.machine, std::move(file));
  if (memory == nullptr || (memory->handle_types & type) == 0) {
    return CUDA_ERROR_UNKNOWN;
  }
  // Of a GPU that CUDA_VISIBLE_DEVICES hides, too: as the driver does.
  *handle = driver.add_reference(memory);
  return CUDA_SUCCESS;
}
