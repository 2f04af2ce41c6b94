// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_HEAP_CHUNKS_HPP
#define SYMM_HEAP_CHUNKS_HPP

#include <cstddef>
#include <functional>
#include <limits>
#include <optional>
#include <utility>

#include "../base/Failure.hpp"
#include "../bootstrap/Bootstrap.hpp"
#include "../bootstrap/FdExchange.hpp"
#include "../memory/HeapMap.hpp"
#include "../memory/MemoryProvider.hpp"
#include "../memory/SymmetricRange.hpp"
#include "../pes/Rendezvous.hpp"
#include "ChunkMap.hpp"
#include "HeapBlocks.hpp"
#include "HeapOptions.hpp"

namespace symm::Impl {

/// The physical memory of a heap, in chunks at the same offsets on all PEs. A
/// chunk is the heap's own, a range of its blocks, or registered memory of the
/// program.
///
/// Each collective call here is a step of one in which the PEs have met
/// already. It succeeds on all PEs or fails on all, with one failure. Memory
/// that a PE cannot unmap is lost on all PEs: its place is never used again.
class HeapChunks {
 public:
  /// Alignment of the PEs' parts: an aligned offset is an aligned address.
  static constexpr std::size_t alignment = std::size_t{1} << 30U;

  /// Collective. Reserves the addresses of all PEs' parts; maps nothing.
  /// \throws OutOfMemory, SystemError on every PE.
  HeapChunks(MemoryProvider& provider, FdExchange& exchange,
             Bootstrap& bootstrap, Rendezvous& rendezvous,
             HeapOptions const& options);
  ~HeapChunks() { unpoison(); }
  HeapChunks(HeapChunks const&)            = delete;
  HeapChunks& operator=(HeapChunks const&) = delete;

  [[nodiscard]] HeapMap const& map() const { return m_range->map(); }
  /// Its sizes are rounded up to multiples of the chunks' unit.
  [[nodiscard]] HeapOptions const& options() const { return m_options; }
  [[nodiscard]] ChunkMap const& places() const { return m_places; }

  /// `told` is called with the offset of each chunk that goes, while it is
  /// still mapped. It throws nothing.
  void tell_before_removal(std::function<void(std::size_t)> told) {
    m_told = std::move(told);
  }

  /// ChunkMap::prepare() for adding one more chunk. Local.
  void prepare() { m_places.prepare(); }

  /// Collective. Adds a chunk of the heap's own as a range of `blocks`.
  [[nodiscard]] std::optional<Failure> add(HeapBlocks& blocks,
                                           std::size_t offset,
                                           std::size_t bytes);

  /// Collective. Adds a chunk with which the request fits, and with room for
  /// more if there is memory.
  /// \param max_bytes limit of the chunk's size.
  [[nodiscard]] std::optional<Failure> grow(
      HeapBlocks& blocks, HeapBlocks::Request const& request,
      std::size_t max_bytes = std::numeric_limits<std::size_t>::max());

  struct Trimmed {
    std::size_t bytes = 0;
    /// Lost chunks included.
    std::size_t removed_bytes = 0;
    /// The first failure; trim() has gone on after it.
    std::optional<PeFailure> failure;
  };
  /// Collective. Gives back the chunks of `blocks` that no block is in.
  /// \param max_bytes limit of the sum of their sizes.
  /// Precondition: blocks.prepare_to_remove(places().size()).
  [[nodiscard]] Trimmed trim(
      HeapBlocks& blocks,
      std::size_t max_bytes = std::numeric_limits<std::size_t>::max());

  /// The offset for `bytes` bytes of registered memory, if any. Local.
  [[nodiscard]] std::optional<std::size_t> place_for_registered(
      std::size_t bytes) const {
    return m_places.place_for_registered(bytes);
  }
  /// Collective. Maps memory of the program: each PE's own in its part.
  /// \param memory start of a mapping that ForeignMemory::find_mapping() finds,
  ///        `bytes` long.
  [[nodiscard]] std::optional<Failure> add_registered(std::size_t offset,
                                                      std::size_t bytes,
                                                      void const* memory);

  /// Collective. Unmaps the chunk at `offset`.
  [[nodiscard]] std::optional<PeFailure> remove(std::size_t offset);

  /// Keeps all memory mapped until the process ends.
  void abandon() noexcept {
    unpoison();
    m_range->abandon();
  }

 private:
  [[nodiscard]] std::optional<Failure> add_chunk(
      ChunkMap::Chunk const& chunk,
      std::function<Vmm::Handle()> const& own_memory = {});
  [[nodiscard]] Failure no_room(HeapBlocks const& blocks) const;
  Agree agree();
  /// Unpoisons all chunks: their addresses may get other memory next, or be
  /// used after abandon().
  void unpoison() const noexcept;

  ForeignMemory& m_foreign;
  Rendezvous& m_rendezvous;
  HeapOptions m_options;
  ChunkMap m_places;
  std::optional<SymmetricRange> m_range;
  std::function<void(std::size_t)> m_told;
};

}  // namespace symm::Impl

#endif
