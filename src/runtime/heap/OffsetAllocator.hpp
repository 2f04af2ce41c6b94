// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_OFFSET_ALLOCATOR_HPP
#define SYMM_OFFSET_ALLOCATOR_HPP

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "OffsetMap.hpp"

namespace symm::Impl {

/// Allocates blocks in ranges of offsets. It never touches the memory at the
/// offsets. The same calls give the same offsets and block numbers on every PE,
/// so PEs need not exchange them.
///
/// Two-level segregated fit (Masmano et al., 2004): allocate and free take
/// constant time however many holes there are. Only if no hole of a larger size
/// class is left does allocate try all others: the heap is nearly full then.
/// Free neighbours are merged (M50). The latest freed block is merged only when
/// a request differs from it: otherwise a loop that allocates and frees would
/// split and merge in every round. Not thread-safe.
class OffsetAllocator {
 public:
  using BlockId = std::uint32_t;

  static constexpr BlockId none = OffsetMap::none;
  /// Offsets and sizes are multiples of this; malloc() aligns to it (M03).
  static constexpr std::size_t granule = 16;

  /// Most new block numbers between two calls of prepare(): one for a new
  /// range, two for a block cut out of it, and one to spare.
  static constexpr std::size_t max_new_blocks = 4;

  struct Place {
    std::size_t offset = 0;
    std::size_t bytes  = 0;
  };

  OffsetAllocator();

  /// Adds [offset, offset + bytes), multiples of the granule, which must not
  /// overlap an earlier range. Merges with free neighbours. Takes constant time
  /// at the end and next to the range that was added before, otherwise time
  /// linear in the number of blocks in between.
  void add_range(std::size_t offset, std::size_t bytes);

  /// Takes [offset, offset + bytes) out again if all of it is free; returns
  /// whether it was.
  bool remove_range(std::size_t offset, std::size_t bytes);

  /// Takes a live block out, so that its range may be added elsewhere. Constant
  /// time.
  Place remove(BlockId id);

  /// Takes any free block out, as remove_range() does; 0 bytes if none is left.
  [[nodiscard]] Place remove_any_free();

  /// Takes out the first piece that is free in the range, as remove_range()
  /// does; 0 bytes if nothing is. Linear time.
  [[nodiscard]] Place remove_free_in(Place const& range);

  /// The lowest place for a block in what is free in either of two; 0 bytes if
  /// there is none. As allocate(), in linear time.
  [[nodiscard]] static Place find_in_both(OffsetAllocator& one,
                                          OffsetAllocator& other,
                                          std::size_t bytes,
                                          std::size_t alignment,
                                          std::size_t phase);

  /// Gets private memory: adding a range and one more call do not throw then.
  void prepare() { make_room_for(max_new_blocks); }

  /// The same for removing `n_ranges` ranges.
  void prepare_to_remove(std::size_t n_ranges) {
    make_room_for(max_new_blocks + n_ranges);
  }

  /// A block of at least `bytes` (> 0) with
  /// (offset + phase) % alignment == 0; none if no free block can hold it.
  /// \param alignment a power of two.
  /// \param phase     in bytes, a multiple of the granule below `alignment`.
  [[nodiscard]] BlockId allocate(std::size_t bytes, std::size_t alignment,
                                 std::size_t phase = 0);

  /// Gives back a live block.
  void free(BlockId id);

  /// Gives back the end of a live block; it keeps at least `bytes` (> 0, at
  /// most its size).
  void shrink(BlockId id, std::size_t bytes);

  /// The live block that starts at `offset`, or none. Constant time.
  [[nodiscard]] BlockId find(std::size_t offset) const {
    return m_live.find(offset);
  }
  /// The live block that contains `offset`, or none. Linear time: for messages.
  [[nodiscard]] BlockId find_enclosing(std::size_t offset) const;

  /// The place of a live block; its size is that of the request, rounded up.
  [[nodiscard]] Place place(BlockId id) const {
    return {m_blocks[id].offset, m_blocks[id].bytes};
  }
  /// All block numbers are below this.
  [[nodiscard]] std::size_t n_ids() const { return m_blocks.size(); }
  [[nodiscard]] std::size_t n_live() const { return m_live.count(); }
  [[nodiscard]] std::size_t live_bytes() const { return m_live_bytes; }
  [[nodiscard]] std::size_t free_bytes() const {
    return m_free_bytes + (m_latest == none ? 0 : m_blocks[m_latest].bytes);
  }
  /// \param max_blocks most blocks of the largest size class to look at.
  [[nodiscard]] std::size_t largest_free_bytes(
      std::size_t max_blocks = std::numeric_limits<std::size_t>::max()) const;

  /// Fewest bytes of a range added at `offset` with which the request fits,
  /// given the free block that ends there, if any.
  [[nodiscard]] std::size_t missing_bytes(std::size_t offset, std::size_t bytes,
                                          std::size_t alignment,
                                          std::size_t phase);

  /// Size of the free block that starts at `offset`; 0 if none does.
  [[nodiscard]] std::size_t free_bytes_at(std::size_t offset);

 private:
  void make_room_for(std::size_t n_new_blocks);

  static constexpr unsigned n_columns_log2 = 5;
  static constexpr unsigned n_columns      = 1U << n_columns_log2;
  static constexpr unsigned n_rows         = 60;

  struct Block {
    std::size_t offset = 0;
    std::size_t bytes  = 0;
    // Neighbours in the order of offsets. A range may end between them.
    BlockId previous = none;
    BlockId next     = none;
    // Neighbours in the free list of this size class.
    BlockId previous_free = none;
    BlockId next_free     = none;
    bool is_free          = false;
  };

  /// Size class: a row for each power of two, divided linearly into columns.
  struct SizeClass {
    unsigned row;
    unsigned column;
  };

  static SizeClass class_of(std::size_t bytes);
  [[nodiscard]] BlockId first_in_class_not_below(SizeClass wanted) const;
  [[nodiscard]] BlockId find_fit(std::size_t bytes, std::size_t alignment,
                                 std::size_t phase) const;
  [[nodiscard]] bool fits(BlockId id, std::size_t bytes, std::size_t alignment,
                          std::size_t phase) const;
  [[nodiscard]] BlockId last_before(std::size_t offset) const;
  /// The block, or the first free one after it, or none.
  [[nodiscard]] BlockId first_free_from(BlockId id) const;
  [[nodiscard]] bool are_adjacent(BlockId left, BlockId right) const;

  BlockId insert_after(BlockId previous, std::size_t offset, std::size_t bytes);
  void erase(BlockId id);
  void add_free(BlockId id);
  void remove_free(BlockId id);
  void merge_and_add_free(BlockId id);
  void merge_latest();

  std::vector<Block> m_blocks;
  std::vector<BlockId> m_unused;  // numbers of erased blocks, reused last first
  BlockId m_first = none;
  BlockId m_last  = none;
  BlockId m_added = none;  // the latest added range, or its neighbour
  // Freed, but not yet marked and listed as free.
  BlockId m_latest = none;
  OffsetMap m_live;
  std::array<std::array<BlockId, n_columns>, n_rows> m_heads;
  std::array<std::uint32_t, n_rows> m_columns{};  // bit set: list not empty
  std::uint64_t m_rows     = 0;
  std::size_t m_free_bytes = 0;
  std::size_t m_live_bytes = 0;
};

}  // namespace symm::Impl

#endif
