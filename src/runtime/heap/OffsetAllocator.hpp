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

/// Allocates blocks in ranges of offsets without accessing the memory at these
/// offsets. The same calls yield the same offsets and block numbers on every
/// PE, so the PEs need not exchange them.
///
/// Uses two-level segregated fit (Masmano et al., 2004). allocate() and free()
/// take constant time, regardless of the number of holes. allocate() searches
/// all other holes only if the heap is so full that no larger size class has a
/// hole.
///
/// Free neighbors are merged (M50). The most recently freed block is merged
/// only when a request does not match that block exactly. If it were always
/// merged, a loop that allocates and frees would split and merge blocks in
/// every iteration. Not thread-safe.
class OffsetAllocator {
 public:
  using BlockId = std::uint32_t;

  static constexpr BlockId none = OffsetMap::none;
  /// Offsets and sizes are multiples of this; malloc() aligns to it (M03).
  static constexpr std::size_t granule = 16;

  /// The maximum number of new block numbers between two calls to prepare():
  /// one for a new range, two for a block carved out of that range, and one
  /// spare.
  static constexpr std::size_t max_new_blocks = 4;

  struct Place {
    std::size_t offset = 0;
    std::size_t bytes  = 0;
  };

  OffsetAllocator();

  /// Adds [offset, offset + bytes) and merges it with free neighbors. `offset`
  /// and `bytes` must be multiples of the granule, and the range must not
  /// overlap an earlier one. Takes constant time if the range is at the end or
  /// next to the most recently added range, and otherwise takes time linear in
  /// the number of blocks in between.
  void add_range(std::size_t offset, std::size_t bytes);

  /// Removes [offset, offset + bytes) if all of it is free. Returns whether the
  /// range was removed.
  bool remove_range(std::size_t offset, std::size_t bytes);

  /// Removes a live block and its range so that the range can be added
  /// elsewhere. Takes constant time.
  Place remove(BlockId id);

  /// Removes any one free block and its range. Returns 0 bytes if no free block
  /// remains.
  [[nodiscard]] Place remove_any_free();

  /// Removes the first free piece of the range. Returns 0 bytes if no part of
  /// the range is free. Takes linear time.
  [[nodiscard]] Place remove_free_in(Place const& range);

  /// Returns the lowest place for a block in the combined free memory of the
  /// two allocators; 0 bytes if there is none. The arguments are the same as
  /// for allocate(). Takes linear time.
  [[nodiscard]] static Place find_in_both(OffsetAllocator& one,
                                          OffsetAllocator& other,
                                          std::size_t bytes,
                                          std::size_t alignment,
                                          std::size_t phase);

  /// Allocates private memory so that adding a range and then making one more
  /// call does not throw.
  void prepare() { make_room_for(max_new_blocks); }

  /// Like prepare(), but for removing `n_ranges` ranges.
  void prepare_to_remove(std::size_t n_ranges) {
    make_room_for(max_new_blocks + n_ranges);
  }

  /// Allocates a block of at least `bytes` (> 0) bytes with (offset + phase) %
  /// alignment == 0. Returns `none` if no free block is large enough.
  /// \param alignment A power of two.
  /// \param phase In bytes; a multiple of the granule and less than
  /// `alignment`.
  [[nodiscard]] BlockId allocate(std::size_t bytes, std::size_t alignment,
                                 std::size_t phase = 0);

  /// Frees a live block.
  void free(BlockId id);

  /// Frees the end of a live block but keeps at least its first `bytes` bytes.
  /// `bytes` must be positive and at most the block's size.
  void shrink(BlockId id, std::size_t bytes);

  /// Returns the live block that starts at `offset`; `none` if there is none.
  /// Takes constant time.
  [[nodiscard]] BlockId find(std::size_t offset) const {
    return m_live.find(offset);
  }
  /// Returns the live block that contains `offset`; `none` if there is none.
  /// Takes linear time. Used for error messages only.
  [[nodiscard]] BlockId find_enclosing(std::size_t offset) const;

  /// Returns the offset and size of a live block. The size is the requested
  /// size, rounded up to a multiple of the granule.
  [[nodiscard]] Place place(BlockId id) const {
    return {m_blocks[id].offset, m_blocks[id].bytes};
  }
  /// An exclusive upper bound on all block numbers.
  [[nodiscard]] std::size_t n_ids() const { return m_blocks.size(); }
  [[nodiscard]] std::size_t n_live() const { return m_live.count(); }
  [[nodiscard]] std::size_t live_bytes() const { return m_live_bytes; }
  [[nodiscard]] std::size_t free_bytes() const {
    return m_free_bytes + (m_latest == none ? 0 : m_blocks[m_latest].bytes);
  }
  /// \param max_blocks The maximum number of blocks to examine in the largest
  ///        nonempty size class.
  [[nodiscard]] std::size_t largest_free_bytes(
      std::size_t max_blocks = std::numeric_limits<std::size_t>::max()) const;

  /// Returns the minimum size that a range added at `offset` must have for the
  /// request to fit. A free block that ends at `offset` also provides room for
  /// the request.
  [[nodiscard]] std::size_t missing_bytes(std::size_t offset, std::size_t bytes,
                                          std::size_t alignment,
                                          std::size_t phase);

  /// Returns the size of the free block that starts at `offset`; 0 if there is
  /// none.
  [[nodiscard]] std::size_t free_bytes_at(std::size_t offset);

 private:
  void make_room_for(std::size_t n_new_blocks);

  static constexpr unsigned n_columns_log2 = 5;
  static constexpr unsigned n_columns      = 1U << n_columns_log2;
  static constexpr unsigned n_rows         = 60;

  struct Block {
    std::size_t offset = 0;
    std::size_t bytes  = 0;
    // Neighbors in order of offset. There may be a gap between them.
    BlockId previous = none;
    BlockId next     = none;
    // Neighbors in the free list of the block's size class.
    BlockId previous_free = none;
    BlockId next_free     = none;
    bool is_free          = false;
  };

  /// A size class. Rows are powers of two, and each row is divided linearly
  /// into columns.
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
  /// Returns block `id` if it is free, and otherwise the next free block in
  /// order of offset; `none` if there is none.
  [[nodiscard]] BlockId first_free_from(BlockId id) const;
  [[nodiscard]] bool are_adjacent(BlockId left, BlockId right) const;

  BlockId insert_after(BlockId previous, std::size_t offset, std::size_t bytes);
  void erase(BlockId id);
  void add_free(BlockId id);
  void remove_free(BlockId id);
  void merge_and_add_free(BlockId id);
  void merge_latest();

  std::vector<Block> m_blocks;
  // The numbers of erased blocks, reused in last-in, first-out order.
  std::vector<BlockId> m_unused;
  BlockId m_first = none;
  BlockId m_last  = none;
  BlockId m_added = none;  // the most recently added range, or its neighbor
  // The most recently freed block, not yet marked or listed as free.
  BlockId m_latest = none;
  OffsetMap m_live;
  std::array<std::array<BlockId, n_columns>, n_rows> m_heads;
  std::array<std::uint32_t, n_rows> m_columns{};  // bits of nonempty lists
  std::uint64_t m_rows     = 0;
  std::size_t m_free_bytes = 0;
  std::size_t m_live_bytes = 0;
};

}  // namespace symm::Impl

#endif
