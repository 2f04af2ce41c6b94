// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_MEMORY_SPACE_ACCESS_HPP
#define SYMM_MEMORY_SPACE_ACCESS_HPP

#include <Kokkos_Core.hpp>
#include "../space/SymmetricHostSpace.hpp"

// For each pair of memory spaces, this file defines whether Views in the second
// space can be assigned to Views in the first. It also defines whether the
// first space's execution space can access the second space, and whether
// deep_copy works between them. A View in a symmetric space never refers to
// private memory, because private memory has no copies on other PEs.

namespace symm::Impl {

/// The properties of a pair of destination and source spaces, as in
/// Kokkos::Impl::MemorySpaceAccess.
template <bool is_assignable, bool is_accessible>
struct SpaceAccess {
  static constexpr bool assignable = is_assignable;
  static constexpr bool accessible = is_accessible;
  static constexpr bool deepcopy   = true;
};

}  // namespace symm::Impl

// Symmetric host memory and HostSpace. Symmetric host memory is ordinary host
// memory, but ordinary host memory is not symmetric.
template <>
struct Kokkos::Impl::MemorySpaceAccess<Kokkos::HostSpace,
                                       symm::SymmetricHostSpace>
    : symm::Impl::SpaceAccess<true, true> {};
template <>
struct Kokkos::Impl::MemorySpaceAccess<symm::SymmetricHostSpace,
                                       Kokkos::HostSpace>
    : symm::Impl::SpaceAccess<false, true> {};

#endif
