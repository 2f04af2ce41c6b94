// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#include "Vmm_Gpu.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <memory>
#include <new>
#include <optional>
#include <utility>

#include "../base/Failure.hpp"
#include "../memory/HostMemory.hpp"

namespace symm::Impl {

Vmm_Gpu::Vmm_Gpu(gpu::Driver const& driver, MemoryKind kind, int device,
                 int n_sharers)
    : m_driver(driver),
      m_kind(kind),
      m_n_sharers(static_cast<std::size_t>(n_sharers)),
      m_place("GPU " + std::to_string(device)) {
  run("looking for " + m_place, m_driver.device_get, &m_device, device);
  char name[48] = "";
  run("asking for the name of " + m_place, m_driver.device_get_name, name,
      sizeof name, m_device);
  // Ordinals differ between processes, but the bus address identifies a GPU.
  char bus[16] = "";
  run("asking for the place of " + m_place, m_driver.device_get_bus_id, bus,
      sizeof bus, m_device);
  m_place += " (" + std::string(name) + ", " + bus + ")";
  require(gpu::has_virtual_memory, "virtual memory management");
  require(gpu::has_file_descriptors, "memory shared by file descriptor");
  choose_location();
  choose_granularity();
  m_ledger.emplace(gpu::text::provider,
                   static_cast<std::size_t>(::sysconf(_SC_PAGESIZE)),
                   m_minimum);
  m_may_have_fabric =
      kind == MemoryKind::device && attribute(gpu::has_fabric) != 0;
  // This must be the last step: if a later step failed, no destructor would
  // release the context.
  retain_context();
}

Vmm_Gpu::~Vmm_Gpu() {
  if (m_is_abandoned) return;
  // A call fails only if the driver has already shut down, and has thereby
  // released everything.
  if (m_event != nullptr) static_cast<void>(m_driver.event_destroy(m_event));
  if (m_module != nullptr) {
    ContextGuard const context(*this, std::nothrow);
    if (context) static_cast<void>(m_driver.module_unload(m_module));
  }
  auto const let_go = [this](Memory& memory) {
    auto const handle = std::exchange(memory.handle, {});
    if (handle != gpu::MemoryHandle{})
      static_cast<void>(m_driver.mem_release(handle));
  };
  for (auto const& [address, mapping] : m_ledger->mappings()) {
    static_cast<void>(
        m_driver.mem_unmap(gpu::device_pointer(address), mapping.bytes));
    let_go(*mapping.memory);
  }
  for (auto const& entry : m_ledger->handles()) let_go(*entry.second);
  for (auto const& [address, bytes] : m_ledger->reservations()) {
    auto const& all = reserved_around(address, bytes);
    static_cast<void>(m_driver.mem_address_free(all.start, all.bytes));
  }
  release_context();
}

int Vmm_Gpu::attribute(gpu::DeviceAttribute which) const {
  return m_driver.attribute(m_device, which, m_place);
}

void Vmm_Gpu::require(gpu::DeviceAttribute which, char const* what) const {
  if (attribute(which) != 0) return;
  throw SystemError(m_place + " or its driver has no " + what +
                    ", which the symmetric heap needs");
}

void Vmm_Gpu::choose_location() {
  gpu::Location device{};
  device.type           = gpu::on_device;
  device.id             = m_device;
  m_properties.type     = gpu::pinned;
  m_properties.location = device;
  m_users               = {device};
  if (m_kind == MemoryKind::device) return;
  require(gpu::has_host_memory, "virtual memory management of host memory");
  // -1 or unknown: the system has no NUMA, so all of its memory is on node 0.
  int const node = std::max(attribute(gpu::numa_node), 0);
  gpu::Location cpu{};
  cpu.type              = gpu::on_numa_node;
  cpu.id                = node;
  m_properties.location = cpu;
  m_users.push_back(cpu);
  m_place = "host memory next to " + m_place;
}

void Vmm_Gpu::choose_granularity() {
  auto properties               = m_properties;
  gpu::handle_types(properties) = gpu::by_descriptor;
  auto const guard              = guard_device();
  auto const ask                = [&](gpu::Granularity which) {
    std::size_t bytes = 0;
    run("asking for the granularity of " + m_place,
                       m_driver.mem_get_allocation_granularity, &bytes, &properties, which);
    return bytes;
  };
  m_minimum     = ask(gpu::minimum_granularity);
  m_recommended = ask(gpu::recommended_granularity);
}

std::size_t Vmm_Gpu::granularity(Granularity kind) const {
  return kind == Granularity::minimum ? m_minimum : m_recommended;
}

char* Vmm_Gpu::reserve(std::size_t bytes, std::size_t alignment, void* hint) {
  std::lock_guard const lock(m_mutex);
  m_ledger->check_reserve(bytes, alignment, hint);
  Reserved all{{}, bytes};
  auto const ask = [&] {
    return m_driver.mem_address_reserve(&all.start, all.bytes, alignment,
                                        gpu::device_pointer(hint), 0);
  };
  // (A pointer with HIP, and an integer with CUDA.)
  auto const address = [&] {
    return reinterpret_cast<std::uintptr_t>(reinterpret_cast<char*>(all.start));
  };
  auto const unit = std::max(alignment, std::size_t{1});
  auto result     = ask();
  if (result == gpu::success && !is_multiple(address(), unit)) {
    // HIP ignores the alignment. Cannot fail: this is exactly one reservation
    // without mappings.
    static_cast<void>(m_driver.mem_address_free(all.start, all.bytes));
    all.bytes += alignment;
    result = ask();
  }
  // The driver reports a reservation that is too large as an invalid value.
  if (result == gpu::out_of_memory || result == gpu::invalid_value) {
    throw OutOfMemory("reserving " + bytes_text(bytes) +
                      " of addresses, aligned to " + std::to_string(alignment) +
                      ": " + m_driver.mem_address_reserve.name +
                      " failed: " + m_driver.text_of(result) +
                      "; SYMM_HEAP_LIMIT asks for less");
  }
  check(result, m_driver.mem_address_reserve.name,
        [&] { return "reserving " + bytes_text(bytes) + " of addresses"; });
  auto* const start = reinterpret_cast<char*>(round_up(address(), unit));
  try {
    if (all.bytes != bytes) m_padded.emplace(start, all);
    m_ledger->add_reservation(start, bytes);
  } catch (...) {
    static_cast<void>(m_driver.mem_address_free(all.start, all.bytes));
    m_padded.erase(start);
    throw;
  }
  return start;
}

Vmm_Gpu::Reserved Vmm_Gpu::reserved_around(char const* start,
                                           std::size_t bytes) const {
  auto const found = m_padded.find(start);
  return found == m_padded.end() ? Reserved{gpu::device_pointer(start), bytes}
                                 : found->second;
}

std::optional<Vmm_Gpu::ContextGuard> Vmm_Gpu::guard_device() const {
  if constexpr (!gpu::memory_is_of_current_device) return std::nullopt;
  return std::optional<ContextGuard>(std::in_place, *this);
}

void Vmm_Gpu::check_host_memory(std::size_t bytes) const {
  // All PEs pin their memory at the same time. Without this check, the system
  // would kill a process if memory ran short.
  std::size_t const left =
      available_host_memory(HostMemoryUse::pinned) / m_n_sharers;
  if (bytes <= left) return;
  throw OutOfMemory("no host memory for " + bytes_text(bytes) + ": " +
                    bytes_text(left) + " left for each of the " +
                    std::to_string(m_n_sharers) + " PEs of this node");
}

gpu::Result Vmm_Gpu::create_memory(Memory& memory, int handle_types) const {
  auto properties               = m_properties;
  gpu::handle_types(properties) = static_cast<gpu::HandleType>(handle_types);
  auto const guard              = guard_device();
  return m_driver.mem_create(&memory.handle, memory.bytes, &properties, 0);
}

void Vmm_Gpu::throw_no_memory(std::size_t bytes, gpu::Result result) const {
  std::size_t free  = 0;
  std::size_t total = 0;
  ContextGuard const context(*this);
  run("asking for the free memory of " + m_place, m_driver.mem_get_info, &free,
      &total);
  throw OutOfMemory(m_place + " has no memory for " + bytes_text(bytes) + ": " +
                    std::to_string(free) + " of " + bytes_text(total) +
                    " free: " + m_driver.mem_create.name +
                    " failed: " + m_driver.text_of(result));
}

Vmm::Handle Vmm_Gpu::add_handle(std::shared_ptr<Memory> const& memory) {
  try {
    return m_ledger->add_handle(memory);
  } catch (...) {
    // Otherwise the driver's handle would have no owner. Report the original
    // error, even if the release fails, too.
    static_cast<void>(m_driver.mem_release(memory->handle));
    throw;
  }
}

Vmm::Handle Vmm_Gpu::create(std::size_t bytes, Sharing sharing) {
  std::lock_guard const lock(m_mutex);
  m_ledger->check_create(bytes);
  if (m_kind == MemoryKind::host) check_host_memory(bytes);
  auto memory = std::make_shared<Memory>(Memory{{}, bytes, sharing});
  int const handle_types =
      sharing == Sharing::none ? gpu::by_nothing : gpu::by_descriptor;
  auto result = gpu::not_permitted;
  if (sharing == Sharing::by_descriptor && m_may_have_fabric) {
    result = create_memory(*memory, handle_types | gpu::by_fabric);
    // The driver permits this only to users with an IMEX channel (V16, V17).
    memory->has_fabric = result == gpu::success;
    m_may_have_fabric =
        result != gpu::not_permitted && result != gpu::not_supported;
  }
  if (!memory->has_fabric && result != gpu::out_of_memory) {
    result = create_memory(*memory, handle_types);
  }
  if (result == gpu::out_of_memory) throw_no_memory(bytes, result);
  check(result, m_driver.mem_create.name,
        [&] { return "creating " + bytes_text(bytes) + " in " + m_place; });
  return add_handle(memory);
}

void Vmm_Gpu::map(char* address, std::size_t bytes, std::size_t offset,
                  Handle handle) {
  std::lock_guard const lock(m_mutex);
  auto const guard   = guard_device();
  auto const& memory = m_ledger->add_mapping(address, bytes, offset, handle);
  auto const result  = m_driver.mem_map(gpu::device_pointer(address), bytes,
                                        offset, memory.handle, 0);
  if (result == gpu::success) return;
  m_ledger->forget_mapping(address);
  check(result, m_driver.mem_map.name,
        [&] { return "mapping " + bytes_text(bytes) + " of " + m_place; });
}

void Vmm_Gpu::set_access(char* address, std::size_t bytes, Access access) {
  std::lock_guard const lock(m_mutex);
  static_cast<void>(m_ledger->check_mapping(address, bytes, "set_access"));
  auto const rights = access == Access::none   ? gpu::no_access
                      : access == Access::read ? gpu::read_only
                                               : gpu::read_write;
  std::vector<gpu::AccessRights> rights_of;
  for (auto const& user : m_users) rights_of.push_back({user, rights});
  run("giving " + m_place + " access to " + bytes_text(bytes),
      m_driver.mem_set_access, gpu::device_pointer(address), bytes,
      rights_of.data(), rights_of.size());
}

UniqueFd Vmm_Gpu::export_handle(Handle handle) {
  std::lock_guard const lock(m_mutex);
  auto const& memory = m_ledger->memory_to_export(handle);
  int descriptor     = -1;
  run("exporting memory of " + m_place, m_driver.mem_export_to_shareable_handle,
      &descriptor, memory->handle, gpu::by_descriptor, 0);
  UniqueFd result(descriptor);
  // The driver does not guarantee this flag. Without it, a program started by
  // this process would keep the memory alive.
  if (::fcntl(result.get(), F_SETFD, FD_CLOEXEC) != 0) {
    throw SystemError("exporting memory of " + m_place, "fcntl(F_SETFD)",
                      errno);
  }
  return result;
}

Vmm::Handle Vmm_Gpu::import_handle(UniqueFd descriptor, std::size_t bytes) {
  std::lock_guard const lock(m_mutex);
  m_ledger->check_import(bytes);
  if (!descriptor) m_ledger->throw_usage("import_handle", "no descriptor");
  auto memory =
      std::make_shared<Memory>(Memory{{}, bytes, Sharing::by_descriptor});
  check(import_memory(memory->handle, descriptor),
        m_driver.mem_import_from_shareable_handle.name,
        [&] { return "importing memory"; });
  return add_handle(memory);
}

bool Vmm_Gpu::can_import(UniqueFd const& descriptor) const {
  gpu::MemoryHandle handle = {};
  if (import_memory(handle, descriptor) != gpu::success) return false;
  // Cannot fail: the handle was just imported.
  static_cast<void>(m_driver.mem_release(handle));
  return true;
}

std::optional<Vmm::Access> Vmm_Gpu::access_from(MemoryKind user,
                                                int device) const {
  if (user == MemoryKind::host) {
    return m_kind == MemoryKind::host ? Access::read_write : Access::none;
  }
  gpu::Device other = 0;
  if (m_driver.device_get(&other, device) != gpu::success) return std::nullopt;
  return other == m_device ? Access::read_write : Access::none;
}

std::optional<Vmm::FabricHandle> Vmm_Gpu::export_fabric(Handle handle) {
  std::lock_guard const lock(m_mutex);
  auto const& memory = m_ledger->memory_to_export(handle);
  if (!memory->has_fabric) return std::nullopt;
  FabricHandle fabric{};
  if (m_driver.mem_export_to_shareable_handle(
          &fabric, memory->handle, gpu::by_fabric, 0) != gpu::success) {
    return std::nullopt;  // the caller falls back to the descriptor
  }
  return fabric;
}

std::optional<Vmm::Handle> Vmm_Gpu::import_fabric(FabricHandle const& fabric,
                                                  std::size_t bytes) {
  std::lock_guard const lock(m_mutex);
  m_ledger->check_import(bytes);
  auto memory =
      std::make_shared<Memory>(Memory{{}, bytes, Sharing::by_descriptor});
  auto bits = fabric;
  if (m_driver.mem_import_from_shareable_handle(
          &memory->handle, bits.data(), gpu::by_fabric) != gpu::success) {
    return std::nullopt;  // no common IMEX channel: use the descriptor
  }
  return add_handle(memory);
}

void Vmm_Gpu::unmap(char* address, std::size_t bytes) {
  std::lock_guard const lock(m_mutex);
  auto const memory = m_ledger->check_mapping(address, bytes, "unmap").memory;
  auto const what   = "unmapping " + bytes_text(bytes) + " of " + m_place;
  auto const guard  = guard_device();
  release_last(memory);
  run(what, m_driver.mem_unmap, gpu::device_pointer(address), bytes);
  m_ledger->forget_mapping(address);
}

void Vmm_Gpu::release(Handle handle) {
  std::lock_guard const lock(m_mutex);
  auto const memory = m_ledger->memory_of(handle, "release");
  release_last(memory);
  m_ledger->remove_handle(handle);
}

void Vmm_Gpu::release_last(std::shared_ptr<Memory> const& memory) {
  constexpr long of_ledger_and_caller = 2;
  if (memory.use_count() > of_ledger_and_caller) return;
  if (memory->handle == gpu::MemoryHandle{}) return;
  run("releasing memory of " + m_place, m_driver.mem_release, memory->handle);
  memory->handle = {};
}

void Vmm_Gpu::address_free(char* address, std::size_t bytes) {
  std::lock_guard const lock(m_mutex);
  m_ledger->check_address_free(address, bytes);
  auto const all = reserved_around(address, bytes);
  run("giving back addresses", m_driver.mem_address_free, all.start, all.bytes);
  m_ledger->forget_reservation(address);
  m_padded.erase(address);
}

}  // namespace symm::Impl
