// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_GPU_KOKKOS_IMPL_HPP
#define SYMM_GPU_KOKKOS_IMPL_HPP

#include <Kokkos_Core.hpp>

#include "../../space/SymmetricHostSpace.hpp"

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
