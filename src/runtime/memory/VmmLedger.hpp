// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_VMM_LEDGER_HPP
#define SYMM_VMM_LEDGER_HPP

#include <bit>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>

#include "../base/Failure.hpp"
#include "../base/Types.hpp"
#include "ForeignMemory.hpp"
#include "Vmm.hpp"

namespace symm::Impl {

/// Records the memory that a MemoryProvider has reserved, created and mapped,
/// and checks each call against Vmm's rules. All providers use this class. It
/// makes no system calls.
///
/// \tparam Memory the provider's description of physical memory, with members
///         `bytes` and `sharing`.
template <class Memory>
class VmmLedger {
 public:
  using MemoryPtr = std::shared_ptr<Memory>;
  struct Mapping {
    std::size_t bytes = 0;
    MemoryPtr memory;
  };

  /// \param provider   the provider's name in error messages, such as
  ///        "Vmm_HostMemfd".
  /// \param page_bytes reservations must be multiples of this size.
  /// \param unit       the minimum granularity: physical memory and mappings
  ///        must be multiples of this size.
  VmmLedger(std::string provider, std::size_t page_bytes, std::size_t unit)
      : m_provider(std::move(provider)),
        m_page_bytes(page_bytes),
        m_unit(unit) {}

  [[noreturn]] void throw_usage(char const* call,
                                std::string const& rule) const {
    throw UsageError(m_provider + "::" + call + ": " + rule);
  }

  /// Checks the arguments of reserve() (V03 to V05).
  void check_reserve(std::size_t bytes, std::size_t alignment,
                     void const* hint) const {
    check_multiple("reserve", "size in bytes", bytes, m_page_bytes);
    if (alignment != 0 && !std::has_single_bit(alignment)) {
      throw_usage("reserve", "alignment " + std::to_string(alignment) +
                                 " is neither 0 nor a power of two");
    }
    if (!is_multiple(value_of(hint), m_page_bytes)) {
      throw_usage("reserve", "hint " + address_text(hint) +
                                 " is not a multiple of the page size " +
                                 std::to_string(m_page_bytes));
    }
  }
  void add_reservation(char* address, std::size_t bytes) {
    m_reservations.emplace(address, bytes);
  }

  /// Checks the size passed to create() (V10).
  void check_create(std::size_t bytes) const {
    check_multiple("create", "size in bytes", bytes, m_unit);
  }
  void check_import(std::size_t bytes) const {
    check_multiple("import_handle", "size in bytes", bytes, m_unit);
  }

  /// Checks that the range does not wrap around. Used for memory that the
  /// provider may not have created.
  void check_range(void const* address, std::size_t bytes,
                   char const* call) const {
    if (bytes > 0 && value_of(address) + (bytes - 1) < value_of(address)) {
      throw_usage(call,
                  range_text(address, bytes) + " exceeds the address space");
    }
  }

  Vmm::Handle add_handle(MemoryPtr memory) {
    Vmm::Handle const handle{++m_last_id};
    m_handles.emplace(handle.id, std::move(memory));
    return handle;
  }
  [[nodiscard]] MemoryPtr const& memory_of(Vmm::Handle handle,
                                           char const* call) const {
    auto const it = m_handles.find(handle.id);
    if (it == m_handles.end()) {
      throw_usage(call,
                  "handle " + std::to_string(handle.id) +
                      " is not a handle of this process, or was released");
    }
    return it->second;
  }
  void remove_handle(Vmm::Handle handle) { m_handles.erase(handle.id); }

  /// Returns a handle's memory after checking that it may be exported (V35).
  [[nodiscard]] MemoryPtr const& memory_to_export(Vmm::Handle handle) const {
    auto const& memory = memory_of(handle, "export_handle");
    if (memory->sharing != Vmm::Sharing::by_descriptor) {
      throw_usage("export_handle",
                  "the memory was created with Sharing::none; request "
                  "Sharing::by_descriptor when creating it");
    }
    return memory;
  }

