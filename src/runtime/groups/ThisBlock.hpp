// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_GROUPS_THISBLOCK_HPP
#define SYMM_GROUPS_THISBLOCK_HPP

#include <symm_gpu/ThreadBlock.hpp>
#include "../base/Function.hpp"

namespace symm {

/// The thread block of the calling kernel, of any dimensions, as the group of
/// threads that the operations take before the heap map:
/// put(symm::this_block(), heap, ...). All of its threads call. On the host it
/// is the calling thread alone. (Kernels of Kokkos have groups of their own:
/// Kokkos_SymmetricSpace_Operations.hpp.)
[[nodiscard]] SYMM_INLINE_FUNCTION Impl::ThreadBlock<3> this_block() {
  return {};
}

}  // namespace symm

#endif
