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

/// A heap that provides the physical memory for the blocks of memory pools.
class ChunkSource {
 public:
  virtual ~ChunkSource() = default;

  /// The map of all PEs' parts. These parts contain all chunks.
  [[nodiscard]] virtual HeapMap const& map() const = 0;

  /// Collective. Adds a chunk to `blocks` that is large enough for the request.
  /// \param call Describes the call, so PEs can compare it and error messages
  /// can name it.
  /// \param max_bytes The maximum size of the chunk.
  /// \param is_enough Called after all PEs have waited for their kernels and
  ///        synchronized. Returns whether the request now fits without a new
  ///        chunk. The result must be the same on all PEs.
  /// \throws OutOfMemory, SystemError, UsageError on every PE.
  virtual void grow(Rendezvous::Call& call, HeapBlocks& blocks,
                    HeapBlocks::Request const& request, std::size_t max_bytes,
                    std::function<bool()> const& is_enough) = 0;

  /// Collective. Releases those chunks of `blocks` that contain no allocated
  /// block.
  /// \param max_bytes Called after all PEs have waited for their kernels and
  ///        synchronized. Returns the maximum number of bytes to release. The
  ///        result must be the same on all PEs.
  /// \returns the number of bytes released. This number includes chunks that
  ///          are lost because a PE could not unmap them; that PE prints the
  ///          reason.
  /// \throws SystemError, UsageError on every PE.
  virtual std::size_t trim(Rendezvous::Call& call, HeapBlocks& blocks,
                           std::function<std::size_t()> const& max_bytes) = 0;
  /// Allocates the private memory that trim_step() needs after `n_ranges` more
  /// ranges have been added to `blocks`. Local.
  /// \throws std::bad_alloc on this PE.
  virtual void prepare_to_trim(HeapBlocks& blocks, std::size_t n_ranges) = 0;
  /// Like trim(), but as a step of a collective call in which the PEs have
  /// already synchronized. Precondition: prepare_to_trim() was called, and no
  /// collective call has been made since.
  virtual std::size_t trim_step(HeapBlocks& blocks, std::size_t max_bytes) = 0;
};

}  // namespace symm::Impl

#endif
