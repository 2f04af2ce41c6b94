// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_GROUPS_THISBLOCK_HPP
#define SYMM_GROUPS_THISBLOCK_HPP

#include <symm_gpu/ThreadBlock.hpp>
#include "../base/Function.hpp"

namespace symm {

/// Returns the calling thread's block, of any dimensions, as the group argument
/// that precedes the heap map: put(symm::this_block(), heap, ...). All threads
/// of the block must make the call. On the host, the group is the calling
/// thread alone. (The groups for Kokkos kernels are in
/// Kokkos_SymmetricSpace_Operations.hpp.)
[[nodiscard]] SYMM_INLINE_FUNCTION Impl::ThreadBlock<3> this_block() {
  return {};
}

}  // namespace symm

#endif
