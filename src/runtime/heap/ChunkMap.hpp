// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_CHUNK_MAP_HPP
#define SYMM_CHUNK_MAP_HPP

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <type_traits>
#include <vector>

#include "../base/Types.hpp"

namespace symm::Impl {

/// Records which offsets of a heap have physical memory, and places new chunks:
/// the heap's own from the bottom upwards, registered memory of the program
/// from the top downwards. Pure arithmetic, the same on every PE.
///
/// One thread at a time changes it; any number may call is_mapped() meanwhile.
class ChunkMap {
 public:
  enum class Kind : std::uint8_t {
    own,         // the heap's: blocks are allocated in it
    registered,  // the program's: nothing is allocated in it
    lost         // not mapped on all PEs, and never used again
  };
  struct Chunk {
    std::size_t offset = 0;
    std::size_t bytes  = 0;
    Kind kind          = Kind::own;

    [[nodiscard]] std::size_t end() const { return offset + bytes; }
  };
  struct Place {
    std::size_t offset = 0;
    std::size_t needed = 0;  // bytes that serve the request
    std::size_t wanted = 0;  // bytes that leave room for later requests
  };

  /// \param limit bytes that the heap can grow to.
  /// \param unit  sizes of chunks are multiples of it; a power of two.
  ChunkMap(std::size_t limit, std::size_t unit);

  /// Makes room for two chunks, one of which may be lost: that many add() do
  /// not throw then.
  void prepare() {
    if (size() + 2 > table().capacity()) enlarge();
  }

  /// Precondition: the range overlaps no chunk.
  void add(Chunk const& chunk);

  /// Precondition: a chunk starts at `offset`.
  void remove(std::size_t offset) noexcept;

  /// Marks a chunk that not all PEs could unmap as lost.
  /// Precondition: a chunk that is not lost starts at `offset`.
  void lose(std::size_t offset) noexcept;

  /// The offset of `bytes` bytes at the end of the highest gap that has them.
  [[nodiscard]] std::optional<std::size_t> place_for_registered(
      std::size_t bytes) const;

  /// The first gap that is large enough, between chunks or after the last.
  /// \param missing_bytes returns the bytes that a chunk at the given offset
  ///        must have; 0 if the request fits without a chunk.
  /// \param free_bytes_at returns the bytes free from the given offset on.
  template <class MissingBytes, class FreeBytesAt>
  std::optional<Place> place_for(MissingBytes const& missing_bytes,
                                 FreeBytesAt const& free_bytes_at) const {
    std::size_t start = 0;
    for (std::size_t i = 0; i <= size(); ++i) {
      auto const end     = i == size() ? m_limit : chunk(i).offset;
      auto const room    = end - start;
      auto const missing = missing_bytes(start);
      auto const needed  = std::max(round_up(missing, m_unit), m_unit);
      if (needed <= room) {
        // Geometric growth: few chunks, and the steady state needs none.
        auto const half = round_up(m_own.bytes / 2, m_unit);
        return Place{start, needed, std::clamp(half, needed, room)};
      }
      if (i == size()) break;
      // A chunk here joins the free memory on both sides (M50).
      if (room > 0 && missing - room <= free_bytes_at(end)) {
        return Place{start, room, room};
      }
      start = chunk(i).end();
    }
    return std::nullopt;
  }

  /// Whether all of a range has physical memory; for an empty range, whether
  /// its start has. Any thread. During a change the result is that of before
  /// or after it.
  [[nodiscard]] bool is_mapped(std::size_t offset, std::size_t bytes) const {
    return read(
        [&](Table const& table) { return table.is_mapped(offset, bytes); });
  }
  struct Mapped {
    std::size_t offset = 0;
    std::size_t bytes  = 0;
  };
  /// The chunk with all of the range, or the range, if it is_mapped() by
  /// several; else 0 bytes. Any thread, likewise.
  [[nodiscard]] Mapped mapped_around(std::size_t offset,
                                     std::size_t bytes) const {
    return read([&](Table const& table) -> Mapped {
      if (!table.is_mapped(offset, bytes)) return {};
      // During a change there may be none.
      auto const next = table.first_behind(offset);
      if (next == 0) return {};
      auto const chunk = table.at(next - 1);
      bool const has_all =
          offset < chunk.end() && bytes <= chunk.end() - offset;
      return has_all ? Mapped{chunk.offset, chunk.bytes}
                     : Mapped{offset, bytes};
    });
  }

