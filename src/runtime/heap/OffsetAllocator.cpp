// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#include "OffsetAllocator.hpp"

#include <algorithm>
#include <bit>
#include <limits>
#include <utility>

#include "../base/Types.hpp"

namespace symm::Impl {

namespace {

/// Returns the first start at or after `offset` with (start + phase) %
/// alignment == 0.
std::size_t aligned_start(std::size_t offset, std::size_t alignment,
                          std::size_t phase) {
  return round_up(offset + phase, alignment) - phase;
}

/// The number of blocks to try in a request's own size class before trying
/// larger classes. This is enough to find the hole left by an equal block that
/// was just freed.
constexpr int n_own_class_tries = 4;

}  // namespace

OffsetAllocator::OffsetAllocator() {
  for (auto& row : m_heads) row.fill(none);
}

OffsetAllocator::SizeClass OffsetAllocator::class_of(std::size_t bytes) {
  std::size_t const units = bytes / granule;
  if (units < n_columns) return {0, static_cast<unsigned>(units)};
  auto const shift =
      static_cast<unsigned>(std::bit_width(units)) - n_columns_log2 - 1;
  return {shift + 1, static_cast<unsigned>(units >> shift) - n_columns};
}

OffsetAllocator::BlockId OffsetAllocator::first_in_class_not_below(
    SizeClass wanted) const {
  auto row          = wanted.row;
  auto const in_row = m_columns[row] >> wanted.column;
  if (in_row != 0) {
    return m_heads[row][wanted.column +
                        static_cast<unsigned>(std::countr_zero(in_row))];
  }
  auto const rows = row + 1 < n_rows ? m_rows >> (row + 1) : 0;
  if (rows == 0) return none;
  row += 1 + static_cast<unsigned>(std::countr_zero(rows));
  return m_heads[row][static_cast<unsigned>(std::countr_zero(m_columns[row]))];
}

bool OffsetAllocator::fits(BlockId id, std::size_t bytes, std::size_t alignment,
                           std::size_t phase) const {
  auto const& block = m_blocks[id];
  auto const skipped =
      aligned_start(block.offset, alignment, phase) - block.offset;
  return skipped <= block.bytes && bytes <= block.bytes - skipped;
}

OffsetAllocator::BlockId OffsetAllocator::find_fit(std::size_t bytes,
                                                   std::size_t alignment,
                                                   std::size_t phase) const {
  auto const own = class_of(bytes);
  auto id        = m_heads[own.row][own.column];
  for (int i = 0; i < n_own_class_tries && id != none; ++i) {
    if (fits(id, bytes, alignment, phase)) return id;
    id = m_blocks[id].next_free;
  }
  // In any size class above the worst case's class, every block is large
  // enough, whatever its offset.
  auto const worst = bytes + alignment - granule;
  auto const row   = class_of(worst).row;
  auto const width = row == 0 ? granule : granule << (row - 1);
  id = first_in_class_not_below(class_of(worst + width - granule));
  if (id != none) return id;
  // The heap is nearly full: try every block that might be large enough.
  for (auto rows = m_rows >> own.row << own.row; rows != 0; rows &= rows - 1) {
    auto const r = static_cast<unsigned>(std::countr_zero(rows));
    auto columns = m_columns[r];
    if (r == own.row) columns = columns >> own.column << own.column;
    for (; columns != 0; columns &= columns - 1) {
      id = m_heads[r][static_cast<unsigned>(std::countr_zero(columns))];
      for (; id != none; id = m_blocks[id].next_free) {
        if (fits(id, bytes, alignment, phase)) return id;
      }
    }
  }
  return none;
}

void OffsetAllocator::make_room_for(std::size_t n_new_blocks) {
  if (m_blocks.capacity() < m_blocks.size() + n_new_blocks) {
    m_blocks.reserve(2 * (m_blocks.size() + n_new_blocks));
  }
  m_unused.reserve(m_blocks.capacity());
  m_live.prepare();
}

OffsetAllocator::BlockId OffsetAllocator::allocate(std::size_t bytes,
                                                   std::size_t alignment,
                                                   std::size_t phase) {
  alignment = std::max(alignment, granule);
  // No heap is larger than this. The limit ensures that the sums below cannot
  // overflow.
  constexpr std::size_t limit = std::numeric_limits<std::size_t>::max() / 4;
  if (bytes > limit || alignment > limit) return none;
  bytes = round_up(bytes, granule);
  if (m_latest != none && m_blocks[m_latest].bytes == bytes &&
      fits(m_latest, bytes, alignment, phase)) {
    auto const id = std::exchange(m_latest, none);
    m_live.insert(m_blocks[id].offset, id);
    m_live_bytes += bytes;
    return id;
  }
  merge_latest();
  auto const id = find_fit(bytes, alignment, phase);
  if (id == none) return none;

  remove_free(id);
  auto const whole = m_blocks[id];
  auto const start = aligned_start(whole.offset, alignment, phase);
  auto result      = id;
  if (start > whole.offset) {  // the head stays free
    m_blocks[id].bytes = start - whole.offset;
    result = insert_after(id, start, whole.bytes - m_blocks[id].bytes);
    add_free(id);
  }
  if (m_blocks[result].bytes > bytes) {  // the tail also stays free
    auto const tail =
        insert_after(result, start + bytes, m_blocks[result].bytes - bytes);
    m_blocks[result].bytes = bytes;
    add_free(tail);
  }
  m_live.insert(start, result);
  m_live_bytes += bytes;
  return result;
}

void OffsetAllocator::free(BlockId id) {
  m_live.erase(m_blocks[id].offset);
  m_live_bytes -= m_blocks[id].bytes;
  merge_latest();
  m_latest = id;
}

void OffsetAllocator::merge_latest() {
  if (m_latest != none) merge_and_add_free(std::exchange(m_latest, none));
}

void OffsetAllocator::shrink(BlockId id, std::size_t bytes) {
  bytes            = round_up(bytes, granule);
  auto const spare = m_blocks[id].bytes - bytes;
  if (spare == 0) return;
  m_blocks[id].bytes = bytes;
  m_live_bytes -= spare;
  merge_and_add_free(insert_after(id, m_blocks[id].offset + bytes, spare));
}

bool OffsetAllocator::are_adjacent(BlockId left, BlockId right) const {
  return left != none && right != none &&
         m_blocks[left].offset + m_blocks[left].bytes == m_blocks[right].offset;
}

void OffsetAllocator::merge_and_add_free(BlockId id) {
  auto const next = m_blocks[id].next;
  if (are_adjacent(id, next) && m_blocks[next].is_free) {
    remove_free(next);
    m_blocks[id].bytes += m_blocks[next].bytes;
    erase(next);
  }
  auto const previous = m_blocks[id].previous;
  if (are_adjacent(previous, id) && m_blocks[previous].is_free) {
    remove_free(previous);
    m_blocks[previous].bytes += m_blocks[id].bytes;
    erase(id);
    id = previous;
  }
  add_free(id);
}

OffsetAllocator::BlockId OffsetAllocator::last_before(
    std::size_t offset) const {
  // Most ranges are added at the end or next to the previously added range.
  if (m_last == none || m_blocks[m_last].offset < offset) return m_last;
  auto id = m_added == none ? m_last : m_added;
  while (id != none && m_blocks[id].offset >= offset)
    id = m_blocks[id].previous;
  if (id == none) return none;
  for (auto next = m_blocks[id].next; m_blocks[next].offset < offset;
       next      = m_blocks[id].next) {
    id = next;
  }
  return id;
}

void OffsetAllocator::add_range(std::size_t offset, std::size_t bytes) {
  merge_latest();
  m_added = insert_after(last_before(offset), offset, bytes);
  merge_and_add_free(m_added);
}

OffsetAllocator::Place OffsetAllocator::remove(BlockId id) {
  auto const found = place(id);
  m_live.erase(found.offset);
  m_live_bytes -= found.bytes;
  erase(id);
  return found;
}

OffsetAllocator::Place OffsetAllocator::remove_any_free() {
  merge_latest();
  if (m_rows == 0) return {};
  auto const row = static_cast<unsigned>(std::countr_zero(m_rows));
  auto const id =
      m_heads[row][static_cast<unsigned>(std::countr_zero(m_columns[row]))];
  auto const found = place(id);
  remove_free(id);
  erase(id);
  return found;
}

bool OffsetAllocator::remove_range(std::size_t offset, std::size_t bytes) {
  merge_latest();
  auto const id = last_before(offset + 1);
  if (id == none || !m_blocks[id].is_free) return false;
  auto const whole = m_blocks[id];
  auto const end   = whole.offset + whole.bytes;
  if (end < offset + bytes) return false;
  remove_free(id);
  if (end > offset + bytes) {
    add_free(insert_after(id, offset + bytes, end - offset - bytes));
  }
  if (whole.offset < offset) {
    m_blocks[id].bytes = offset - whole.offset;
    add_free(id);
  } else {
    erase(id);
  }
  return true;
}

OffsetAllocator::BlockId OffsetAllocator::first_free_from(BlockId id) const {
  while (id != none && !m_blocks[id].is_free) id = m_blocks[id].next;
  return id;
}

OffsetAllocator::Place OffsetAllocator::remove_free_in(Place const& range) {
  merge_latest();
  auto const end = range.offset + range.bytes;
  for (auto id = first_free_from(m_first); id != none;
       id      = first_free_from(m_blocks[id].next)) {
    auto const& block = m_blocks[id];
    auto const start  = std::max(block.offset, range.offset);
    if (start >= end) break;
    if (block.offset + block.bytes <= start) continue;
    Place const found{start, std::min(block.offset + block.bytes, end) - start};
    remove_range(found.offset, found.bytes);
    return found;
  }
  return {};
}

OffsetAllocator::Place OffsetAllocator::find_in_both(OffsetAllocator& one,
                                                     OffsetAllocator& other,
                                                     std::size_t bytes,
                                                     std::size_t alignment,
                                                     std::size_t phase) {
  one.merge_latest();
  other.merge_latest();
  alignment = std::max(alignment, granule);
  if (bytes > one.free_bytes() + other.free_bytes()) return {};
  bytes         = round_up(bytes, granule);
  auto in_one   = one.first_free_from(one.m_first);
  auto in_other = other.first_free_from(other.m_first);
  Place run;  // contiguous free memory
  while (in_one != none || in_other != none) {
    bool const is_next_in_one =
        in_other == none ||
        (in_one != none &&
         one.m_blocks[in_one].offset < other.m_blocks[in_other].offset);
    auto& owner       = is_next_in_one ? one : other;
    auto& id          = is_next_in_one ? in_one : in_other;
    auto const& block = owner.m_blocks[id];
    if (block.offset != run.offset + run.bytes) run = {block.offset, 0};
    run.bytes += block.bytes;
    auto const start = aligned_start(run.offset, alignment, phase);
    if (start + bytes <= run.offset + run.bytes) return {start, bytes};
    id = owner.first_free_from(block.next);
  }
  return {};
}

OffsetAllocator::BlockId OffsetAllocator::find_enclosing(
    std::size_t offset) const {
  auto const id = last_before(offset + 1);
  if (id == none || id == m_latest || m_blocks[id].is_free ||
      offset - m_blocks[id].offset >= m_blocks[id].bytes) {
    return none;
  }
  return id;
}

std::size_t OffsetAllocator::largest_free_bytes(std::size_t max_blocks) const {
  std::size_t largest = 0;
  if (m_rows != 0) {
    auto const row = static_cast<unsigned>(std::bit_width(m_rows)) - 1;
    auto const column =
        static_cast<unsigned>(std::bit_width(m_columns[row])) - 1;
    for (auto id = m_heads[row][column]; id != none && max_blocks > 0;
         id      = m_blocks[id].next_free, --max_blocks) {
      largest = std::max(largest, m_blocks[id].bytes);
    }
  }
  if (m_latest == none) return largest;
  auto const& latest = m_blocks[m_latest];
  auto merged        = latest.bytes;
  if (are_adjacent(latest.previous, m_latest) &&
      m_blocks[latest.previous].is_free) {
    merged += m_blocks[latest.previous].bytes;
  }
  if (are_adjacent(m_latest, latest.next) && m_blocks[latest.next].is_free) {
    merged += m_blocks[latest.next].bytes;
  }
  return std::max(largest, merged);
}

std::size_t OffsetAllocator::missing_bytes(std::size_t offset,
                                           std::size_t bytes,
                                           std::size_t alignment,
                                           std::size_t phase) {
  merge_latest();
  auto const last      = last_before(offset);
  bool const ends_free = last != none && m_blocks[last].is_free &&
                         m_blocks[last].offset + m_blocks[last].bytes == offset;
  auto const start = aligned_start(ends_free ? m_blocks[last].offset : offset,
                                   std::max(alignment, granule), phase);
  auto const end = start + round_up(bytes, granule);
  return end > offset ? end - offset : 0;
}

std::size_t OffsetAllocator::free_bytes_at(std::size_t offset) {
  merge_latest();
  auto const id = last_before(offset + 1);
  if (id == none || !m_blocks[id].is_free || m_blocks[id].offset != offset) {
    return 0;
  }
  return m_blocks[id].bytes;
}

OffsetAllocator::BlockId OffsetAllocator::insert_after(BlockId previous,
                                                       std::size_t offset,
                                                       std::size_t bytes) {
  BlockId id = 0;
  if (m_unused.empty()) {
    id = static_cast<BlockId>(m_blocks.size());
    m_blocks.emplace_back();
  } else {
    id = m_unused.back();
    m_unused.pop_back();
  }
  auto const next = previous == none ? m_first : m_blocks[previous].next;
  m_blocks[id]    = {offset, bytes, previous, next, none, none, false};
  (previous == none ? m_first : m_blocks[previous].next) = id;
  (next == none ? m_last : m_blocks[next].previous)      = id;
  return id;
}

void OffsetAllocator::erase(BlockId id) {
  auto const& block = m_blocks[id];
  (block.previous == none ? m_first : m_blocks[block.previous].next) =
      block.next;
  (block.next == none ? m_last : m_blocks[block.next].previous) =
      block.previous;
  if (m_added == id) {
    m_added = block.previous == none ? block.next : block.previous;
  }
  m_unused.push_back(id);
}

void OffsetAllocator::add_free(BlockId id) {
  auto& block              = m_blocks[id];
  auto const [row, column] = class_of(block.bytes);
  auto& head               = m_heads[row][column];
  block.is_free            = true;
  block.previous_free      = none;
  block.next_free          = head;
  if (head != none) m_blocks[head].previous_free = id;
  head = id;
  m_columns[row] |= 1U << column;
  m_rows |= std::uint64_t{1} << row;
  m_free_bytes += block.bytes;
}

void OffsetAllocator::remove_free(BlockId id) {
  auto& block              = m_blocks[id];
  auto const [row, column] = class_of(block.bytes);
  if (block.previous_free != none) {
    m_blocks[block.previous_free].next_free = block.next_free;
  } else {
    m_heads[row][column] = block.next_free;
    if (block.next_free == none) {
      m_columns[row] &= ~(1U << column);
      if (m_columns[row] == 0) m_rows &= ~(std::uint64_t{1} << row);
    }
  }
  if (block.next_free != none) {
    m_blocks[block.next_free].previous_free = block.previous_free;
  }
  block.is_free = false;
  m_free_bytes -= block.bytes;
}

}  // namespace symm::Impl
