// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#include "HeapBlocks.hpp"

#include "../base/Failure.hpp"
#include "../base/Types.hpp"

namespace symm::Impl {

void HeapBlocks::shrink(Id id, std::size_t bytes) {
  auto const [offset, old_bytes] = m_allocator.place(id);
  auto const kept                = round_up(bytes, OffsetAllocator::granule);
  set_poisoned(m_map, offset + kept, old_bytes - kept, true);
  m_allocator.shrink(id, kept);
}

bool HeapBlocks::join(HeapBlocks& from, Request const& request) {
  auto const place = OffsetAllocator::find_in_both(
      m_allocator, from.m_allocator, request.bytes, request.alignment,
      request.phase);
  if (place.bytes == 0) return false;
  while (true) {
    prepare();
    from.prepare();
    auto const [offset, bytes] = from.m_allocator.remove_free_in(place);
    if (bytes == 0) return true;
    m_allocator.add_range(offset, bytes);
  }
}

Text HeapBlocks::complaint_about(void const* address, bool is_view) const {
  if (!m_map.contains(address)) {
    return Text(
        "is not in the symmetric heap of this PE; pass an address that "
        "symm::malloc, align, calloc or realloc has returned");
  }
  auto const offset = m_map.offset_of(address);
  auto const outer  = m_allocator.find_enclosing(offset);
  if (outer == none) {
    return Text(
        "is not allocated; was it already freed? (Free memory from "
        "malloc_async with symm::free_async)");
  }
  if (m_views[outer].is_view && !is_view) {
    return Text("belongs to View \"", m_views[outer].label.data(),
                "\", which frees it when its last copy is destroyed");
  }
  auto const [start, bytes] = m_allocator.place(outer);
  return Text("is inside a block of ", bytes, " bytes, ", offset - start,
              " bytes after its start; pass the start");
}

void HeapBlocks::list_views(std::vector<std::string>& list) const {
  for (Id id = 0; id < m_views.size(); ++id) {
    auto const& view = m_views[id];
    if (!view.is_alive_here()) continue;
    list.push_back("\"" + std::string(view.label.data()) + "\" (" +
                   bytes_text(bytes_of(id) - view.header_bytes) + ")");
  }
}

}  // namespace symm::Impl
