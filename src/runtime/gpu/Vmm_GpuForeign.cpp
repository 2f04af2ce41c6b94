// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

// The members of Vmm_Gpu that implement ForeignMemory. Statements about the
// driver's behavior hold for H200s with driver 580 and CUDA 13.0; those about
// HIP are from ROCm's sources.

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
#include "Vmm_Gpu.hpp"

namespace symm::Impl {

namespace {

/// Whether memory is at a place of this type. (The value may be one that the
/// enumeration in the vendor's header lacks: gpu::on_numa_node. Reading it as
/// an enumerator would be undefined behavior.)
template <class Type>
bool is_place(Type const& type, Type const& wanted) {
  return std::memcmp(&type, &wanted, sizeof type) == 0;
}

}  // namespace

/// Holds a handle to the memory that the runtime or the program has mapped at
/// an address with virtual memory management.
class Vmm_Gpu::Reference {
 public:
  /// Empty if no such memory is mapped at the address.
  Reference(gpu::Driver const& driver, void const* address) : m_driver(driver) {
    if (!m_driver.can_retain_memory()) return;
    auto const result = m_driver.mem_retain_allocation_handle(
        &m_handle, const_cast<void*>(address));
    m_is_held = result == gpu::success;
    if (m_is_held || result == gpu::invalid_value) return;
    m_driver.check(result, m_driver.mem_retain_allocation_handle.name, [&] {
      return "looking for memory at " + address_text(address);
    });
  }
  ~Reference() {
    if (m_is_held) static_cast<void>(m_driver.mem_release(m_handle));
  }
  Reference(Reference const&)            = delete;
  Reference& operator=(Reference const&) = delete;

  explicit operator bool() const { return m_is_held; }

  /// Handles to the same memory are equal as long as they are held.
  [[nodiscard]] bool is_also_at(void const* address) const {
    Reference const other(m_driver, address);
    return other && other.m_handle == m_handle;
  }
  [[nodiscard]] gpu::MemoryProperties properties() const {
    gpu::MemoryProperties result{};
    m_driver.run("asking for the properties of memory",
                 m_driver.mem_get_allocation_properties_from_handle, &result,
                 m_handle);
    return result;
  }
  /// Transfers the handle to the caller, who must release it.
  gpu::MemoryHandle take() {
    m_is_held = false;
    return m_handle;
  }

