// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef KOKKOS_SYMMETRICSPACE_MEMORYSPACEACCESS_HPP
#define KOKKOS_SYMMETRICSPACE_MEMORYSPACEACCESS_HPP

#include <Kokkos_Core.hpp>
#include <Kokkos_SymmetricSpace_Fwd.hpp>
#include <Kokkos_SymmetricSpace_MemorySpace.hpp>

// A View of HostSpace may refer to symmetric memory, which is host memory; the
// other way round, private memory has no copies on other PEs.

template <>
struct Kokkos::Impl::MemorySpaceAccess<Kokkos::HostSpace,
                                       symm::SymmetricHostSpace> {
  static constexpr bool assignable = true;
  static constexpr bool accessible = true;
  static constexpr bool deepcopy   = true;
};

template <>
struct Kokkos::Impl::MemorySpaceAccess<symm::SymmetricHostSpace,
                                       Kokkos::HostSpace> {
  static constexpr bool assignable = false;
  static constexpr bool accessible = true;
  static constexpr bool deepcopy   = true;
};

#endif
