// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_OFFSET_MAP_HPP
#define SYMM_OFFSET_MAP_HPP

#include <bit>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "../base/Types.hpp"

namespace symm::Impl {

/// Maps the offset of a live block to its number. Uses open addressing with
/// linear probing. A lookup costs one cache miss. Unlike a node-based map, this
/// map allocates no memory in the steady state.
class OffsetMap {
 public:
  static constexpr std::uint32_t none = 0xffff'ffff;

  OffsetMap() : m_slots(16) {}

  /// Makes room for one more entry so that the next insert() does not throw.
  void prepare() {
    if (2 * (m_count + 1) > m_slots.size()) grow();
  }

  /// Precondition: `offset` is not in the map.
  void insert(std::size_t offset, std::uint32_t value) {
    prepare();
    place({offset, value});
    ++m_count;
  }

  /// Returns the value at `offset`; `none` if there is no entry.
  [[nodiscard]] std::uint32_t find(std::size_t offset) const {
    return m_slots[slot_of(offset)].value;
  }

  /// Precondition: `offset` is in the map.
  void erase(std::size_t offset) {
    std::size_t hole = slot_of(offset);
    // If probing would no longer reach an entry, move that entry into the hole.
    for (std::size_t i = next(hole); m_slots[i].value != none; i = next(i)) {
      std::size_t const distance_to_home =
          (i - home(m_slots[i].offset)) & mask();
      if (distance_to_home >= ((i - hole) & mask())) {
        m_slots[hole] = m_slots[i];
        hole          = i;
      }
    }
    m_slots[hole] = {};
    --m_count;
  }

  [[nodiscard]] std::size_t count() const { return m_count; }

 private:
  struct Slot {
    std::size_t offset  = 0;
    std::uint32_t value = none;
  };

  [[nodiscard]] std::size_t mask() const { return m_slots.size() - 1; }
  [[nodiscard]] std::size_t next(std::size_t i) const {
    return (i + 1) & mask();
  }
  /// Uses Fibonacci hashing, because offsets are multiples of 16 or of larger
  /// powers of two.
  [[nodiscard]] std::size_t home(std::size_t offset) const {
    constexpr std::uint64_t golden = 0x9e37'79b9'7f4a'7c15;
    return (offset * golden) >> (64 - std::countr_zero(m_slots.size()));
  }
  /// Returns the slot of `offset`, or the empty slot where `offset` belongs.
  [[nodiscard]] std::size_t slot_of(std::size_t offset) const {
    std::size_t i = home(offset);
    while (m_slots[i].value != none && m_slots[i].offset != offset) i = next(i);
    return i;
  }
  void place(Slot slot) { m_slots[slot_of(slot.offset)] = slot; }
  void grow() {
    std::vector<Slot> const old =
        std::exchange(m_slots, std::vector<Slot>(2 * m_slots.size()));
    for (Slot const& slot : old) {
      if (slot.value != none) place(slot);
    }
  }

  std::vector<Slot> m_slots;  // its size is a power of two
  std::size_t m_count = 0;
};

}  // namespace symm::Impl

#endif
