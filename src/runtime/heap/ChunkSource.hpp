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

/// Where blocks that somebody else keeps, those of a memory pool, get chunks of
/// physical memory from: a heap.
class ChunkSource {
 public:
  virtual ~ChunkSource() = default;

  /// Where all of them are.
  [[nodiscard]] virtual HeapMap const& map() const = 0;

  /// Collective. A chunk in which the request fits.
  /// \param call        what the PEs compare, and messages name.
  /// \param most_bytes  of the chunk.
  /// \param is_enough   asked when all PEs have waited for their kernels and
  ///        met: whether there is room without one. The same on all PEs.
  /// \throws OutOfMemory, SystemError, UsageError on every PE.
  virtual void grow(Rendezvous::Call& call, HeapBlocks& blocks,
                    HeapBlocks::Request const& request, std::size_t most_bytes,
                    std::function<bool()> const& is_enough) = 0;

  /// Collective. Gives back chunks of `blocks` in which nothing is allocated.
  /// \param most_bytes asked when all PEs have waited for their kernels and
  ///        met: of them. The same on all PEs.
  /// \returns bytes given back, those included that are lost, if a PE cannot
  ///          unmap them; the reason is printed on it.
  /// \throws SystemError, UsageError on every PE.
  virtual std::size_t trim(Rendezvous::Call& call, HeapBlocks& blocks,
                           std::function<std::size_t()> const& most_bytes) = 0;
  /// Gets the private memory that trim_step() needs when `n_ranges` more have
  /// been added to the blocks. Local. \throws std::bad_alloc on this PE.
  virtual void prepare_to_trim(HeapBlocks& blocks, std::size_t n_ranges) = 0;
  /// The same as a step of a collective call in which the PEs have met.
  /// Precondition: prepare_to_trim(), and no collective call since.
  virtual std::size_t trim_step(HeapBlocks& blocks, std::size_t most_bytes) = 0;
};

}  // namespace symm::Impl

#endif
