// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef KOKKOS_SYMMETRICSPACE_DEEPCOPY_HPP
#define KOKKOS_SYMMETRICSPACE_DEEPCOPY_HPP

#include <type_traits>

#include <Kokkos_Core.hpp>
#include "../space/MemorySpace.hpp"

#ifdef KOKKOS_ENABLE_CUDA

// Kokkos copies with the CUDA runtime, whatever kind of memory it is: a peer's
// by the copy engines.

template <>
struct Kokkos::Impl::is_cuda_type_space<symm::SymmetricCudaSpace>
    : std::true_type {};
template <>
struct Kokkos::Impl::is_cuda_type_space<symm::SymmetricHostSpace>
    : std::true_type {};

#else

// Copies of bytes: symmetric host memory, a peer's too, is host memory.

template <class ExecutionSpace>
struct Kokkos::Impl::DeepCopy<symm::SymmetricHostSpace,
                              symm::SymmetricHostSpace, ExecutionSpace>
    : Kokkos::Impl::DeepCopy<Kokkos::HostSpace, Kokkos::HostSpace,
                             ExecutionSpace> {
  using Kokkos::Impl::DeepCopy<Kokkos::HostSpace, Kokkos::HostSpace,
                               ExecutionSpace>::DeepCopy;
};

template <class ExecutionSpace>
struct Kokkos::Impl::DeepCopy<symm::SymmetricHostSpace, Kokkos::HostSpace,
                              ExecutionSpace>
    : Kokkos::Impl::DeepCopy<Kokkos::HostSpace, Kokkos::HostSpace,
                             ExecutionSpace> {
  using Kokkos::Impl::DeepCopy<Kokkos::HostSpace, Kokkos::HostSpace,
                               ExecutionSpace>::DeepCopy;
};

template <class ExecutionSpace>
struct Kokkos::Impl::DeepCopy<Kokkos::HostSpace, symm::SymmetricHostSpace,
                              ExecutionSpace>
    : Kokkos::Impl::DeepCopy<Kokkos::HostSpace, Kokkos::HostSpace,
                             ExecutionSpace> {
  using Kokkos::Impl::DeepCopy<Kokkos::HostSpace, Kokkos::HostSpace,
                               ExecutionSpace>::DeepCopy;
};

#endif

#endif