  /// Bytes and number of the heap's own chunks, then of registered ones.
  [[nodiscard]] std::size_t mapped_bytes() const { return m_own.bytes; }
  [[nodiscard]] std::size_t n_own() const { return m_own.n_chunks; }
  [[nodiscard]] std::size_t registered_bytes() const {
    return m_registered.bytes;
  }
  [[nodiscard]] std::size_t n_registered() const {
    return m_registered.n_chunks;
  }

  /// Number of chunks of all kinds, and each of them in the order of offsets.
  [[nodiscard]] std::size_t size() const { return table().size(); }
  [[nodiscard]] Chunk chunk(std::size_t i) const { return table().at(i); }

 private:
  struct Sum {
    std::size_t n_chunks = 0;
    std::size_t bytes    = 0;
  };

  /// Chunks in the order of offsets. Its capacity is fixed: it never moves.
  class Table {
   public:
    explicit Table(std::size_t capacity) : m_entries(capacity) {}

    [[nodiscard]] std::size_t capacity() const { return m_entries.size(); }
    [[nodiscard]] std::size_t size() const {
      return m_size.load(std::memory_order_acquire);
    }
    [[nodiscard]] Chunk at(std::size_t i) const {
      auto const& entry = m_entries[i];
      return {entry.offset.load(std::memory_order_acquire),
              entry.bytes.load(std::memory_order_acquire),
              entry.kind.load(std::memory_order_acquire)};
    }
    /// The index of the first chunk that starts after `offset`.
    [[nodiscard]] std::size_t first_behind(std::size_t offset) const {
      std::size_t low  = 0;
      std::size_t high = size();
      while (low < high) {
        auto const middle = low + (high - low) / 2;
        if (m_entries[middle].offset.load(std::memory_order_acquire) <=
            offset) {
          low = middle + 1;
        } else {
          high = middle;
        }
      }
      return low;
    }
    /// Returns also during a change, but its result means nothing then.
    [[nodiscard]] bool is_mapped(std::size_t offset, std::size_t bytes) const {
      auto next = first_behind(offset);
      if (next == 0) return false;
      auto const first = at(next - 1);
      auto mapped_to   = first.end();
      if (mapped_to <= offset || first.kind == Kind::lost) return false;
      for (; bytes > mapped_to - offset; ++next) {
        if (next >= size()) return false;
        auto const chunk = at(next);
        if (chunk.offset != mapped_to || chunk.kind == Kind::lost) return false;
        mapped_to = chunk.end();
      }
      return true;
    }

    void set(std::size_t i, Chunk const& chunk);
    void resize(std::size_t size) {
      m_size.store(size, std::memory_order_release);
    }

   private:
    struct Entry {
      std::atomic<std::size_t> offset{0};
      std::atomic<std::size_t> bytes{0};
      std::atomic<Kind> kind{Kind::own};
    };

    std::vector<Entry> m_entries;
    std::atomic<std::size_t> m_size{0};
  };

  [[nodiscard]] Table& table() const {
    return *m_table.load(std::memory_order_relaxed);
  }
  /// look(table) while nothing changes.
  template <class Look>
  [[nodiscard]] std::invoke_result_t<Look, Table const&> read(
      Look const& look) const {
    while (true) {
      auto const version = m_version.load(std::memory_order_acquire);
      // Every load acquires: if one has seen a change, the version shows it.
      auto const result = look(*m_table.load(std::memory_order_acquire));
      if (version % 2 == 0 &&
          m_version.load(std::memory_order_relaxed) == version) {
        return result;
      }
    }
  }
  [[nodiscard]] std::size_t index_of(std::size_t offset) const {
    return table().first_behind(offset) - 1;
  }
  void enlarge();
  template <class Change>
  void change(Change const& make);
  void count(Chunk const& chunk, int sign);

  std::size_t m_limit;
  std::size_t m_unit;
  Sum m_own;
  Sum m_registered;
  // All tables so far: a reader may still use an old one. Each has twice the
  // capacity of the one before it.
  std::vector<std::unique_ptr<Table>> m_tables;
  std::atomic<Table*> m_table{nullptr};
  std::atomic<std::uint64_t> m_version{0};  // odd: being changed
};

}  // namespace symm::Impl

#endif
