// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_CHUNK_MAP_HPP
#define SYMM_CHUNK_MAP_HPP

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <map>
#include <optional>

#include "../runtime/Types.hpp"

namespace symm {

/// Which offsets of a heap have physical memory, in chunks, and where the next
/// chunk goes. Pure arithmetic, the same on every PE.
class ChunkMap {
 public:
  struct Place {
    std::size_t offset = 0;
    std::size_t needed = 0;  // bytes that serve the request
    std::size_t wanted = 0;  // bytes that leave room for later requests
  };

  /// \param limit bytes that the heap can have.
  /// \param unit  of chunk sizes, a power of two.
  ChunkMap(std::size_t limit, std::size_t unit)
      : m_limit(limit), m_unit(unit) {}

  void add(std::size_t offset, std::size_t bytes) {
    m_chunks.emplace(offset, bytes);
    m_mapped_bytes += bytes;
  }

  void remove(std::size_t offset) {
    m_mapped_bytes -= m_chunks.at(offset);
    m_chunks.erase(offset);
  }

  /// The first gap that is large enough, between chunks or behind the last.
  /// \param missing_bytes what a chunk at the given offset must have.
  /// \param free_bytes_at how much is free from the given offset on.
  template <class MissingBytes, class FreeBytesAt>
  std::optional<Place> place_for(MissingBytes const& missing_bytes,
                                 FreeBytesAt const& free_bytes_at) const {
    std::size_t start = 0;
    auto chunk        = m_chunks.begin();
    while (true) {
      auto const end     = chunk == m_chunks.end() ? m_limit : chunk->first;
      auto const room    = end - start;
      auto const missing = missing_bytes(start);
      auto const needed  = round_up(missing, m_unit);
      if (needed <= room) {
        // Geometric growth: few chunks, and the steady state needs none.
        auto const half = round_up(m_mapped_bytes / 2, m_unit);
        return Place{start, needed, std::clamp(half, needed, room)};
      }
      if (chunk == m_chunks.end()) return std::nullopt;
      // A gap that joins what is free on both of its sides (M50).
      if (room > 0 && missing - room <= free_bytes_at(end)) {
        return Place{start, room, room};
      }
      start = chunk->first + chunk->second;
      ++chunk;
    }
  }

  /// Whether all of a range has physical memory; of an empty one, its start.
  [[nodiscard]] bool is_mapped(std::size_t offset, std::size_t bytes) const {
    auto next = m_chunks.upper_bound(offset);
    if (next == m_chunks.begin()) return false;
    auto const first      = std::prev(next);
    std::size_t mapped_to = first->first + first->second;
    if (mapped_to <= offset) return false;
    for (; next != m_chunks.end() && next->first == mapped_to; ++next) {
      mapped_to += next->second;
    }
    return bytes <= mapped_to - offset;
  }

  [[nodiscard]] std::size_t mapped_bytes() const { return m_mapped_bytes; }
  /// Offset and bytes of each chunk.
  [[nodiscard]] std::map<std::size_t, std::size_t> const& chunks() const {
    return m_chunks;
  }

 private:
  std::size_t m_limit;
  std::size_t m_unit;
  std::size_t m_mapped_bytes = 0;
  std::map<std::size_t, std::size_t> m_chunks;
};

}  // namespace symm

#endif
