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

/// Memory of the program that is part of a heap: which, where, and what may
/// become so. Local, and the same on every PE but for the program's addresses.
/// One thread at a time.
class RegisteredMemory : public BlockIds {
 public:
  /// That no block has: one number is either a block or one of these.
  static constexpr Id bit = Id{1} << 31U;

  [[nodiscard]] static bool is_registered(Id id) { return (id & bit) != 0; }

  struct Entry {
    void const* memory = nullptr;  // of the program; null: not in use
    std::size_t offset = 0;        // in the heap
    std::size_t bytes  = 0;
    ViewInfo view{};
  };

  /// What is to be registered: one memory of virtual memory management.
  struct Wanted {
    ForeignMemory::Mapping memory;
    std::size_t start = 0;  // of a View's data in it
  };

  /// \param provider must outlive this.
  RegisteredMemory(MemoryProvider& provider, HeapMap const& map, bool is_static)
      : m_provider(provider), m_map(map), m_is_static(is_static) {}

  /// Makes `wanted`, which is of a View's data, that of the memory around them.
  /// \throws UsageError if that ends before the data does.
  void enclose(char const* label, Wanted& wanted);

  /// Why the heap cannot take it, if so.
  /// \param what names it: "address 0x..."
  [[nodiscard]] std::optional<Failure> refusal(
      std::string const& what, ForeignMemory::Mapping const& wanted, int flags);

  /// Makes room for one more: add() does not throw then.
  void prepare() { m_entries.reserve(m_entries.size() + 1); }
  void add(Entry const& entry);
  /// Forgets one, and returns what it was.
  Entry remove(Id id);

  [[nodiscard]] Entry const& entry(Id id) const { return m_entries[id & ~bit]; }
  /// The one around an offset, or none.
  [[nodiscard]] Id find(std::size_t offset) const;
  /// One whose View has ended on all PEs, or none.
  [[nodiscard]] Id find_ended() const;

  /// What is wrong with unregistering `bytes` at `address`; if nothing is, `id`
  /// is what is there.
  [[nodiscard]] std::optional<Text> complaint_about(void const* address,
                                                    std::size_t bytes,
                                                    Id& id) const;

  // Views.

  [[nodiscard]] ViewInfo& view(Id id) { return m_entries[id & ~bit].view; }
  [[nodiscard]] std::size_t n_views() const { return m_n_views; }
  /// Appends label and size of each that lives on this PE.
  void list_views(std::vector<std::string>& list) const;

 private:
  MemoryProvider& m_provider;
  HeapMap m_map;
  bool m_is_static;              // takes none
  std::vector<Entry> m_entries;  // by number, without the bit
  std::size_t m_n_views = 0;
};

}  // namespace symm::Impl

#endif