  /// Checks the arguments of map() (V19 to V21, V23 and V27), and records the
  /// mapping. If the system then refuses to map the memory, the caller must
  /// call forget_mapping().
  Memory& add_mapping(char* address, std::size_t bytes, std::size_t offset,
                      Vmm::Handle handle) {
    auto const& memory = memory_of(handle, "map");
    check_multiple("map", "size in bytes", bytes, m_unit);
    check_multiple("map", "address", value_of(address), m_unit);
    if (offset != 0) {
      throw_usage("map", "offset " + std::to_string(offset) + " must be 0");
    }
    if (bytes != memory->bytes) {
      throw_usage("map", bytes_text(bytes) + " are not the whole memory of " +
                             bytes_text(memory->bytes) +
                             "; only whole allocations can be mapped");
    }
    auto const reservation = enclosing(m_reservations, address, bytes,
                                       [](std::size_t size) { return size; });
    if (reservation == m_reservations.end()) {
      throw_usage("map", range_text(address, bytes) +
                             " is not inside one reserved "
                             "range");
    }
    auto const next = m_mappings.lower_bound(address);
    bool const meets_next =
        next != m_mappings.end() && next->first < address + bytes;
    bool const meets_previous =
        next != m_mappings.begin() &&
        std::prev(next)->first + std::prev(next)->second.bytes > address;
    if (meets_next || meets_previous) {
      throw_usage("map", range_text(address, bytes) +
                             " overlaps a mapping; unmap that first");
    }
    m_mappings.emplace(address, Mapping{bytes, memory});
    return *memory;
  }
  /// Checks that the range is exactly one mapping (V29, V43), and returns it.
  Mapping const& check_mapping(char const* address, std::size_t bytes,
                               char const* call) const {
    auto const it = m_mappings.find(address);
    if (it == m_mappings.end() || it->second.bytes != bytes) {
      throw_usage(call,
                  range_text(address, bytes) + " is not exactly one mapping");
    }
    return it->second;
  }
  void forget_mapping(char const* address) { m_mappings.erase(address); }

  /// Returns the mapping that contains an address; nullopt if there is none.
  [[nodiscard]] std::optional<ForeignMemory::Mapping> find_mapping(
      void const* address) const {
    auto const it = mapping_around(address);
    if (it == m_mappings.end()) return std::nullopt;
    return ForeignMemory::Mapping{const_cast<char*>(it->first),
                                  it->second.bytes, it->second.memory->sharing};
  }
  [[nodiscard]] bool is_reserved(void const* address) const {
    return enclosing(m_reservations, static_cast<char const*>(address), 1,
                     [](std::size_t size) { return size; }) !=
           m_reservations.end();
  }

  /// Returns the memory that is mapped at an address (V41).
  /// \throws UsageError if this process has mapped no memory there.
  [[nodiscard]] MemoryPtr const& memory_at(void const* address,
                                           char const* call) const {
    auto const it = mapping_around(address);
    if (it == m_mappings.end()) {
      throw_usage(call, address_text(address) +
                            " is not in memory that this process mapped");
    }
    return it->second.memory;
  }

  /// Checks that the range is exactly one reservation and that nothing is
  /// mapped in it (V45, V46).
  void check_address_free(char const* address, std::size_t bytes) const {
    auto const it = m_reservations.find(address);
    if (it == m_reservations.end() || it->second != bytes) {
      throw_usage("address_free", range_text(address, bytes) +
                                      " is not exactly one reserved range");
    }
    auto const mapping = m_mappings.lower_bound(address);
    if (mapping != m_mappings.end() && mapping->first < address + bytes) {
      throw_usage("address_free", "the range is still mapped at " +
                                      address_text(mapping->first) +
                                      "; unmap it first");
    }
  }
  void forget_reservation(char const* address) {
    m_reservations.erase(address);
  }

  [[nodiscard]] auto const& reservations() const { return m_reservations; }
  [[nodiscard]] auto const& mappings() const { return m_mappings; }
  [[nodiscard]] auto const& handles() const { return m_handles; }

 private:
  static std::size_t value_of(void const* address) {
    return reinterpret_cast<std::size_t>(address);
  }
  static std::string range_text(void const* address, std::size_t bytes) {
    return "[" + address_text(address) + ", +" + std::to_string(bytes) + ")";
  }
  auto mapping_around(void const* address) const {
    return enclosing(m_mappings, static_cast<char const*>(address), 1,
                     [](Mapping const& mapping) { return mapping.bytes; });
  }
  void check_multiple(char const* call, char const* what, std::size_t value,
                      std::size_t unit) const {
    if (value == 0 || !is_multiple(value, unit)) {
      throw_usage(call, std::string(what) + " " + std::to_string(value) +
                            " is not a positive multiple of " +
                            std::to_string(unit));
    }
  }
  /// Returns the entry of `ranges` whose range contains [address, address +
  /// bytes).
  template <class Ranges, class BytesOf>
  static auto enclosing(Ranges const& ranges, char const* address,
                        std::size_t bytes, BytesOf const& bytes_of) {
    auto it = ranges.upper_bound(address);
    if (it == ranges.begin()) return ranges.end();
    --it;
    auto const size   = bytes_of(it->second);
    auto const offset = static_cast<std::size_t>(address - it->first);
    return offset < size && bytes <= size - offset ? it : ranges.end();
  }

  std::string m_provider;
  std::size_t m_page_bytes;
  std::size_t m_unit;
  std::map<char const*, std::size_t> m_reservations;
  std::map<char const*, Mapping> m_mappings;
  std::unordered_map<std::uint64_t, MemoryPtr> m_handles;
  std::uint64_t m_last_id = 0;
};

}  // namespace symm::Impl

#endif
