// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

// The members of Vmm_Cuda that implement ForeignMemory. Statements about the
// driver's behavior hold for H200s with driver 580 and CUDA 13.0.

#include <cstdint>
#include <cstring>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>

#include "../base/Failure.hpp"
#include "../base/Types.hpp"
#include "../memory/Vmm_HostMemfd.hpp"
#include "Vmm_Cuda.hpp"

namespace symm::Impl {

/// Holds a handle to the memory that the runtime or the program has mapped at
/// an address with cuMemMap.
class Vmm_Cuda::Reference {
 public:
  /// Empty if no such memory is mapped at the address.
  Reference(CudaDriver const& driver, void const* address) : m_driver(driver) {
    auto const result = m_driver.cuMemRetainAllocationHandle(
        &m_handle, const_cast<void*>(address));
    m_is_held = result == CUDA_SUCCESS;
    if (m_is_held || result == CUDA_ERROR_INVALID_VALUE) return;
    m_driver.check(result, "looking for memory at " + address_text(address),
                   "cuMemRetainAllocationHandle");
  }
  ~Reference() {
    if (m_is_held) static_cast<void>(m_driver.cuMemRelease(m_handle));
  }
  Reference(Reference const&)            = delete;
  Reference& operator=(Reference const&) = delete;

  explicit operator bool() const { return m_is_held; }

  /// Handles to the same memory are equal as long as they are held.
  [[nodiscard]] bool is_also_at(CUdeviceptr address) const {
    Reference const other(m_driver, reinterpret_cast<void const*>(address));
    return other && other.m_handle == m_handle;
  }
  [[nodiscard]] CUmemAllocationProp properties() const {
    CUmemAllocationProp result{};
    m_driver.check(
        m_driver.cuMemGetAllocationPropertiesFromHandle(&result, m_handle),
        "asking for the properties of memory",
        "cuMemGetAllocationPropertiesFromHandle");
    return result;
  }
  /// Transfers the handle to the caller, who must release it.
  CUmemGenericAllocationHandle take() {
    m_is_held = false;
    return m_handle;
  }

