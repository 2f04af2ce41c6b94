// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_HEAP_BLOCKS_HPP
#define SYMM_HEAP_BLOCKS_HPP

#include <cstddef>
#include <limits>
#include <string>
#include <vector>

#include "../base/Text.hpp"
#include "../memory/HeapMap.hpp"
#include "OffsetAllocator.hpp"
#include "Poison.hpp"
#include "ViewInfo.hpp"

namespace symm::Impl {

/// The type of block IDs. A block has the same ID on all PEs.
struct BlockIds {
  using Id = OffsetAllocator::BlockId;

  static constexpr Id none = OffsetAllocator::none;
};

/// A heap's blocks: their locations, and the Views that own them. All calls are
/// local. PEs that make the same calls get the same results. Under
/// AddressSanitizer, free memory is poisoned. Not thread-safe.
class HeapBlocks : public BlockIds {
 public:
  /// A request for a block of `bytes` bytes, with (offset + phase) % alignment
  /// == 0.
  struct Request {
    std::size_t bytes     = 0;
    std::size_t alignment = OffsetAllocator::granule;
    std::size_t phase     = 0;
  };

  explicit HeapBlocks(HeapMap const& map) : m_map(map) {}

  /// Allocates private memory so that adding a range and then making one more
  /// call does not throw.
  /// \param n_ranges The number of additional ranges that will be added or
  ///        removed.
  void prepare(std::size_t n_ranges = 0) {
    m_allocator.prepare_to_remove(n_ranges);
    auto const n_ids =
        m_allocator.n_ids() + OffsetAllocator::max_new_blocks + n_ranges;
    if (m_views.size() < n_ids) m_views.resize(2 * n_ids);
  }

  /// Like prepare(), but for removing `n_ranges` ranges.
  void prepare_to_remove(std::size_t n_ranges) {
    m_allocator.prepare_to_remove(n_ranges);
  }

  // Ranges of offsets that have physical memory for blocks.

  /// Precondition: the range overlaps no earlier range.
  void add_range(std::size_t offset, std::size_t bytes) {
    m_allocator.add_range(offset, bytes);
    set_poisoned(m_map, offset, bytes, true);
  }

  /// Removes a range if it contains no block. Returns whether the range was
  /// removed.
  bool remove_range(std::size_t offset, std::size_t bytes) {
    if (!m_allocator.remove_range(offset, bytes)) return false;
    set_poisoned(m_map, offset, bytes, false);
    return true;
  }

  /// Moves free memory from this object to `to`, up to `most` bytes, which must
  /// be a multiple of the granule. Before each move, allocates the private
  /// memory that both objects need for it.
  void move_free_to(
      HeapBlocks& to,
      std::size_t most = std::numeric_limits<std::size_t>::max()) {
    while (most > 0) {
      prepare();
      to.prepare();
      auto [offset, bytes] = m_allocator.remove_any_free();
      if (bytes == 0) return;
      if (bytes > most) {
        m_allocator.add_range(offset + most, bytes - most);
        bytes = most;
      }
      to.m_allocator.add_range(offset, bytes);
      most -= bytes;
    }
  }
  /// Makes room for the request by combining free memory from this object and
  /// from `from`. Only the pieces that the request needs move from `from` to
  /// this object. Allocates private memory as move_free_to() does. Takes linear
  /// time.
  /// \returns whether there is now room for the request.
  bool join(HeapBlocks& from, Request const& request);
  /// Frees a block. Its memory becomes free memory in `to`.
  void give_back_to(HeapBlocks& to, Id id) {
    end_block(id);
    auto const [offset, bytes] = m_allocator.remove(id);
    to.m_allocator.add_range(offset, bytes);
  }

