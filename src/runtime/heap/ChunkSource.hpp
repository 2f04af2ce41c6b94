// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_CHUNK_SOURCE_HPP
#define SYMM_CHUNK_SOURCE_HPP

#include <cstddef>
#include <functional>

#include "../memory/HeapMap.hpp"
#include "../pes/Rendezvous.hpp"
#include "HeapBlocks.hpp"

namespace symm::Impl {

/// A heap, as the source of chunks of physical memory for the blocks of a
/// memory pool.
class ChunkSource {
 public:
  virtual ~ChunkSource() = default;

  /// The parts of all PEs, in which all chunks are.
  [[nodiscard]] virtual HeapMap const& map() const = 0;

  /// Collective. Adds a chunk to `blocks` in which the request fits.
  /// \param call       the PEs compare it, and messages name it.
  /// \param max_bytes limit of the chunk's size.
  /// \param is_enough  called when all PEs have waited for their kernels and
  ///        met; returns whether there is room without a chunk, the same on
  ///        all PEs.
  /// \throws OutOfMemory, SystemError, UsageError on every PE.
  virtual void grow(Rendezvous::Call& call, HeapBlocks& blocks,
                    HeapBlocks::Request const& request, std::size_t max_bytes,
                    std::function<bool()> const& is_enough) = 0;

  /// Collective. Gives back chunks of `blocks` in which nothing is allocated.
  /// \param max_bytes called when all PEs have waited for their kernels and
  ///        met; returns how much to give back at most, the same on all PEs.
  /// \returns bytes given back. Chunks that a PE cannot unmap are lost, and
  ///          count; that PE prints the reason.
  /// \throws SystemError, UsageError on every PE.
  virtual std::size_t trim(Rendezvous::Call& call, HeapBlocks& blocks,
                           std::function<std::size_t()> const& max_bytes) = 0;
  /// Gets the private memory that trim_step() needs after `n_ranges` ranges
  /// have been added to `blocks`. Local. \throws std::bad_alloc on this PE.
  virtual void prepare_to_trim(HeapBlocks& blocks, std::size_t n_ranges) = 0;
  /// trim() as a step of a collective call in which the PEs have met.
  /// Precondition: prepare_to_trim(), and no collective call since.
  virtual std::size_t trim_step(HeapBlocks& blocks, std::size_t max_bytes) = 0;
};

}  // namespace symm::Impl

#endif
