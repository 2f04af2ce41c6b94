// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_GPU_KOKKOS_IMPL_HPP
#define SYMM_GPU_KOKKOS_IMPL_HPP

#include <Kokkos_Core.hpp>

#include "../../space/SymmetricHostSpace.hpp"

// Copies of bytes: symmetric host memory, a peer's too, is host memory.
namespace symm::Impl {

template <class ExecutionSpace>
using HostCopy = Kokkos::Impl::DeepCopy<Kokkos::HostSpace, Kokkos::HostSpace,
                                        ExecutionSpace>;

}  // namespace symm::Impl

template <class ExecutionSpace>
struct Kokkos::Impl::DeepCopy<symm::SymmetricHostSpace,
                              symm::SymmetricHostSpace, ExecutionSpace>
    : symm::Impl::HostCopy<ExecutionSpace> {
  using symm::Impl::HostCopy<ExecutionSpace>::DeepCopy;
};

template <class ExecutionSpace>
struct Kokkos::Impl::DeepCopy<symm::SymmetricHostSpace, Kokkos::HostSpace,
                              ExecutionSpace>
    : symm::Impl::HostCopy<ExecutionSpace> {
  using symm::Impl::HostCopy<ExecutionSpace>::DeepCopy;
};

template <class ExecutionSpace>
struct Kokkos::Impl::DeepCopy<Kokkos::HostSpace, symm::SymmetricHostSpace,
                              ExecutionSpace>
    : symm::Impl::HostCopy<ExecutionSpace> {
  using symm::Impl::HostCopy<ExecutionSpace>::DeepCopy;
};

#endif
