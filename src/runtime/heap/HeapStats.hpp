// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_HEAP_STATS_HPP
#define SYMM_HEAP_STATS_HPP

#include <cstddef>
#include <cstdint>

namespace symm {

/// The heap's state after this PE's latest collective call to the heap. Sizes
/// are in bytes per PE.
struct HeapStats {
  std::size_t live_blocks = 0;
  std::size_t live_bytes  = 0;
  std::size_t free_bytes  = 0;
  /// The size of the largest free block. The number may be up to 3% too low if
  /// the largest size class has more than eight free blocks.
  std::size_t largest_free_bytes = 0;
  std::size_t mapped_bytes       = 0;
  std::size_t n_chunks           = 0;  // pieces of physical memory
  std::size_t limit_bytes        = 0;
  // The program's registered memory, which is not included in the figures
  // above:
  std::size_t registered_buffers = 0;
  std::size_t registered_bytes   = 0;
  /// The number of blocks whose Views this PE has destroyed but other PEs may
  /// not have. These blocks still count as live or as registered.
  std::size_t retired_blocks = 0;
  /// The number of times that this PE has synchronized with the other PEs. Most
  /// collective calls synchronize once; calls that fill, copy or grow memory
  /// synchronize more often.
  std::uint64_t n_collective_calls = 0;

  friend bool operator==(HeapStats const&, HeapStats const&) = default;
};

}  // namespace symm

#endif
