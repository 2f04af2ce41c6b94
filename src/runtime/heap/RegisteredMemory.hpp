// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_REGISTERED_MEMORY_HPP
#define SYMM_REGISTERED_MEMORY_HPP

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "../base/Failure.hpp"
#include "../memory/HeapMap.hpp"
#include "../memory/MemoryProvider.hpp"
#include "HeapBlocks.hpp"
#include "ViewInfo.hpp"

namespace symm::Impl {

/// Keeps track of the program's memory that is part of a heap, and checks
/// memory before it becomes part of the heap. All calls are local. The entries
/// are the same on all PEs, except for the program's addresses. Not
/// thread-safe.
class RegisteredMemory : public BlockIds {
 public:
  /// Marks an id as registered memory; never set in a block number.
  static constexpr Id bit = Id{1} << 31U;

  [[nodiscard]] static bool is_registered(Id id) { return (id & bit) != 0; }

  struct Entry {
    void const* memory = nullptr;  // the program's address; null: unused entry
    std::size_t offset = 0;        // offset in the heap
    std::size_t bytes  = 0;
    ViewInfo view{};
  };

  /// Memory to register: one entire allocation made with the virtual memory
  /// management API.
  struct Wanted {
    ForeignMemory::Mapping memory;
    std::size_t start = 0;  // offset of a View's data within `memory`
  };

  /// \param provider Must outlive this object.
  RegisteredMemory(MemoryProvider& provider, HeapMap const& map, bool is_static)
      : m_provider(provider), m_map(map), m_is_static(is_static) {}

  /// Replaces the range of the View's data in `wanted` with the entire
  /// allocation that contains the data.
  /// \throws UsageError if the data extend beyond that allocation.
  void enclose(char const* label, Wanted& wanted);

  /// Returns the reason why the heap cannot accept the memory; nullopt if it
  /// can.
  /// \param what Describes the memory in the error message, such as "address
  ///        0x...".
  [[nodiscard]] std::optional<Failure> refusal(
      std::string const& what, ForeignMemory::Mapping const& wanted, int flags);

  /// Makes room for one more entry so that the next add() does not throw.
  void prepare() { m_entries.reserve(m_entries.size() + 1); }
  void add(Entry const& entry);
  /// Removes and returns an entry.
  Entry remove(Id id);

  [[nodiscard]] Entry const& entry(Id id) const { return m_entries[id & ~bit]; }
  /// Returns the entry that contains `offset`; `none` if there is none.
  [[nodiscard]] Id find(std::size_t offset) const;
  /// Returns an entry whose View has been retired by all PEs; `none` if there
  /// is none.
  [[nodiscard]] Id find_ended() const;

  /// Returns the reason why `bytes` bytes at `address` cannot be unregistered.
  /// If they can, returns nullopt and sets `id` to their entry.
  [[nodiscard]] std::optional<Text> complaint_about(void const* address,
                                                    std::size_t bytes,
                                                    Id& id) const;

  // Views.

  [[nodiscard]] ViewInfo& view(Id id) { return m_entries[id & ~bit].view; }
  [[nodiscard]] std::size_t n_views() const { return m_n_views; }
  /// Appends the label and size of each View that is alive on this PE.
  void list_views(std::vector<std::string>& list) const;

 private:
  MemoryProvider& m_provider;
  HeapMap m_map;
  bool m_is_static;              // if true, no memory can be registered
  std::vector<Entry> m_entries;  // indexed by id without `bit`
  std::size_t m_n_views = 0;
};

}  // namespace symm::Impl

#endif