 private:
  CudaDriver const& m_driver;
  CUmemGenericAllocationHandle m_handle = 0;
  bool m_is_held                        = false;
};

std::optional<int> Vmm_Cuda::attribute_of(void const* address,
                                          CUpointer_attribute which) const {
  std::uint64_t value = 0;  // the driver writes an int or a bool
  auto const result =
      m_driver.cuPointerGetAttribute(&value, which, device_pointer(address));
  if (result == CUDA_ERROR_INVALID_VALUE) return std::nullopt;
  check(result, "asking what is at " + address_text(address),
        "cuPointerGetAttribute");
  return static_cast<int>(value);
}

bool Vmm_Cuda::is_managed(void const* address) const {
  return attribute_of(address, CU_POINTER_ATTRIBUTE_IS_MANAGED).value_or(0) !=
         0;
}

bool Vmm_Cuda::is_known(void const* address) const {
  return Reference(m_driver, address) ||
         attribute_of(address, CU_POINTER_ATTRIBUTE_MEMORY_TYPE).has_value();
}

bool Vmm_Cuda::is_only_reserved(void const* address) const {
  return m_ledger->is_reserved(address) && !m_ledger->find_mapping(address);
}

/// The start of a mapping of host memory, which the driver does not report. A
/// mapping covers a whole allocation, in whole granules. Adjacent mappings of
/// the same memory all have `bytes` bytes.
CUdeviceptr Vmm_Cuda::start_around(CUdeviceptr address, std::size_t bytes,
                                   Reference const& memory) const {
  auto first = round_down(address, m_minimum);
  while (first > m_minimum && memory.is_also_at(first - m_minimum)) {
    first -= m_minimum;
  }
  return first + (address - first) / bytes * bytes;
}

std::optional<ForeignMemory::Mapping> Vmm_Cuda::mapping_around(
    void const* address) const {
  Reference const memory(m_driver, address);
  if (!memory) return std::nullopt;
  auto const properties  = memory.properties();
  auto const& [type, id] = properties.location;
  bool const is_of_my_kind =
      m_kind == MemoryKind::host
          ? type == CU_MEM_LOCATION_TYPE_HOST_NUMA
          : type == CU_MEM_LOCATION_TYPE_DEVICE && id == m_device;
  if (!is_of_my_kind) return std::nullopt;
  if (auto const mapping = m_ledger->find_mapping(address)) return mapping;
  CUdeviceptr start = 0;
  std::size_t bytes = 0;
  ContextGuard const context(*this);
  auto const result =
      m_driver.cuMemGetAddressRange(&start, &bytes, device_pointer(address));
  // This process has no access to the memory.
  if (result == CUDA_ERROR_NOT_FOUND) return std::nullopt;
  check(result, "looking for memory at " + address_text(address),
        "cuMemGetAddressRange");
  if (start == 0) start = start_around(device_pointer(address), bytes, memory);
  bool const has_descriptor = (properties.requestedHandleTypes &
                               CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR) != 0;
  return Mapping{reinterpret_cast<char*>(start), bytes,
                 has_descriptor ? Sharing::by_descriptor : Sharing::none};
}

std::optional<ForeignMemory::Mapping> Vmm_Cuda::find_mapping(
    void const* address) {
  std::lock_guard const lock(m_mutex);
  return mapping_around(address);
}

bool Vmm_Cuda::is_same_memory(void const* a, void const* b) {
  std::lock_guard const lock(m_mutex);
  Reference const memory(m_driver, a);
  return memory && memory.is_also_at(device_pointer(b));
}

Vmm::Handle Vmm_Cuda::retain(void const* address) {
  std::lock_guard const lock(m_mutex);
  auto memory        = std::make_shared<Memory>();
  bool const is_mine = m_ledger->find_mapping(address).has_value();
  if (is_mine) *memory = *m_ledger->memory_at(address, "retain");
  auto const mapping = is_mine ? std::nullopt : mapping_around(address);
  if (!is_mine && !mapping) {
    m_ledger->throw_usage("retain", address_text(address) + " is in " +
                                        text_about(address) + ", not in " +
                                        m_place);
  }
  Reference reference(m_driver, address);
  if (!reference) {
    m_ledger->throw_usage("retain",
                          address_text(address) + " is not mapped any more");
  }
  if (mapping) {
    memory->bytes      = mapping->bytes;
    memory->sharing    = mapping->sharing;
    memory->has_fabric = (reference.properties().requestedHandleTypes &
                          CU_MEM_HANDLE_TYPE_FABRIC) != 0;
  }
  memory->handle = reference.take();
  return add_handle(memory);
}

std::string Vmm_Cuda::text_about_vmm(void const* address,
                                     Reference const& memory) const {
  auto const properties  = memory.properties();
  auto const& [type, id] = properties.location;
  std::string text       = "VMM memory of ";
  if (type == CU_MEM_LOCATION_TYPE_HOST_NUMA) {
    text += "host NUMA node " + std::to_string(id);
  } else if (type != CU_MEM_LOCATION_TYPE_DEVICE) {
    text += "the host";
  } else if (id == m_device) {
    text += "this GPU";
  } else {
    text += "GPU " + std::to_string(id) + " (which is not this PE's GPU " +
            std::to_string(m_device) + ")";
  }
  CUdeviceptr start = 0;
  std::size_t bytes = 0;
  auto const result =
      m_driver.cuMemGetAddressRange(&start, &bytes, device_pointer(address));
  return result == CUDA_ERROR_NOT_FOUND ? text + " without access to it" : text;
}

std::string Vmm_Cuda::text_about(void const* address) const {
  ContextGuard const context(*this);
  if (Reference const memory(m_driver, address); memory) {
    return text_about_vmm(address, memory);
  }
  auto const type = attribute_of(address, CU_POINTER_ATTRIBUTE_MEMORY_TYPE);
  if (!type) {
    return is_only_reserved(address) || !Vmm_HostMemfd::is_mapped(address, 1)
               ? "no memory"
               : "host memory that CUDA does not know (malloc, mmap)";
  }
  if (is_managed(address)) return "CUDA managed memory";
  if (*type == CU_MEMORYTYPE_HOST) {
    return "page-locked host memory (cudaMallocHost or cudaHostRegister)";
  }
  bool const has_ipc =
      attribute_of(address, CU_POINTER_ATTRIBUTE_IS_LEGACY_CUDA_IPC_CAPABLE)
          .value_or(0) != 0;
  auto const gpu =
      attribute_of(address, CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL).value_or(-1);
  return std::string("memory of ") +
         (has_ipc ? "cudaMalloc" : "cudaMallocAsync") + " on GPU " +
         std::to_string(gpu);
}

std::string Vmm_Cuda::describe(void const* address) {
  std::lock_guard const lock(m_mutex);
  return text_about(address);
}

bool Vmm_Cuda::pin(void* address, std::size_t bytes) {
  if (bytes == 0) return false;
  m_ledger->check_range(address, bytes, "pin");
  auto* const last  = static_cast<char*>(address) + (bytes - 1);
  auto const refuse = [&](std::string const& why) {
    m_ledger->throw_usage(
        "pin", bytes_text(bytes) + " at " + address_text(address) + ": " + why);
  };
  {
    std::lock_guard const lock(m_mutex);
    ContextGuard const context(*this);
    if (is_managed(address) || is_managed(last)) {
      refuse(
          "CUDA managed memory moves between processors; use cudaMalloc, "
          "cudaMallocHost or malloc");
    }
    bool const is_first_known = is_known(address);
    bool const is_last_known  = is_known(last);
    if (is_first_known && is_last_known) return false;
    if (is_first_known || is_last_known) {
      refuse("begins in " + text_about(address) + " and ends in " +
             text_about(last));
    }
    if (is_only_reserved(address) || is_only_reserved(last) ||
        !Vmm_HostMemfd::is_mapped(address, bytes)) {
      refuse("not all of it is memory of this process");
    }
  }
  // m_mutex is not locked: page-locking takes time and does not use the ledger.
  ContextGuard const context(*this);
  auto const result =
      m_driver.cuMemHostRegister(address, bytes, CU_MEMHOSTREGISTER_PORTABLE);
  if (result == CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED) {
    refuse("a part of it is page-locked already (cudaHostRegister)");
  }
  if (result == CUDA_ERROR_INVALID_VALUE) {
    refuse(
        "the driver cannot page-lock it; is all of it memory that this "
        "process may read and write?");
  }
  check(result,
        "page-locking " + bytes_text(bytes) + " at " + address_text(address),
        "cuMemHostRegister");
  return true;
}

void Vmm_Cuda::unpin(void* address) {
  ContextGuard const context(*this);
  auto const result = m_driver.cuMemHostUnregister(address);
  if (result == CUDA_ERROR_INVALID_VALUE ||
      result == CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED) {
    m_ledger->throw_usage("unpin", address_text(address) +
                                       " is not the start of memory that "
                                       "pin() has page-locked: " +
                                       m_driver.text_of(result));
  }
  check(result, "unlocking the pages at " + address_text(address),
        "cuMemHostUnregister");
}

std::optional<ForeignMemory::ForeignHandle> Vmm_Cuda::export_foreign(
    void const* address, std::size_t bytes) {
  if (m_kind == MemoryKind::host) return std::nullopt;
  m_ledger->check_range(address, bytes, "export_foreign");
  auto const what   = describe(address);
  auto const refuse = [&](std::string const& why) {
    m_ledger->throw_usage("export_foreign", bytes_text(bytes) + " at " +
                                                address_text(address) +
                                                " are in " + what + why);
  };
  ContextGuard const context(*this);
  auto const has = [&](CUpointer_attribute which, int value) {
    return attribute_of(address, which) == value;
  };
  if (Reference(m_driver, address)) {
    refuse(
        ", which CUDA IPC cannot share: peers reach it as symmetric memory "
        "(symm::peer_view, symm::global_view, symm::ptr), memory of the "
        "program after symm::register_symmetric_view");
  }
  if (is_managed(address) ||
      !has(CU_POINTER_ATTRIBUTE_MEMORY_TYPE, CU_MEMORYTYPE_DEVICE) ||
      !has(CU_POINTER_ATTRIBUTE_IS_LEGACY_CUDA_IPC_CAPABLE, 1)) {
    refuse(
        ", which CUDA IPC cannot share: take memory of the symmetric heap, "
        "of cudaMalloc, or of cuMemCreate with a POSIX file descriptor as "
        "its handle type");
  }
  if (!has(CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL, m_device)) {
    refuse(", not on this PE's GPU " + std::to_string(m_device));
  }
  CUdeviceptr start     = 0;
  std::size_t all_bytes = 0;
  check(m_driver.cuMemGetAddressRange(&start, &all_bytes,
                                      device_pointer(address)),
        "looking for the allocation around " + address_text(address),
        "cuMemGetAddressRange");
  auto const offset = device_pointer(address) - start;
  if (bytes > all_bytes - offset) {
    refuse(", but the allocation ends after " + bytes_text(all_bytes - offset));
  }
  CUipcMemHandle ipc{};
  check(m_driver.cuIpcGetMemHandle(&ipc, device_pointer(address)),
        "sharing " + what, "cuIpcGetMemHandle");
  ForeignHandle result;
  static_assert(sizeof result.bits == sizeof ipc);
  std::memcpy(result.bits.data(), &ipc, sizeof ipc);
  result.offset = offset;
  return result;
}

char* Vmm_Cuda::open_foreign(ForeignHandle const& handle) {
  if (m_kind == MemoryKind::host) return nullptr;
  CUipcMemHandle ipc{};
  std::memcpy(&ipc, handle.bits.data(), sizeof ipc);
  CUdeviceptr start = 0;
  ContextGuard const context(*this);
  check(m_driver.cuIpcOpenMemHandle(&start, ipc,
                                    CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS),
        "mapping memory of cudaMalloc of another PE to " + m_place,
        "cuIpcOpenMemHandle");
  return reinterpret_cast<char*>(start);
}

void Vmm_Cuda::close_foreign(char* start) {
  if (m_kind == MemoryKind::host) return;
  ContextGuard const context(*this);
  check(m_driver.cuIpcCloseMemHandle(device_pointer(start)),
        "unmapping memory of cudaMalloc of another PE", "cuIpcCloseMemHandle");
}

}  // namespace symm::Impl
