// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef KOKKOS_SYMMETRICSPACE_FWD_HPP
#define KOKKOS_SYMMETRICSPACE_FWD_HPP

#include <type_traits>

namespace symm {

class SymmetricHostSpace;

/// The symmetric space: host memory, the only kind so far.
using SymmetricSpace = SymmetricHostSpace;

/// Whether Views of a memory space live in the symmetric heap.
template <class MemorySpace>
inline constexpr bool is_symmetric_space_v =
    std::is_same_v<MemorySpace, SymmetricHostSpace>;

}  // namespace symm

#endif
