// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_GROUPS_LASTBLOCK_HPP
#define SYMM_GROUPS_LASTBLOCK_HPP

#include "../base/Function.hpp"
#ifdef SYMM_FOR_DEVICE
#include <cstddef>
#include <cstdint>

#include "../memory/Words.hpp"

// Finds the thread block of a kernel that finishes last. That block can do work
// that must follow all other blocks' work, which saves a kernel launch.

namespace symm::Impl {

/// Counts the calling thread's block as finished. Called by one thread in each
/// of `n_blocks` blocks.
/// \param n_done a word that is 0 before and after the kernel.
/// \returns whether this block is the last one.
__device__ inline bool is_last_block(std::uint64_t* n_done,
                                     std::size_t n_blocks) {
  if (InKernel::fetch_add(n_done, std::uint64_t{1}) + 1 < n_blocks)
    return false;
  *n_done = 0;
  return true;
}

/// Called by all threads of each thread block at the end of the block's work.
/// \returns whether this block is the last one. If so, its threads see
///          everything that any block has written, and a release by any of
///          these threads covers all of those writes.
template <class Block>
__device__ bool ends_last(Block const& threads, std::uint64_t* n_done,
                          std::size_t n_blocks) {
  threads.barrier();
  bool is_last = false;
  if (threads.rank() == 0) {
    // Fences are cumulative, so this fence covers the stores of the whole
    // block. Device scope suffices, because only blocks on this GPU synchronize
    // here.
    __threadfence();
    is_last = is_last_block(n_done, n_blocks);
    if (is_last) __threadfence();
  }
  return threads.any(is_last);
}

}  // namespace symm::Impl
#endif

#endif
