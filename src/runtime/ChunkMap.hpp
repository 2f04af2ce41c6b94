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
/// chunk goes: the heap's own from the bottom upwards, registered memory of the
/// program from the top downwards. Pure arithmetic, the same on every PE.
class ChunkMap {
 public:
  struct Chunk {
    std::size_t bytes  = 0;
    bool is_registered = false;  // the program's: nothing is allocated in it
    bool is_lost       = false;  // neither mapped everywhere nor free
  };
  struct Place {
    std::size_t offset = 0;
    std::size_t needed = 0;  // bytes that serve the request
    std::size_t wanted = 0;  // bytes that leave room for later requests
  };

  /// \param limit bytes that the heap can have.
  /// \param unit  of chunk sizes, a power of two.
  ChunkMap(std::size_t limit, std::size_t unit)
      : m_limit(limit), m_unit(unit) {}

  void add(std::size_t offset, std::size_t bytes, bool is_registered = false) {
    m_chunks.emplace(offset, Chunk{bytes, is_registered});
    count(m_chunks.at(offset), 1);
  }

  void remove(std::size_t offset) {
    count(m_chunks.at(offset), -1);
    m_chunks.erase(offset);
  }

  /// Keeps the place of a registered chunk that not all PEs could unmap.
  void lose(std::size_t offset) {
    auto& chunk = m_chunks.at(offset);
    count(chunk, -1);
    chunk.is_lost = true;
  }

  /// The offset of the highest gap that is large enough for registered memory,
  /// at its end.
  [[nodiscard]] std::optional<std::size_t> place_for_registered(
      std::size_t bytes) const {
    std::size_t end = m_limit;
    for (auto chunk = m_chunks.rbegin(); chunk != m_chunks.rend(); ++chunk) {
      if (bytes <= end - (chunk->first + chunk->second.bytes)) break;
      end = chunk->first;
    }
    if (bytes > end) return std::nullopt;
    return end - bytes;
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
        auto const half = round_up(m_own.bytes / 2, m_unit);
        return Place{start, needed, std::clamp(half, needed, room)};
      }
      if (chunk == m_chunks.end()) return std::nullopt;
      // A gap that joins what is free on both of its sides (M50).
      if (room > 0 && missing - room <= free_bytes_at(end)) {
        return Place{start, room, room};
      }
      start = chunk->first + chunk->second.bytes;
      ++chunk;
    }
  }

  /// Whether all of a range has physical memory; of an empty one, its start.
  [[nodiscard]] bool is_mapped(std::size_t offset, std::size_t bytes) const {
    auto next = m_chunks.upper_bound(offset);
    if (next == m_chunks.begin()) return false;
    auto const first      = std::prev(next);
    std::size_t mapped_to = first->first + first->second.bytes;
    if (mapped_to <= offset || first->second.is_lost) return false;
    for (; next != m_chunks.end() && next->first == mapped_to &&
           !next->second.is_lost;
         ++next) {
      mapped_to += next->second.bytes;
    }
    return bytes <= mapped_to - offset;
  }

  /// Of the heap's own chunks.
  [[nodiscard]] std::size_t mapped_bytes() const { return m_own.bytes; }
  [[nodiscard]] std::size_t n_own() const { return m_own.n_chunks; }
  [[nodiscard]] std::size_t registered_bytes() const {
    return m_registered.bytes;
  }
  [[nodiscard]] std::size_t n_registered() const {
    return m_registered.n_chunks;
  }
  /// Each chunk by its offset.
  [[nodiscard]] std::map<std::size_t, Chunk> const& chunks() const {
    return m_chunks;
  }

 private:
  struct Sum {
    std::size_t n_chunks = 0;
    std::size_t bytes    = 0;
  };

  void count(Chunk const& chunk, int sign) {
    auto& sum       = chunk.is_registered ? m_registered : m_own;
    auto const step = static_cast<std::size_t>(sign);  // -1: wraps around
    sum.n_chunks += step;
    sum.bytes += step * chunk.bytes;
  }

  std::size_t m_limit;
  std::size_t m_unit;
  Sum m_own;
  Sum m_registered;
  std::map<std::size_t, Chunk> m_chunks;
};

}  // namespace symm

#endif
