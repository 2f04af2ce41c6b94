// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_HASH_MAP_LOCAL_TABLE_HPP
#define SYMM_HASH_MAP_LOCAL_TABLE_HPP

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <new>
#include <optional>
#include <utility>
#include <vector>

namespace symm::Impl {

/// A hash table in this PE's memory, with linear probing. An operation incurs
/// one cache miss, which prefetch() can hide. (std::unordered_map allocates
/// each element separately. Kokkos::UnorderedMap is designed for many threads
/// and accesses five arrays.)
template <class Key, class Value>
class LocalTable {
 public:
  struct Slot {
    Key key;
    Value value;
    bool is_used = false;
  };

  LocalTable() = default;
  explicit LocalTable(std::size_t n_keys) { make_room(n_keys); }

  [[nodiscard]] std::size_t size() const { return m_size; }
  void prefetch(std::uint64_t hash) const {
    __builtin_prefetch(&m_slots[hash & m_mask]);
  }
  /// A pointer to the value of `key`; null if the key is not in the table.
  [[nodiscard]] Value* find(Key const& key, std::uint64_t hash) {
    auto& slot = slot_of(key, hash);
    return slot.is_used ? &slot.value : nullptr;
  }
  /// Inserts `key` unless it is already in the table.
  /// \param hash_of returns the hash of a given key; used to rehash the keys
  ///        when the table grows.
  /// \returns the address of the key's value, and whether the key was inserted.
  template <class HashOf>
  std::pair<Value*, bool> insert(Key const& key, std::uint64_t hash,
                                 Value const& value, HashOf const& hash_of) {
    auto* slot = &slot_of(key, hash);
    if (slot->is_used) return {&slot->value, false};
    if (2 * (m_size + 1) > m_slots.size()) {
      grow(hash_of);
      slot = &slot_of(key, hash);
    }
    *slot = {key, value, true};
    ++m_size;
    return {&slot->value, true};
  }
  /// Erases `key` if it is in the table. Keys in later slots move to the slots
  /// that they would occupy if `key` had never been inserted.
  /// \returns the value that the key had; empty if it was not in the table.
  template <class HashOf>
  std::optional<Value> erase(Key const& key, std::uint64_t hash,
                             HashOf const& hash_of) {
    auto const& slot = slot_of(key, hash);
    if (!slot.is_used) return {};
    std::optional<Value> const value = slot.value;
    auto free = static_cast<std::size_t>(&slot - m_slots.data());
    for (auto at = (free + 1) & m_mask; m_slots[at].is_used;
         at      = (at + 1) & m_mask) {
      auto const from_first = at - hash_of(m_slots[at].key);
      if ((from_first & m_mask) < ((at - free) & m_mask)) continue;
      m_slots[free] = m_slots[at];
      free          = at;
    }
    m_slots[free] = {};
    --m_size;
    return value;
  }
  template <class F>
  void for_each(F const& f) {
    for (auto& slot : m_slots)
      if (slot.is_used) f(std::as_const(slot.key), slot.value);
  }
  void clear() {
    std::fill(m_slots.begin(), m_slots.end(), Slot{});
    m_size = 0;
  }

 private:
  void make_room(std::size_t n_keys) {
    if (n_keys > m_slots.max_size() / 4) throw std::bad_alloc();
    m_slots.assign(std::bit_ceil(std::max<std::size_t>(2 * n_keys, 16)), {});
    m_mask = m_slots.size() - 1;
  }
  Slot& slot_of(Key const& key, std::uint64_t hash) {
    auto at = hash & m_mask;
    while (m_slots[at].is_used && !(m_slots[at].key == key))
      at = (at + 1) & m_mask;
    return m_slots[at];
  }
  template <class HashOf>
  void grow(HashOf const& hash_of) {
    std::vector<Slot> larger(2 * m_slots.size());
    std::swap(larger, m_slots);
    m_mask = m_slots.size() - 1;
    for (auto const& slot : larger)
      if (slot.is_used) slot_of(slot.key, hash_of(slot.key)) = slot;
  }

  std::vector<Slot> m_slots;
  std::size_t m_mask = 0;
  std::size_t m_size = 0;
};

}  // namespace symm::Impl

#endif