 private:
  gpu::Driver const& m_driver;
  gpu::MemoryHandle m_handle = {};
  bool m_is_held             = false;
};

std::optional<int> Vmm_Gpu::attribute_of(void const* address,
                                         gpu::PointerAttribute which) const {
  std::uint64_t value = 0;  // the driver writes an int or a bool
  auto const result   = m_driver.pointer_get_attribute(
        &value, which, gpu::device_pointer(address));
  if (result == gpu::invalid_value || result == gpu::not_supported) {
    return std::nullopt;
  }
  check(result, m_driver.pointer_get_attribute.name,
        [&] { return "asking what is at " + address_text(address); });
  return static_cast<int>(value);
}

bool Vmm_Gpu::is_managed(void const* address) const {
  return attribute_of(address, gpu::is_managed).value_or(0) != 0;
}

bool Vmm_Gpu::is_known(void const* address) const {
  return Reference(m_driver, address) ||
         attribute_of(address, gpu::memory_type).has_value();
}

bool Vmm_Gpu::is_only_reserved(void const* address) const {
  return m_ledger->is_reserved(address) && !m_ledger->find_mapping(address);
}

/// The start of a mapping of host memory, which the driver does not report. A
/// mapping covers a whole allocation, in whole granules. Adjacent mappings of
/// the same memory all have `bytes` bytes.
char* Vmm_Gpu::start_around(void const* address, std::size_t bytes,
                            Reference const& memory) const {
  auto const number = reinterpret_cast<std::uintptr_t>(address);
  auto first        = round_down(number, m_minimum);
  while (first > m_minimum &&
         memory.is_also_at(reinterpret_cast<void const*>(first - m_minimum))) {
    first -= m_minimum;
  }
  return reinterpret_cast<char*>(first + (number - first) / bytes * bytes);
}

std::optional<ForeignMemory::Mapping> Vmm_Gpu::mapping_around(
    void const* address) const {
  if (!m_driver.can_retain_memory()) return m_ledger->find_mapping(address);
  Reference const memory(m_driver, address);
  if (!memory) return std::nullopt;
  auto properties        = memory.properties();
  auto const& [type, id] = properties.location;
  bool const is_of_my_kind =
      m_kind == MemoryKind::host
          ? is_place(type, gpu::on_numa_node)
          : is_place(type, gpu::on_device) && id == m_device;
  if (!is_of_my_kind) return std::nullopt;
  if (auto const mapping = m_ledger->find_mapping(address)) return mapping;
  gpu::Pointer start = {};
  std::size_t bytes  = 0;
  ContextGuard const context(*this);
  auto const result = m_driver.mem_get_address_range(
      &start, &bytes, gpu::device_pointer(address));
  // This process has no access to the memory.
  if (result == gpu::not_found) return std::nullopt;
  check(result, m_driver.mem_get_address_range.name,
        [&] { return "looking for memory at " + address_text(address); });
  bool const has_descriptor =
      (gpu::handle_types(properties) & gpu::by_descriptor) != 0;
  return Mapping{start == gpu::Pointer{} ? start_around(address, bytes, memory)
                                         : reinterpret_cast<char*>(start),
                 bytes,
                 has_descriptor ? Sharing::by_descriptor : Sharing::none};
}

std::optional<ForeignMemory::Mapping> Vmm_Gpu::find_mapping(
    void const* address) {
  std::lock_guard const lock(m_mutex);
  return mapping_around(address);
}

bool Vmm_Gpu::is_same_memory(void const* a, void const* b) {
  std::lock_guard const lock(m_mutex);
  Reference const memory(m_driver, a);
  return memory && memory.is_also_at(b);
}

Vmm::Handle Vmm_Gpu::retain(void const* address) {
  std::lock_guard const lock(m_mutex);
  if (m_ledger->find_mapping(address)) {
    auto const& its = m_ledger->memory_at(address, "retain");
    if (its->handle != gpu::MemoryHandle{}) return m_ledger->add_handle(its);
  }
  auto const mapping = mapping_around(address);
  if (!mapping) {
    m_ledger->throw_usage("retain", address_text(address) + " is in " +
                                        text_about(address) + ", not in " +
                                        m_place);
  }
  auto memory =
      std::make_shared<Memory>(Memory{{}, mapping->bytes, mapping->sharing});
  Reference reference(m_driver, address);
  if (!reference) {
    m_ledger->throw_usage("retain",
                          address_text(address) + " is not mapped any more");
  }
  memory->has_fabric =
      (gpu::handle_types(reference.properties()) & gpu::by_fabric) != 0;
  memory->handle = reference.take();
  return add_handle(memory);
}

std::string Vmm_Gpu::text_about_vmm(void const* address,
                                    Reference const& memory) const {
  auto const properties  = memory.properties();
  auto const& [type, id] = properties.location;
  std::string text       = "VMM memory of ";
  if (is_place(type, gpu::on_numa_node)) {
    text += "host NUMA node " + std::to_string(id);
  } else if (!is_place(type, gpu::on_device)) {
    text += "the host";
  } else if (id == m_device) {
    text += "this GPU";
  } else {
    text += "GPU " + std::to_string(id) + " (which is not this PE's GPU " +
            std::to_string(m_device) + ")";
  }
  gpu::Pointer start = {};
  std::size_t bytes  = 0;
  auto const result  = m_driver.mem_get_address_range(
       &start, &bytes, gpu::device_pointer(address));
  return result == gpu::not_found ? text + " without access to it" : text;
}

std::string Vmm_Gpu::text_about(void const* address) const {
  ContextGuard const context(*this);
  if (Reference const memory(m_driver, address); memory) {
    return text_about_vmm(address, memory);
  }
  if (!m_driver.can_retain_memory() && m_ledger->find_mapping(address)) {
    return "VMM memory that this library has mapped";
  }
  auto const type = attribute_of(address, gpu::memory_type);
  if (!type) {
    return is_only_reserved(address) || !Vmm_HostMemfd::is_mapped(address, 1)
               ? std::string("no memory")
               : std::string("host memory that ") + gpu::text::runtime +
                     " does not know (malloc, mmap)";
  }
  if (is_managed(address)) return gpu::text::managed;
  if (*type == gpu::host_memory) {
    return std::string("page-locked host memory (") + gpu::text::malloc_host +
           " or " + gpu::text::host_register + ")";
  }
  bool const has_ipc = attribute_of(address, gpu::has_ipc).value_or(1) != 0;
  auto const device  = attribute_of(address, gpu::device_ordinal).value_or(-1);
  return std::string("memory of ") +
         (has_ipc ? gpu::text::malloc : gpu::text::malloc_async) + " on GPU " +
         std::to_string(device);
}

std::string Vmm_Gpu::describe(void const* address) {
  std::lock_guard const lock(m_mutex);
  return text_about(address);
}

bool Vmm_Gpu::pin(void* address, std::size_t bytes) {
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
      refuse(std::string(gpu::text::managed) +
             " moves between processors; use " + gpu::text::malloc + ", " +
             gpu::text::malloc_host + " or malloc");
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
      m_driver.host_register(address, bytes, gpu::for_all_contexts);
  if (result == gpu::already_page_locked) {
    refuse(std::string("a part of it is page-locked already (") +
           gpu::text::host_register + ")");
  }
  if (result == gpu::invalid_value) {
    refuse(
        "the driver cannot page-lock it; is all of it memory that this "
        "process may read and write?");
  }
  check(result, m_driver.host_register.name, [&] {
    return "page-locking " + bytes_text(bytes) + " at " + address_text(address);
  });
  check_pinned(address);
  return true;
}

void Vmm_Gpu::unpin(void* address) {
  ContextGuard const context(*this);
  auto const result = m_driver.host_unregister(address);
  if (result == gpu::invalid_value || result == gpu::not_page_locked) {
    m_ledger->throw_usage("unpin", address_text(address) +
                                       " is not the start of memory that "
                                       "pin() has page-locked: " +
                                       m_driver.text_of(result));
  }
  check(result, m_driver.host_unregister.name,
        [&] { return "unlocking the pages at " + address_text(address); });
}

std::optional<ForeignMemory::ForeignHandle> Vmm_Gpu::export_foreign(
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
  auto const has = [&](gpu::PointerAttribute which, int value) {
    return attribute_of(address, which) == value;
  };
  auto const unshared =
      std::string(", which ") + gpu::text::runtime + " IPC cannot share: ";
  // (Before HIP 7.15, the driver cannot be asked.)
  auto const is_mapped = [&] {
    std::lock_guard const lock(m_mutex);
    return m_ledger->find_mapping(address).has_value();
  };
  if (Reference(m_driver, address) || is_mapped()) {
    refuse(unshared +
           "peers reach it as symmetric memory (symm::peer_view, "
           "symm::global_view, symm::ptr), memory of the program after "
           "symm::register_symmetric_view");
  }
  if (is_managed(address) || !has(gpu::memory_type, gpu::device_memory) ||
      attribute_of(address, gpu::has_ipc).value_or(1) != 1) {
    refuse(unshared + "take memory of the symmetric heap, of " +
           gpu::text::malloc + ", or of " + m_driver.mem_create.name +
           " with a POSIX file descriptor as its handle type");
  }
  if (!has(gpu::device_ordinal, m_device)) {
    refuse(", not on this PE's GPU " + std::to_string(m_device));
  }
  gpu::Pointer start    = {};
  std::size_t all_bytes = 0;
  run("looking for the allocation around " + address_text(address),
      m_driver.mem_get_address_range, &start, &all_bytes,
      gpu::device_pointer(address));
  auto const offset = static_cast<std::size_t>(
      static_cast<char const*>(address) - reinterpret_cast<char const*>(start));
  if (bytes > all_bytes - offset) {
    refuse(", but the allocation ends after " + bytes_text(all_bytes - offset));
  }
  gpu::IpcHandle ipc{};
  run("sharing " + what, m_driver.ipc_get_mem_handle, &ipc,
      gpu::device_pointer(address));
  ForeignHandle result;
  static_assert(sizeof result.bits == sizeof ipc);
  std::memcpy(result.bits.data(), &ipc, sizeof ipc);
  result.offset = offset;
  return result;
}

char* Vmm_Gpu::open_foreign(ForeignHandle const& handle) {
  if (m_kind == MemoryKind::host) return nullptr;
  gpu::IpcHandle ipc{};
  std::memcpy(&ipc, handle.bits.data(), sizeof ipc);
  gpu::Pointer start = {};
  ContextGuard const context(*this);
  run(std::string("mapping memory of ") + gpu::text::malloc +
          " of another PE to " + m_place,
      m_driver.ipc_open_mem_handle, &start, ipc, gpu::lazy_peer_access);
  return reinterpret_cast<char*>(start);
}

void Vmm_Gpu::close_foreign(char* start) {
  if (m_kind == MemoryKind::host) return;
  ContextGuard const context(*this);
  run(std::string("unmapping memory of ") + gpu::text::malloc +
          " of another PE",
      m_driver.ipc_close_mem_handle, gpu::device_pointer(start));
}

}  // namespace symm::Impl
