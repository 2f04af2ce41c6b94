// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_GPU_KOKKOS_IMPL_HPP
#define SYMM_GPU_KOKKOS_IMPL_HPP

#include <type_traits>

#include <Kokkos_Core.hpp>

#include "../../kokkos_impl/MemorySpaceAccess.hpp"
#include "../../space/SymmetricHostSpace.hpp"
#include "Space.hpp"

// What kokkos_impl/ says of symmetric host memory, of GPU memory.

// Symmetric GPU memory is GPU memory.
template <>
struct Kokkos::Impl::MemorySpaceAccess<Kokkos::CudaSpace,
                                       symm::SymmetricCudaSpace>
    : symm::Impl::SpaceAccess<true, true> {};
template <>
struct Kokkos::Impl::MemorySpaceAccess<symm::SymmetricCudaSpace,
                                       Kokkos::CudaSpace>
    : symm::Impl::SpaceAccess<false, true> {};
template <>
struct Kokkos::Impl::MemorySpaceAccess<Kokkos::CudaUVMSpace,
                                       symm::SymmetricCudaSpace>
    : symm::Impl::SpaceAccess<false, true> {};
template <>
struct Kokkos::Impl::MemorySpaceAccess<symm::SymmetricCudaSpace,
                                       Kokkos::CudaUVMSpace>
    : symm::Impl::SpaceAccess<false, true> {};
template <>
struct Kokkos::Impl::MemorySpaceAccess<Kokkos::HostSpace,
                                       symm::SymmetricCudaSpace>
    : symm::Impl::SpaceAccess<false, false> {};
template <>
struct Kokkos::Impl::MemorySpaceAccess<symm::SymmetricCudaSpace,
                                       Kokkos::HostSpace>
    : symm::Impl::SpaceAccess<false, false> {};
template <>
struct Kokkos::Impl::MemorySpaceAccess<Kokkos::CudaHostPinnedSpace,
                                       symm::SymmetricCudaSpace>
    : symm::Impl::SpaceAccess<false, false> {};
template <>
struct Kokkos::Impl::MemorySpaceAccess<symm::SymmetricCudaSpace,
                                       Kokkos::CudaHostPinnedSpace>
    : symm::Impl::SpaceAccess<false, true> {};

// Symmetric host memory is, in a CUDA build, pinned host memory.
template <>
struct Kokkos::Impl::MemorySpaceAccess<Kokkos::CudaHostPinnedSpace,
                                       symm::SymmetricHostSpace>
    : symm::Impl::SpaceAccess<true, true> {};
template <>
struct Kokkos::Impl::MemorySpaceAccess<symm::SymmetricHostSpace,
                                       Kokkos::CudaHostPinnedSpace>
    : symm::Impl::SpaceAccess<false, true> {};
template <>
struct Kokkos::Impl::MemorySpaceAccess<Kokkos::CudaSpace,
                                       symm::SymmetricHostSpace>
    : symm::Impl::SpaceAccess<false, true> {};
template <>
struct Kokkos::Impl::MemorySpaceAccess<symm::SymmetricHostSpace,
                                       Kokkos::CudaSpace>
    : symm::Impl::SpaceAccess<false, false> {};
template <>
struct Kokkos::Impl::MemorySpaceAccess<Kokkos::CudaUVMSpace,
                                       symm::SymmetricHostSpace>
    : symm::Impl::SpaceAccess<false, true> {};
template <>
struct Kokkos::Impl::MemorySpaceAccess<symm::SymmetricHostSpace,
                                       Kokkos::CudaUVMSpace>
    : symm::Impl::SpaceAccess<false, true> {};

// One and the other.
template <>
struct Kokkos::Impl::MemorySpaceAccess<symm::SymmetricCudaSpace,
                                       symm::SymmetricHostSpace>
    : symm::Impl::SpaceAccess<false, true> {};
template <>
struct Kokkos::Impl::MemorySpaceAccess<symm::SymmetricHostSpace,
                                       symm::SymmetricCudaSpace>
    : symm::Impl::SpaceAccess<false, false> {};

// Kokkos copies with the CUDA runtime, whatever kind of memory it is: a peer's
// by the copy engines.

template <>
struct Kokkos::Impl::is_cuda_type_space<symm::SymmetricCudaSpace>
    : std::true_type {};
template <>
struct Kokkos::Impl::is_cuda_type_space<symm::SymmetricHostSpace>
    : std::true_type {};

KOKKOS_IMPL_HOST_INACCESSIBLE_SHARED_ALLOCATION_SPECIALIZATION(
    symm::SymmetricCudaSpace);

#endif
