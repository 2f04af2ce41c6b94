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

/// Records which offsets of a heap have physical memory, and chooses offsets
/// for new chunks. The heap's own chunks grow from the bottom up, and the
/// program's registered memory grows from the top down. Makes no system calls.
/// The results are the same on every PE.
///
/// Only one thread at a time may change the map. Meanwhile, any number of
/// threads may call is_mapped() and mapped_around().
class ChunkMap {
 public:
  enum class Kind : std::uint8_t {
    own,         // the heap's own memory, in which blocks are allocated
    registered,  // the program's memory, which contains no blocks
    lost         // not mapped on all PEs; never used again
  };
  struct Chunk {
    std::size_t offset = 0;
    std::size_t bytes  = 0;
    Kind kind          = Kind::own;

    [[nodiscard]] std::size_t end() const { return offset + bytes; }
  };
  struct Place {
    std::size_t offset = 0;
    std::size_t needed = 0;  // bytes that the request requires
    std::size_t wanted = 0;  // bytes, including extra space for later requests
  };

  /// \param limit The maximum size of the heap, in bytes.
  /// \param unit A power of two; all chunk sizes are multiples of it.
  ChunkMap(std::size_t limit, std::size_t unit);

  /// Allocates the private memory for two chunks, one of which may be lost.
  /// Afterward, the next two calls to add() do not throw.
  void prepare() {
    if (size() + 2 > table().capacity()) enlarge();
  }

  /// Precondition: the range overlaps no existing chunk.
  void add(Chunk const& chunk);

  /// Precondition: a chunk starts at `offset`.
  void remove(std::size_t offset) noexcept;

  /// Marks a chunk as lost because at least one PE could not unmap it.
  /// Precondition: a chunk starts at `offset` and is not lost yet.
  void lose(std::size_t offset) noexcept;

  /// Returns the offset for `bytes` bytes of registered memory, at the end of
  /// the highest gap that is large enough. Returns nullopt if there is no such
  /// gap.
  [[nodiscard]] std::optional<std::size_t> place_for_registered(
      std::size_t bytes) const;

  /// Returns the place for a new chunk in the first gap that is large enough,
  /// either between chunks or after the last one. Returns nullopt if there is
  /// no such gap.
  /// \param missing_bytes Returns the minimum size, in bytes, of a chunk at a
  ///        given offset; 0 if the request fits without a chunk.
  /// \param free_bytes_at Returns the size of the free block that starts at a
  ///        given offset.
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
        // Geometric growth keeps the number of chunks small. In the steady
        // state, no new chunk is needed.
        auto const half = round_up(m_own.bytes / 2, m_unit);
        return Place{start, needed, std::clamp(half, needed, room)};
      }
      if (i == size()) break;
      // A chunk that fills this gap merges with the free memory on both sides
      // of the gap (M50).
      if (room > 0 && missing - room <= free_bytes_at(end)) {
        return Place{start, room, room};
      }
      start = chunk(i).end();
    }
    return std::nullopt;
  }

  /// Whether an entire range has physical memory. An empty range counts as
  /// mapped if the byte at `offset` is mapped. Callable from any thread. During
  /// a change, the result is from either before or after the change.
  [[nodiscard]] bool is_mapped(std::size_t offset, std::size_t bytes) const {
    return read(
        [&](Table const& table) { return table.is_mapped(offset, bytes); });
  }
  struct Mapped {
    std::size_t offset = 0;
    std::size_t bytes  = 0;
  };
  /// Returns the chunk that contains the entire range. If several chunks cover
  /// the range, returns the range itself. If the range is not mapped, returns 0
  /// bytes. Callable from any thread, even during a change.
  [[nodiscard]] Mapped mapped_around(std::size_t offset,
                                     std::size_t bytes) const {
    return read([&](Table const& table) -> Mapped {
      if (!table.is_mapped(offset, bytes)) return {};
      // If this load races with a change, there may be no chunk that starts at
      // or before `offset`.
      auto const next = table.first_behind(offset);
      if (next == 0) return {};
      auto const chunk = table.at(next - 1);
      bool const has_all =
          offset < chunk.end() && bytes <= chunk.end() - offset;
      return has_all ? Mapped{chunk.offset, chunk.bytes}
                     : Mapped{offset, bytes};
    });
  }

  /// The following functions return the total size in bytes and the number of
  /// chunks, for the heap's own chunks and for the registered chunks.
  [[nodiscard]] std::size_t mapped_bytes() const { return m_own.bytes; }
  [[nodiscard]] std::size_t n_own() const { return m_own.n_chunks; }
  [[nodiscard]] std::size_t registered_bytes() const {
    return m_registered.bytes;
  }
  [[nodiscard]] std::size_t n_registered() const {
    return m_registered.n_chunks;
  }

  /// size() returns the number of chunks of all kinds. chunk(i) returns the
  /// i-th chunk in order of offset.
  [[nodiscard]] std::size_t size() const { return table().size(); }
  [[nodiscard]] Chunk chunk(std::size_t i) const { return table().at(i); }

 private:
  struct Sum {
    std::size_t n_chunks = 0;
    std::size_t bytes    = 0;
  };

  /// The chunks in order of offset. The capacity is fixed, so a table never
  /// moves in memory.
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
    /// Terminates even during a change, in which case the result is
    /// meaningless.
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
  /// Returns look(table). Repeats the call until no change has interfered.
  template <class Look>
  [[nodiscard]] std::invoke_result_t<Look, Table const&> read(
      Look const& look) const {
    while (true) {
      auto const version = m_version.load(std::memory_order_acquire);
      // All loads in look() are acquire loads. If any of them sees a change in
      // progress, the version check below fails.
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
  // All tables created so far, because a reader may still be using an old one.
  // Each table has twice the capacity of its predecessor.
  std::vector<std::unique_ptr<Table>> m_tables;
  std::atomic<Table*> m_table{nullptr};
  std::atomic<std::uint64_t> m_version{0};  // odd during a change
};

}  // namespace symm::Impl

#endif
