// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#include "Vmm_Cuda.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <memory>
#include <utility>

#include "../base/Failure.hpp"
#include "../memory/HostMemory.hpp"

namespace symm::Impl {

Vmm_Cuda::Vmm_Cuda(CudaDriver const& driver, MemoryKind kind, int device,
                   int n_sharers)
    : m_driver(driver),
      m_kind(kind),
      m_n_sharers(static_cast<std::size_t>(n_sharers)),
      m_place("GPU " + std::to_string(device)) {
  check(m_driver.cuDeviceGet(&m_device, device), "looking for " + m_place,
        "cuDeviceGet");
  char name[48] = "";
  check(m_driver.cuDeviceGetName(name, sizeof name, m_device),
        "asking for the name of " + m_place, "cuDeviceGetName");
  // Ordinals differ between processes, but the bus address identifies a GPU.
  char bus[16] = "";
  check(m_driver.cuDeviceGetPCIBusId(bus, sizeof bus, m_device),
        "asking for the place of " + m_place, "cuDeviceGetPCIBusId");
  m_place += " (" + std::string(name) + ", " + bus + ")";
  require(CU_DEVICE_ATTRIBUTE_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED,
          "virtual memory management");
  require(CU_DEVICE_ATTRIBUTE_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR_SUPPORTED,
          "memory shared by file descriptor");
  choose_location();
  choose_granularity();
  m_ledger.emplace(
      "Vmm_Cuda", static_cast<std::size_t>(::sysconf(_SC_PAGESIZE)), m_minimum);
  m_may_have_fabric =
      kind == MemoryKind::device &&
      attribute(CU_DEVICE_ATTRIBUTE_HANDLE_TYPE_FABRIC_SUPPORTED) != 0;
  // This must be the last step: if a later step failed, no destructor would
  // release the context.
  check(m_driver.cuDevicePrimaryCtxRetain(&m_context, m_device),
        "using " + m_place, "cuDevicePrimaryCtxRetain");
}

Vmm_Cuda::~Vmm_Cuda() {
  if (m_is_abandoned) return;
  // A call fails only if the driver has already shut down, and has thereby
  // released everything.
  if (m_event != nullptr) static_cast<void>(m_driver.cuEventDestroy(m_event));
  if (m_module != nullptr) {
    CUcontext ours = nullptr;
    if (m_driver.cuCtxPushCurrent(m_context) == CUDA_SUCCESS) {
      static_cast<void>(m_driver.cuModuleUnload(m_module));
      static_cast<void>(m_driver.cuCtxPopCurrent(&ours));
    }
  }
  for (auto const& [address, mapping] : m_ledger->mappings()) {
    static_cast<void>(
        m_driver.cuMemUnmap(device_pointer(address), mapping.bytes));
  }
  for (auto const& entry : m_ledger->handles()) {
    static_cast<void>(m_driver.cuMemRelease(entry.second->handle));
  }
  for (auto const& [address, bytes] : m_ledger->reservations()) {
    static_cast<void>(
        m_driver.cuMemAddressFree(device_pointer(address), bytes));
  }
  static_cast<void>(m_driver.cuDevicePrimaryCtxRelease(m_device));
}

int Vmm_Cuda::attribute(CUdevice_attribute which) const {
  return m_driver.attribute(m_device, which, m_place);
}

void Vmm_Cuda::require(CUdevice_attribute which, char const* what) const {
  if (attribute(which) != 0) return;
  throw SystemError(m_place + " or its driver has no " + what +
                    ", which the symmetric heap needs");
}

void Vmm_Cuda::choose_location() {
  CUmemLocation const gpu{CU_MEM_LOCATION_TYPE_DEVICE, {m_device}};
  m_properties.type     = CU_MEM_ALLOCATION_TYPE_PINNED;
  m_properties.location = gpu;
  m_users               = {gpu};
  if (m_kind == MemoryKind::device) return;
  require(CU_DEVICE_ATTRIBUTE_HOST_NUMA_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED,
          "virtual memory management of host memory");
  // -1 or unknown: the system has no NUMA, so all of its memory is on node 0.
  int const node = std::max(attribute(CU_DEVICE_ATTRIBUTE_HOST_NUMA_ID), 0);
  CUmemLocation const cpu{CU_MEM_LOCATION_TYPE_HOST_NUMA, {node}};
  m_properties.location = cpu;
  m_users.push_back(cpu);
  m_place = "host memory next to " + m_place;
}

void Vmm_Cuda::choose_granularity() {
  auto properties                 = m_properties;
  properties.requestedHandleTypes = CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR;
  auto const ask = [&](CUmemAllocationGranularity_flags which) {
    std::size_t bytes = 0;
    check(m_driver.cuMemGetAllocationGranularity(&bytes, &properties, which),
          "asking for the granularity of " + m_place,
          "cuMemGetAllocationGranularity");
    return bytes;
  };
  m_minimum     = ask(CU_MEM_ALLOC_GRANULARITY_MINIMUM);
  m_recommended = ask(CU_MEM_ALLOC_GRANULARITY_RECOMMENDED);
}

std::size_t Vmm_Cuda::granularity(Granularity kind) const {
  return kind == Granularity::minimum ? m_minimum : m_recommended;
}

char* Vmm_Cuda::reserve(std::size_t bytes, std::size_t alignment, void* hint) {
  std::lock_guard const lock(m_mutex);
  m_ledger->check_reserve(bytes, alignment, hint);
  CUdeviceptr address = 0;
  auto const result   = m_driver.cuMemAddressReserve(&address, bytes, alignment,
                                                     device_pointer(hint), 0);
  // The driver reports a reservation that is too large as an invalid value.
  if (result == CUDA_ERROR_OUT_OF_MEMORY ||
      result == CUDA_ERROR_INVALID_VALUE) {
    throw OutOfMemory(
        "reserving " + bytes_text(bytes) + " of addresses, aligned to " +
        std::to_string(alignment) + ": cuMemAddressReserve failed: " +
        m_driver.text_of(result) + "; SYMM_HEAP_LIMIT asks for less");
  }
  check(result, "reserving " + bytes_text(bytes) + " of addresses",
        "cuMemAddressReserve");
  auto* const start = reinterpret_cast<char*>(address);
  if (alignment > 1 && !is_multiple(address, alignment)) {
    // Cannot fail: this is exactly one reservation without mappings.
    static_cast<void>(m_driver.cuMemAddressFree(address, bytes));
    throw SystemError("reserving " + bytes_text(bytes) +
                      " of addresses: the driver has not aligned them to " +
                      std::to_string(alignment));
  }
  m_ledger->add_reservation(start, bytes);
  return start;
}

void Vmm_Cuda::check_host_memory(std::size_t bytes) const {
  // All PEs pin their memory at the same time. Without this check, the system
  // would kill a process if memory ran short.
  std::size_t const left =
      available_host_memory(HostMemoryUse::pinned) / m_n_sharers;
  if (bytes <= left) return;
  throw OutOfMemory("no host memory for " + bytes_text(bytes) + ": " +
                    bytes_text(left) + " left for each of the " +
                    std::to_string(m_n_sharers) + " PEs of this node");
}

CUresult Vmm_Cuda::create_memory(Memory& memory, int handle_types) const {
  auto properties = m_properties;
  properties.requestedHandleTypes =
      static_cast<CUmemAllocationHandleType>(handle_types);
  return m_driver.cuMemCreate(&memory.handle, memory.bytes, &properties, 0);
}

void Vmm_Cuda::throw_no_memory(std::size_t bytes, CUresult result) const {
  std::size_t free  = 0;
  std::size_t total = 0;
  ContextGuard const context(*this);
  check(m_driver.cuMemGetInfo(&free, &total),
        "asking for the free memory of " + m_place, "cuMemGetInfo");
  throw OutOfMemory(m_place + " has no memory for " + bytes_text(bytes) + ": " +
                    std::to_string(free) + " of " + bytes_text(total) +
                    " free: cuMemCreate failed: " + m_driver.text_of(result));
}

Vmm::Handle Vmm_Cuda::add_handle(std::shared_ptr<Memory> const& memory) {
  try {
    return m_ledger->add_handle(memory);
  } catch (...) {
    // Otherwise the driver's handle would have no owner. Report the original
    // error, even if the release fails, too.
    static_cast<void>(m_driver.cuMemRelease(memory->handle));
    throw;
  }
}

Vmm::Handle Vmm_Cuda::create(std::size_t bytes, Sharing sharing) {
  std::lock_guard const lock(m_mutex);
  m_ledger->check_create(bytes);
  if (m_kind == MemoryKind::host) check_host_memory(bytes);
  auto memory            = std::make_shared<Memory>(Memory{0, bytes, sharing});
  int const handle_types = sharing == Sharing::none
                               ? CU_MEM_HANDLE_TYPE_NONE
                               : CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR;
  auto result            = CUDA_ERROR_NOT_PERMITTED;
  if (sharing == Sharing::by_descriptor && m_may_have_fabric) {
    result = create_memory(*memory, handle_types | CU_MEM_HANDLE_TYPE_FABRIC);
    // The driver permits this only to users with an IMEX channel (V16, V17).
    memory->has_fabric = result == CUDA_SUCCESS;
    m_may_have_fabric  = result != CUDA_ERROR_NOT_PERMITTED &&
                        result != CUDA_ERROR_NOT_SUPPORTED;
  }
  if (!memory->has_fabric && result != CUDA_ERROR_OUT_OF_MEMORY) {
    result = create_memory(*memory, handle_types);
  }
  if (result == CUDA_ERROR_OUT_OF_MEMORY) throw_no_memory(bytes, result);
  check(result, "creating " + bytes_text(bytes) + " in " + m_place,
        "cuMemCreate");
  return add_handle(memory);
}

void Vmm_Cuda::map(char* address, std::size_t bytes, std::size_t offset,
                   Handle handle) {
  std::lock_guard const lock(m_mutex);
  auto const& memory = m_ledger->add_mapping(address, bytes, offset, handle);
  auto const result  = m_driver.cuMemMap(device_pointer(address), bytes, offset,
                                         memory.handle, 0);
  if (result == CUDA_SUCCESS) return;
  m_ledger->forget_mapping(address);
  check(result, "mapping " + bytes_text(bytes) + " of " + m_place, "cuMemMap");
}

void Vmm_Cuda::set_access(char* address, std::size_t bytes, Access access) {
  std::lock_guard const lock(m_mutex);
  static_cast<void>(m_ledger->check_mapping(address, bytes, "set_access"));
  auto const rights = access == Access::none ? CU_MEM_ACCESS_FLAGS_PROT_NONE
                      : access == Access::read
                          ? CU_MEM_ACCESS_FLAGS_PROT_READ
                          : CU_MEM_ACCESS_FLAGS_PROT_READWRITE;
  std::vector<CUmemAccessDesc> rights_of;
  for (auto const& user : m_users) rights_of.push_back({user, rights});
  check(m_driver.cuMemSetAccess(device_pointer(address), bytes,
                                rights_of.data(), rights_of.size()),
        "giving " + m_place + " access to " + bytes_text(bytes),
        "cuMemSetAccess");
}

UniqueFd Vmm_Cuda::export_handle(Handle handle) {
  std::lock_guard const lock(m_mutex);
  auto const& memory = m_ledger->memory_to_export(handle);
  int descriptor     = -1;
  check(m_driver.cuMemExportToShareableHandle(
            &descriptor, memory->handle,
            CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR, 0),
        "exporting memory of " + m_place, "cuMemExportToShareableHandle");
  UniqueFd result(descriptor);
  // The driver does not guarantee this flag. Without it, a program started by
  // this process would keep the memory alive.
  if (::fcntl(result.get(), F_SETFD, FD_CLOEXEC) != 0) {
    throw SystemError("exporting memory of " + m_place, "fcntl(F_SETFD)",
                      errno);
  }
  return result;
}

CUresult Vmm_Cuda::import_memory(CUmemGenericAllocationHandle& handle,
                                 UniqueFd const& descriptor) const {
  auto* const value =
      reinterpret_cast<void*>(static_cast<std::intptr_t>(descriptor.get()));
  return m_driver.cuMemImportFromShareableHandle(
      &handle, value, CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR);
}

Vmm::Handle Vmm_Cuda::import_handle(UniqueFd descriptor, std::size_t bytes) {
  std::lock_guard const lock(m_mutex);
  m_ledger->check_import(bytes);
  if (!descriptor) m_ledger->throw_usage("import_handle", "no descriptor");
  auto memory =
      std::make_shared<Memory>(Memory{0, bytes, Sharing::by_descriptor});
  check(import_memory(memory->handle, descriptor), "importing memory",
        "cuMemImportFromShareableHandle");
  return add_handle(memory);
}

bool Vmm_Cuda::can_import(UniqueFd const& descriptor) const {
  CUmemGenericAllocationHandle handle = 0;
  if (import_memory(handle, descriptor) != CUDA_SUCCESS) return false;
  // Cannot fail: the handle was just imported.
  static_cast<void>(m_driver.cuMemRelease(handle));
  return true;
}

std::optional<Vmm::Access> Vmm_Cuda::access_from(MemoryKind user,
                                                 int device) const {
  if (user == MemoryKind::host) {
    return m_kind == MemoryKind::host ? Access::read_write : Access::none;
  }
  CUdevice other = 0;
  if (m_driver.cuDeviceGet(&other, device) != CUDA_SUCCESS) return std::nullopt;
  return other == m_device ? Access::read_write : Access::none;
}

std::optional<Vmm::FabricHandle> Vmm_Cuda::export_fabric(Handle handle) {
  std::lock_guard const lock(m_mutex);
  auto const& memory = m_ledger->memory_to_export(handle);
  if (!memory->has_fabric) return std::nullopt;
  FabricHandle fabric{};
  static_assert(sizeof fabric == sizeof(CUmemFabricHandle));
  if (m_driver.cuMemExportToShareableHandle(&fabric, memory->handle,
                                            CU_MEM_HANDLE_TYPE_FABRIC,
                                            0) != CUDA_SUCCESS) {
    return std::nullopt;  // the caller falls back to the descriptor
  }
  return fabric;
}

std::optional<Vmm::Handle> Vmm_Cuda::import_fabric(FabricHandle const& fabric,
                                                   std::size_t bytes) {
  std::lock_guard const lock(m_mutex);
  m_ledger->check_import(bytes);
  auto memory =
      std::make_shared<Memory>(Memory{0, bytes, Sharing::by_descriptor});
  auto bits = fabric;
  if (m_driver.cuMemImportFromShareableHandle(&memory->handle, bits.data(),
                                              CU_MEM_HANDLE_TYPE_FABRIC) !=
      CUDA_SUCCESS) {
    return std::nullopt;  // no common IMEX channel: use the descriptor
  }
  return add_handle(memory);
}

void Vmm_Cuda::unmap(char* address, std::size_t bytes) {
  std::lock_guard const lock(m_mutex);
  static_cast<void>(m_ledger->check_mapping(address, bytes, "unmap"));
  check(m_driver.cuMemUnmap(device_pointer(address), bytes),
        "unmapping " + bytes_text(bytes) + " of " + m_place, "cuMemUnmap");
  m_ledger->forget_mapping(address);
}

void Vmm_Cuda::release(Handle handle) {
  std::lock_guard const lock(m_mutex);
  auto const memory = m_ledger->memory_of(handle, "release");
  check(m_driver.cuMemRelease(memory->handle), "releasing memory of " + m_place,
        "cuMemRelease");
  m_ledger->remove_handle(handle);
}

void Vmm_Cuda::address_free(char* address, std::size_t bytes) {
  std::lock_guard const lock(m_mutex);
  m_ledger->check_address_free(address, bytes);
  check(m_driver.cuMemAddressFree(device_pointer(address), bytes),
        "giving back addresses", "cuMemAddressFree");
  m_ledger->forget_reservation(address);
}

}  // namespace symm::Impl
