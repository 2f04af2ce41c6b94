// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef KOKKOS_SYMMETRICSPACE_MEMORYSPACEACCESS_HPP
#define KOKKOS_SYMMETRICSPACE_MEMORYSPACEACCESS_HPP

#include <Kokkos_Core.hpp>
#include <Kokkos_SymmetricSpace_Fwd.hpp>
#include "../space/MemorySpace.hpp"

// Which space may refer to, reach and be copied from which. Private memory has
// no copies on other PEs: a View of a symmetric space never refers to it.

namespace symm {

/// Destination and source, as in Kokkos::Impl::MemorySpaceAccess.
template <bool is_assignable, bool is_accessible>
struct SpaceAccess {
  static constexpr bool assignable = is_assignable;
  static constexpr bool accessible = is_accessible;
  static constexpr bool deepcopy   = true;
};

}  // namespace symm

// Symmetric host memory is host memory.
template <>
struct Kokkos::Impl::MemorySpaceAccess<Kokkos::HostSpace,
                                       symm::SymmetricHostSpace>
    : symm::SpaceAccess<true, true> {};
template <>
struct Kokkos::Impl::MemorySpaceAccess<symm::SymmetricHostSpace,
                                       Kokkos::HostSpace>
    : symm::SpaceAccess<false, true> {};

#ifdef KOKKOS_ENABLE_CUDA

// Symmetric GPU memory is GPU memory.
template <>
struct Kokkos::Impl::MemorySpaceAccess<Kokkos::CudaSpace,
                                       symm::SymmetricCudaSpace>
    : symm::SpaceAccess<true, true> {};
template <>
struct Kokkos::Impl::MemorySpaceAccess<symm::SymmetricCudaSpace,
                                       Kokkos::CudaSpace>
    : symm::SpaceAccess<false, true> {};
template <>
struct Kokkos::Impl::MemorySpaceAccess<Kokkos::CudaUVMSpace,
                                       symm::SymmetricCudaSpace>
    : symm::SpaceAccess<false, true> {};
template <>
struct Kokkos::Impl::MemorySpaceAccess<symm::SymmetricCudaSpace,
                                       Kokkos::CudaUVMSpace>
    : symm::SpaceAccess<false, true> {};
template <>
struct Kokkos::Impl::MemorySpaceAccess<Kokkos::HostSpace,
                                       symm::SymmetricCudaSpace>
    : symm::SpaceAccess<false, false> {};
template <>
struct Kokkos::Impl::MemorySpaceAccess<symm::SymmetricCudaSpace,
                                       Kokkos::HostSpace>
    : symm::SpaceAccess<false, false> {};
template <>
struct Kokkos::Impl::MemorySpaceAccess<Kokkos::CudaHostPinnedSpace,
                                       symm::SymmetricCudaSpace>
    : symm::SpaceAccess<false, false> {};
template <>
struct Kokkos::Impl::MemorySpaceAccess<symm::SymmetricCudaSpace,
                                       Kokkos::CudaHostPinnedSpace>
    : symm::SpaceAccess<false, true> {};

// Symmetric host memory is, in a CUDA build, pinned host memory.
template <>
struct Kokkos::Impl::MemorySpaceAccess<Kokkos::CudaHostPinnedSpace,
                                       symm::SymmetricHostSpace>
    : symm::SpaceAccess<true, true> {};
template <>
struct Kokkos::Impl::MemorySpaceAccess<symm::SymmetricHostSpace,
                                       Kokkos::CudaHostPinnedSpace>
    : symm::SpaceAccess<false, true> {};
template <>
struct Kokkos::Impl::MemorySpaceAccess<Kokkos::CudaSpace,
                                       symm::SymmetricHostSpace>
    : symm::SpaceAccess<false, true> {};
template <>
struct Kokkos::Impl::MemorySpaceAccess<symm::SymmetricHostSpace,
                                       Kokkos::CudaSpace>
    : symm::SpaceAccess<false, false> {};
template <>
struct Kokkos::Impl::MemorySpaceAccess<Kokkos::CudaUVMSpace,
                                       symm::SymmetricHostSpace>
    : symm::SpaceAccess<false, true> {};
template <>
struct Kokkos::Impl::MemorySpaceAccess<symm::SymmetricHostSpace,
                                       Kokkos::CudaUVMSpace>
    : symm::SpaceAccess<false, true> {};

// One and the other.
template <>
struct Kokkos::Impl::MemorySpaceAccess<symm::SymmetricCudaSpace,
                                       symm::SymmetricHostSpace>
    : symm::SpaceAccess<false, true> {};
template <>
struct Kokkos::Impl::MemorySpaceAccess<symm::SymmetricHostSpace,
                                       symm::SymmetricCudaSpace>
    : symm::SpaceAccess<false, false> {};

#endif

#endif
