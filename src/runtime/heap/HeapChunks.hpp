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

/// A heap's physical memory: chunks at the same offsets on all PEs. A chunk is
/// either the heap's own memory, in which the heap allocates blocks, or the
/// program's registered memory.
///
/// Each collective function of this class is a step of a larger call in which
/// the PEs have already synchronized. The step either succeeds on all PEs or
/// fails on all of them with the same failure. If any PE cannot unmap a chunk,
/// that chunk is lost on all PEs: the heap never uses its offsets again.
class HeapChunks {
 public:
  /// The alignment of each PE's part. An aligned offset therefore yields an
  /// aligned address.
  static constexpr std::size_t alignment = std::size_t{1} << 30U;

  /// Collective. Reserves addresses for all near PEs' parts, but maps nothing.
  /// \throws OutOfMemory, SystemError on every PE.
  HeapChunks(MemoryProvider& provider, FdExchange& exchange,
             Bootstrap& bootstrap, Rendezvous& rendezvous,
             HeapOptions const& options);
  ~HeapChunks() { unpoison(); }
  HeapChunks(HeapChunks const&)            = delete;
  HeapChunks& operator=(HeapChunks const&) = delete;

  [[nodiscard]] HeapMap const& map() const { return m_range->map(); }
  /// The options, with sizes rounded up to multiples of the chunk unit.
  [[nodiscard]] HeapOptions const& options() const { return m_options; }
  [[nodiscard]] ChunkMap const& places() const { return m_places; }

  /// Sets a function that is called with the offset of each chunk just before
  /// the chunk is unmapped. The function must not throw.
  void tell_before_removal(std::function<void(std::size_t)> told) {
    m_told = std::move(told);
  }

  /// Calls ChunkMap::prepare() for one more chunk. Local.
  void prepare() { m_places.prepare(); }

  /// Collective. Adds a chunk of the heap's own memory to `blocks` as a range.
  /// Returns nullopt on success, and the failure otherwise.
  [[nodiscard]] std::optional<Failure> add(HeapBlocks& blocks,
                                           std::size_t offset,
                                           std::size_t bytes);

  /// Collective. Adds a chunk that is large enough for the request, with room
  /// for later requests if there is enough memory. Returns nullopt on success,
  /// and the failure otherwise.
  /// \param max_bytes The maximum size of the chunk.
  [[nodiscard]] std::optional<Failure> grow(
      HeapBlocks& blocks, HeapBlocks::Request const& request,
      std::size_t max_bytes = std::numeric_limits<std::size_t>::max());

  struct Trimmed {
    std::size_t bytes = 0;
    /// Like `bytes`, but includes lost chunks.
    std::size_t removed_bytes = 0;
    /// The first failure. trim() continues after a failure.
    std::optional<PeFailure> failure;
  };
  /// Collective. Releases those chunks of `blocks` that contain no block.
  /// \param max_bytes The maximum total size of the chunks to release.
  /// Precondition: blocks.prepare_to_remove(places().size()) was called.
  [[nodiscard]] Trimmed trim(
      HeapBlocks& blocks,
      std::size_t max_bytes = std::numeric_limits<std::size_t>::max());

  /// Returns an offset for `bytes` bytes of registered memory, or nullopt if no
  /// gap is large enough. Local.
  [[nodiscard]] std::optional<std::size_t> place_for_registered(
      std::size_t bytes) const {
    return m_places.place_for_registered(bytes);
  }
  /// Collective. Maps the program's memory. Each PE maps its own memory into
  /// its own part, and each near PE's memory into that PE's part. Returns
  /// nullopt on success, and the failure otherwise.
  /// \param memory The start of a `bytes`-byte mapping that
  ///        ForeignMemory::find_mapping() finds.
  [[nodiscard]] std::optional<Failure> add_registered(std::size_t offset,
                                                      std::size_t bytes,
                                                      void const* memory);

  /// Collective. Unmaps the chunk at `offset`. Returns nullopt on success, and
  /// the failure otherwise.
  [[nodiscard]] std::optional<PeFailure> remove(std::size_t offset);

  /// Leaves all memory mapped until the process ends.
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
  /// Unpoisons all chunks, because other memory may later be mapped at the same
  /// addresses, and because the program may use the chunks after abandon().
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
