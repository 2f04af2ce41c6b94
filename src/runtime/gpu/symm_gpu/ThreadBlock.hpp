// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_GPU_THREAD_BLOCK_HPP
#define SYMM_GPU_THREAD_BLOCK_HPP

#include "../../groups/Group.hpp"

namespace symm::Impl {

#ifdef SYMM_COMPILES_KERNELS
/// A group that consists of a thread block with at most `n_dimensions`
/// dimensions or, on the host, of one thread.
template <int n_dimensions>
struct ThreadBlock : SharedLoops<ThreadBlock<n_dimensions>> {
  static_assert(n_dimensions == 1 || n_dimensions == 3);

  [[nodiscard]] SYMM_FUNCTION std::size_t rank() const {
#ifdef SYMM_FOR_DEVICE
    if constexpr (n_dimensions == 1) {
      return threadIdx.x;
    } else {
      return (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x +
             threadIdx.x;
    }
#else
    return 0;
#endif
  }
  [[nodiscard]] SYMM_FUNCTION std::size_t size() const {
#ifdef SYMM_FOR_DEVICE
    if constexpr (n_dimensions == 1) {
      return blockDim.x;
    } else {
      return blockDim.x * blockDim.y * blockDim.z;
    }
#else
    return 1;
#endif
  }
  SYMM_FUNCTION void barrier() const { SYMM_IF_ON_DEVICE((__syncthreads();)) }
  /// A barrier. \returns whether any thread of the block has passed true.
  [[nodiscard]] SYMM_FUNCTION bool any(bool mine) const {
    SYMM_IF_ON_HOST((return mine;))
    SYMM_IF_ON_DEVICE((return __syncthreads_or(mine ? 1 : 0) != 0;))
  }
};

/// The blocks of the library's own kernels, and their largest number of
/// threads.
using LaunchedBlock                       = ThreadBlock<1>;
inline constexpr int max_launched_threads = 512;
#else
// This compiler does not compile kernels.
template <int>
using ThreadBlock = OneThread;
#endif

}  // namespace symm::Impl

#endif
