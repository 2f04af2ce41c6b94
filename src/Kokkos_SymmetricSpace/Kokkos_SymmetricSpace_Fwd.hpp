// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef KOKKOS_SYMMETRICSPACE_FWD_HPP
#define KOKKOS_SYMMETRICSPACE_FWD_HPP

#include <Kokkos_Macros.hpp>

namespace symm {

class SymmetricHostSpace;

#ifdef KOKKOS_ENABLE_CUDA
class SymmetricCudaSpace;

/// The symmetric space of this build: GPU memory.
using SymmetricSpace = SymmetricCudaSpace;
#else
/// The symmetric space of this build: host memory.
using SymmetricSpace = SymmetricHostSpace;
#endif

/// Whether Views of a memory space live in the symmetric heap.
template <class MemorySpace>
inline constexpr bool is_symmetric_space_v = false;
template <>
inline constexpr bool is_symmetric_space_v<SymmetricHostSpace> = true;
#ifdef KOKKOS_ENABLE_CUDA
template <>
inline constexpr bool is_symmetric_space_v<SymmetricCudaSpace> = true;
#endif

}  // namespace symm

#endif
