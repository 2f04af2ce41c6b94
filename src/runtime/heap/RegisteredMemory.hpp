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

/// The memory of the program that is part of a heap, and the checks of what may
/// become part of it. All calls are local. All PEs have the same entries but
/// for the program's addresses. One thread at a time.
class RegisteredMemory : public BlockIds {
 public:
  /// Set in numbers of registered memory, and in no number of a block.
  static constexpr Id bit = Id{1} << 31U;

  [[nodiscard]] static bool is_registered(Id id) { return (id & bit) != 0; }

  struct Entry {
    void const* memory = nullptr;  // the program's address; null: not in use
    std::size_t offset = 0;        // in the heap
    std::size_t bytes  = 0;
    ViewInfo view{};
  };

  /// Memory to be registered: one memory of virtual memory management.
  struct Wanted {
    ForeignMemory::Mapping memory;
    std::size_t start = 0;  // offset of a View's data in it
  };

  /// \param provider must outlive this.
  RegisteredMemory(MemoryProvider& provider, HeapMap const& map, bool is_static)
      : m_provider(provider), m_map(map), m_is_static(is_static) {}

  /// Replaces a View's data in `wanted` by the whole memory around them.
  /// \throws UsageError if that memory ends before the data.
  void enclose(char const* label, Wanted& wanted);

  /// Why the heap cannot take the memory; nothing if it can.
  /// \param what names the memory: "address 0x..."
  [[nodiscard]] std::optional<Failure> refusal(
      std::string const& what, ForeignMemory::Mapping const& wanted, int flags);

  /// Makes room for one more entry: add() does not throw then.
  void prepare() { m_entries.reserve(m_entries.size() + 1); }
  void add(Entry const& entry);
  /// Removes an entry, and returns it.
  Entry remove(Id id);

  [[nodiscard]] Entry const& entry(Id id) const { return m_entries[id & ~bit]; }
  /// The entry that contains `offset`, or none.
  [[nodiscard]] Id find(std::size_t offset) const;
  /// An entry whose View has ended on all PEs, or none.
  [[nodiscard]] Id find_ended() const;

  /// Why `bytes` bytes at `address` cannot be unregistered. If they can,
  /// returns nothing, and `id` is their entry.
  [[nodiscard]] std::optional<Text> complaint_about(void const* address,
                                                    std::size_t bytes,
                                                    Id& id) const;

  // Views.

  [[nodiscard]] ViewInfo& view(Id id) { return m_entries[id & ~bit].view; }
  [[nodiscard]] std::size_t n_views() const { return m_n_views; }
  /// Appends label and size of each View that is alive on this PE.
  void list_views(std::vector<std::string>& list) const;

 private:
  MemoryProvider& m_provider;
  HeapMap m_map;
  bool m_is_static;              // then nothing can be registered
  std::vector<Entry> m_entries;  // by number, without the bit
  std::size_t m_n_views = 0;
};

}  // namespace symm::Impl

#endif