  /// Returns the minimum size that a range added at `offset` must have for the
  /// request to fit.
  [[nodiscard]] std::size_t missing_bytes(std::size_t offset,
                                          Request const& request) {
    return m_allocator.missing_bytes(offset, request.bytes, request.alignment,
                                     request.phase);
  }
  /// The size of the free block that starts at `offset`; 0 if there is none.
  [[nodiscard]] std::size_t free_bytes_at(std::size_t offset) {
    return m_allocator.free_bytes_at(offset);
  }

  // Blocks.

  /// Allocates a block; returns `none` if there is no room.
  [[nodiscard]] Id take(Request const& request) {
    auto const id =
        m_allocator.allocate(request.bytes, request.alignment, request.phase);
    if (id == none) return id;
    auto const [offset, bytes] = m_allocator.place(id);
    set_poisoned(m_map, offset, bytes, false);
    return id;
  }

  /// Whether a block has exactly the requested size and alignment.
  [[nodiscard]] bool fits_exactly(Id id, Request const& request) const {
    auto const [offset, bytes] = m_allocator.place(id);
    return bytes == request.bytes &&
           (offset + request.phase) % request.alignment == 0;
  }

  void give_back(Id id) {
    end_block(id);
    m_allocator.free(id);
  }

  /// Frees all but the first `bytes` bytes of a block. `bytes` must be positive
  /// and at most the block's size.
  void shrink(Id id, std::size_t bytes);

  /// The block that starts at `offset`; `none` if there is none.
  [[nodiscard]] Id find(std::size_t offset) const {
    return m_allocator.find(offset);
  }
  [[nodiscard]] std::size_t bytes_of(Id id) const {
    return m_allocator.place(id).bytes;
  }
  /// The block's address on this PE.
  [[nodiscard]] char* address_of(Id id) const {
    return m_map.part(m_map.my_pe) + m_allocator.place(id).offset;
  }

  /// Returns the reason why `address` cannot be freed, worded as the end of a
  /// sentence. Precondition: no block starts at `address`, or `is_view` is
  /// false and a View owns the block that starts there.
  [[nodiscard]] Text complaint_about(void const* address, bool is_view) const;

  // Views.

  /// Makes a View the owner of the block.
  void begin_view(Id id, char const* label, std::size_t header_bytes) {
    m_views[id].begin(label, header_bytes);
    ++m_n_views;
  }
  [[nodiscard]] ViewInfo& view(Id id) { return m_views[id]; }
  [[nodiscard]] ViewInfo const& view(Id id) const { return m_views[id]; }
  [[nodiscard]] std::size_t n_views() const { return m_n_views; }
  /// Appends the label and size of each View that is alive on this PE.
  void list_views(std::vector<std::string>& list) const;

  // Statistics.

  /// An upper bound on the number of free blocks.
  [[nodiscard]] std::size_t max_free_blocks() const {
    return m_allocator.n_ids();
  }
  [[nodiscard]] std::size_t n_live() const { return m_allocator.n_live(); }
  [[nodiscard]] std::size_t live_bytes() const {
    return m_allocator.live_bytes();
  }
  [[nodiscard]] std::size_t free_bytes() const {
    return m_allocator.free_bytes();
  }
  [[nodiscard]] std::size_t largest_free_bytes() const {
    return m_allocator.largest_free_bytes();
  }
  /// Like largest_free_bytes(), but in constant time. The result may be up to
  /// 3% too low if the largest size class has more than eight free blocks.
  [[nodiscard]] std::size_t about_largest_free_bytes() const {
    return m_allocator.largest_free_bytes(8);
  }

 private:
  void end_block(Id id) {
    auto const [offset, bytes] = m_allocator.place(id);
    set_poisoned(m_map, offset, bytes, true);
    if (m_views[id].is_view) --m_n_views;
    m_views[id] = {};
  }

  HeapMap m_map;
  OffsetAllocator m_allocator;
  std::vector<ViewInfo> m_views;  // indexed by block number
  std::size_t m_n_views = 0;
};

}  // namespace symm::Impl

#endif
