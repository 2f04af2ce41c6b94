// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#include "../runtime/Vmm_HostMemfd.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <iterator>
#include <limits>
#include <set>
#include <sstream>
#include <string>
#include <utility>

#include "../runtime/Error.hpp"
#include "../runtime/Types.hpp"

namespace symm {

namespace {

constexpr std::size_t recommended_granularity = std::size_t{2} << 20U;
constexpr int no_access                       = PROT_NONE;

[[noreturn]] void throw_usage(char const* call, std::string const& rule) {
  throw UsageError("Vmm_HostMemfd::" + std::string(call) + ": " + rule);
}

std::string text_of(void const* address) {
  std::ostringstream out;
  out << address;
  return out.str();
}

void check_multiple(char const* call, char const* what, std::size_t value,
                    std::size_t unit) {
  if (value == 0 || !is_multiple(value, unit)) {
    throw_usage(call, std::string(what) + " " + std::to_string(value) +
                          " is not a positive multiple of " +
                          std::to_string(unit));
  }
}

std::size_t address_value(void const* address) {
  return reinterpret_cast<std::size_t>(address);
}

/// The entry of a map of ranges that contains [address, address + bytes).
template <class Ranges, class BytesOf>
auto enclosing(Ranges& ranges, char const* address, std::size_t bytes,
               BytesOf bytes_of) {
  auto it = ranges.upper_bound(address);
  if (it == ranges.begin()) return ranges.end();
  --it;
  auto const size   = bytes_of(it->second);
  auto const offset = static_cast<std::size_t>(address - it->first);
  return offset < size && bytes <= size - offset ? it : ranges.end();
}

}  // namespace

Vmm_HostMemfd::Vmm_HostMemfd(int n_sharers, AvailableMemory available_memory)
    : m_page_bytes(static_cast<std::size_t>(::sysconf(_SC_PAGESIZE))),
      m_n_sharers(static_cast<std::size_t>(n_sharers)),
      m_available_memory(std::move(available_memory)) {}

Vmm_HostMemfd::~Vmm_HostMemfd() {
  if (m_is_abandoned) return;
  // Unmapping a reservation takes its mappings along. It fails only for
  // arguments that reserve() cannot have recorded.
  for (auto const& [address, bytes] : m_reservations) {
    static_cast<void>(::munmap(const_cast<char*>(address), bytes));
  }
}

std::size_t Vmm_HostMemfd::granularity(Granularity kind) const {
  return kind == Granularity::minimum ? m_page_bytes : recommended_granularity;
}

char* Vmm_HostMemfd::reserve(std::size_t bytes, std::size_t alignment,
                             void* hint) {
  check_multiple("reserve", "size in bytes", bytes, m_page_bytes);
  if (alignment != 0 && !std::has_single_bit(alignment)) {
    throw_usage("reserve", "alignment " + std::to_string(alignment) +
                               " is neither 0 nor a power of two");
  }
  if (!is_multiple(address_value(hint), m_page_bytes)) {
    throw_usage("reserve", "hint " + text_of(hint) +
                               " is not a multiple of the page size " +
                               std::to_string(m_page_bytes));
  }
  // mmap() aligns to pages: reserve more and give the ends back.
  std::size_t const slack = alignment > m_page_bytes ? alignment : 0;
  if (bytes > std::numeric_limits<std::size_t>::max() - slack) {
    throw OutOfMemory("Vmm_HostMemfd::reserve: " + bytes_text(bytes) +
                      " exceed the address space");
  }
  std::size_t const total = bytes + slack;
  void* const start =
      ::mmap(hint, total, no_access,
             MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (start == MAP_FAILED) {
    int const error = errno;
    if (error != ENOMEM) {
      throw SystemError("reserving " + bytes_text(total) + " of addresses",
                        "mmap", error);
    }
    throw OutOfMemory("Vmm_HostMemfd::reserve: no " + bytes_text(total) +
                      " of free addresses; is the address space limited "
                      "(ulimit -v)? SYMM_HEAP_LIMIT asks for less");
  }
  auto* const first = static_cast<char*>(start);
  char* const result =
      slack == 0 ? first
                 : first + (round_up(address_value(first), alignment) -
                            address_value(first));
  auto const head = static_cast<std::size_t>(result - first);
  // Cutting the ends off an own mapping cannot fail for valid arguments but
  // for the limit on the number of mappings, which this does not raise.
  if (head > 0) static_cast<void>(::munmap(first, head));
  if (slack > head) static_cast<void>(::munmap(result + bytes, slack - head));
  m_reservations.emplace(result, bytes);
  return result;
}

void Vmm_HostMemfd::check_capacity(std::size_t bytes) const {
  std::size_t promised = 0;  // created by this PE, not touched by anyone yet
  std::set<Memory const*> counted;  // one may have many handles and mappings
  auto const count = [&](Memory const& memory) {
    if (memory.is_imported || !counted.insert(&memory).second) return;
    struct stat status {};
    if (::fstat(memory.descriptor.get(), &status) != 0) {
      throw SystemError("looking at memory of this PE", "fstat", errno);
    }
    constexpr std::size_t block_bytes = 512;  // st_blocks' unit, always
    auto const touched =
        static_cast<std::size_t>(status.st_blocks) * block_bytes;
    promised += memory.bytes - std::min(memory.bytes, touched);
  };
  for (auto const& entry : m_handles) count(*entry.second);
  for (auto const& entry : m_mappings) count(*entry.second.memory);
  std::size_t const available = m_available_memory() / m_n_sharers;
  std::size_t const left      = available - std::min(available, promised);
  if (bytes > left) {
    throw OutOfMemory("no memory for " + bytes_text(bytes) + ": " +
                      bytes_text(left) + " left for each of the " +
                      std::to_string(m_n_sharers) + " PEs of this node (" +
                      bytes_text(promised) + " promised and not touched yet)");
  }
}

Vmm::Handle Vmm_HostMemfd::create(std::size_t bytes, Sharing sharing) {
  check_multiple("create", "size in bytes", bytes, m_page_bytes);
  check_capacity(bytes);
  auto memory        = std::make_shared<Memory>();
  memory->descriptor = UniqueFd(::memfd_create("symm", MFD_CLOEXEC));
  std::string const what =
      "creating " + bytes_text(bytes) + " of shareable memory";
  if (!memory->descriptor) throw SystemError(what, "memfd_create", errno);
  if (::ftruncate(memory->descriptor.get(), static_cast<off_t>(bytes)) != 0) {
    throw SystemError(what, "ftruncate", errno);
  }
  memory->bytes   = bytes;
  memory->sharing = sharing;
  return add_handle(std::move(memory));
}

Vmm::Handle Vmm_HostMemfd::add_handle(std::shared_ptr<Memory> memory) {
  Handle const handle{++m_last_id};
  m_handles.emplace(handle.id, std::move(memory));
  return handle;
}

Vmm_HostMemfd::Memory& Vmm_HostMemfd::memory_of(Handle handle,
                                                char const* call) {
  auto const it = m_handles.find(handle.id);
  if (it == m_handles.end()) {
    throw_usage(call, "handle " + std::to_string(handle.id) +
                          " is not one of this process, or released");
  }
  return *it->second;
}

void Vmm_HostMemfd::map(char* address, std::size_t bytes, std::size_t offset,
                        Handle handle) {
  auto const& memory = memory_of(handle, "map");
  check_multiple("map", "size in bytes", bytes, m_page_bytes);
  check_multiple("map", "address", address_value(address), m_page_bytes);
  if (offset != 0) {
    throw_usage("map", "offset " + std::to_string(offset) + " must be 0");
  }
  if (bytes > memory.bytes) {
    throw_usage("map", bytes_text(bytes) + " exceed the memory's " +
                           std::to_string(memory.bytes));
  }
  auto const reservation = enclosing(m_reservations, address, bytes,
                                     [](std::size_t size) { return size; });
  if (reservation == m_reservations.end()) {
    throw_usage("map", "[" + text_of(address) + ", +" + std::to_string(bytes) +
                           ") is not inside one reserved range");
  }
  auto const next = m_mappings.lower_bound(address);
  bool const meets_next =
      next != m_mappings.end() && next->first < address + bytes;
  bool const meets_previous =
      next != m_mappings.begin() &&
      std::prev(next)->first + std::prev(next)->second.bytes > address;
  if (meets_next || meets_previous) {
    throw_usage("map", "[" + text_of(address) + ", +" + std::to_string(bytes) +
                           ") overlaps a mapping; unmap that first");
  }
  auto const entry =
      m_mappings.emplace(address, Mapping{bytes, m_handles.at(handle.id)})
          .first;
  if (::mmap(address, bytes, no_access, MAP_SHARED | MAP_FIXED,
             memory.descriptor.get(), 0) == MAP_FAILED) {
    int const error = errno;
    m_mappings.erase(entry);
    throw SystemError("mapping " + bytes_text(bytes), "mmap", error);
  }
}

void Vmm_HostMemfd::check_mapping(char const* address, std::size_t bytes,
                                  char const* call) {
  auto const it = m_mappings.find(address);
  if (it == m_mappings.end() || it->second.bytes != bytes) {
    throw_usage(call, "[" + text_of(address) + ", +" + std::to_string(bytes) +
                          ") is not exactly one mapping");
  }
}

void Vmm_HostMemfd::set_access(char* address, std::size_t bytes,
                               Access access) {
  check_mapping(address, bytes, "set_access");
  int const rights = access == Access::none   ? PROT_NONE
                     : access == Access::read ? PROT_READ
                                              : PROT_READ | PROT_WRITE;
  if (::mprotect(address, bytes, rights) != 0) {
    throw SystemError("setting access rights of " + bytes_text(bytes),
                      "mprotect", errno);
  }
}

UniqueFd Vmm_HostMemfd::export_handle(Handle handle) {
  auto const& memory = memory_of(handle, "export_handle");
  if (memory.sharing != Sharing::by_descriptor) {
    throw_usage("export_handle",
                "the memory was created with Sharing::none; ask for "
                "Sharing::by_descriptor when creating it");
  }
  UniqueFd result(::fcntl(memory.descriptor.get(), F_DUPFD_CLOEXEC, 0));
  if (!result) {
    throw SystemError("exporting memory", "fcntl(F_DUPFD_CLOEXEC)", errno);
  }
  return result;
}

Vmm::Handle Vmm_HostMemfd::import_handle(UniqueFd descriptor,
                                         std::size_t bytes) {
  check_multiple("import_handle", "size in bytes", bytes, m_page_bytes);
  struct stat status {};
  if (::fstat(descriptor.get(), &status) != 0) {
    throw SystemError("importing memory", "fstat", errno);
  }
  if (static_cast<std::size_t>(status.st_size) != bytes) {
    throw_usage("import_handle",
                "the memory has " +
                    bytes_text(static_cast<std::size_t>(status.st_size)) +
                    ", expected " + std::to_string(bytes));
  }
  return add_handle(std::make_shared<Memory>(
      Memory{std::move(descriptor), bytes, Sharing::by_descriptor, true}));
}

Vmm::Handle Vmm_HostMemfd::retain(void const* address) {
  auto const it =
      enclosing(m_mappings, static_cast<char const*>(address), 1,
                [](Mapping const& mapping) { return mapping.bytes; });
  if (it == m_mappings.end() || !it->second.memory->descriptor) {
    throw_usage("retain", text_of(address) +
                              " is not in memory that this process mapped (or "
                              "was imported and its handle released)");
  }
  return add_handle(it->second.memory);
}

void Vmm_HostMemfd::unmap(char* address, std::size_t bytes) {
  check_mapping(address, bytes, "unmap");
  // One call puts the reservation back: no moment in which another thread's
  // mmap() could take the addresses.
  if (::mmap(address, bytes, no_access,
             MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1,
             0) == MAP_FAILED) {
    throw SystemError("unmapping " + bytes_text(bytes), "mmap", errno);
  }
  m_mappings.erase(address);
}

void Vmm_HostMemfd::release(Handle handle) {
  memory_of(handle, "release");
  auto const node    = m_handles.extract(handle.id);
  auto const& memory = node.mapped();
  // Own memory keeps its descriptor while it is mapped, for retain(). Imported
  // memory must not: there is one for every PE and chunk.
  bool const has_other_handle =
      std::any_of(m_handles.begin(), m_handles.end(),
                  [&](auto const& entry) { return entry.second == memory; });
  if (memory->is_imported && !has_other_handle) memory->descriptor.reset();
}

void Vmm_HostMemfd::address_free(char* address, std::size_t bytes) {
  auto const it = m_reservations.find(address);
  if (it == m_reservations.end() || it->second != bytes) {
    throw_usage("address_free", "[" + text_of(address) + ", +" +
                                    std::to_string(bytes) +
                                    ") is not exactly one reserved range");
  }
  auto const mapping = m_mappings.lower_bound(address);
  if (mapping != m_mappings.end() && mapping->first < address + bytes) {
    throw_usage("address_free", "the range is still mapped at " +
                                    text_of(mapping->first) +
                                    "; unmap it first");
  }
  if (::munmap(address, bytes) != 0) {
    throw SystemError("giving back addresses", "munmap", errno);
  }
  m_reservations.erase(it);
}

}  // namespace symm
