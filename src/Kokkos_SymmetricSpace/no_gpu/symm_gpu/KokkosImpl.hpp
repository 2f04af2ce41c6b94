// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_GPU_KOKKOS_IMPL_HPP
#define SYMM_GPU_KOKKOS_IMPL_HPP

#include <cstddef>

#include <Kokkos_Core.hpp>

#include "../../../runtime/base/Observer.hpp"
#include "../../space/CopyOfPeer.hpp"
#include "../../space/SymmetricHostSpace.hpp"

// For copies of bytes, symmetric host memory (even a peer's) is the same as
// ordinary host memory.
namespace symm::Impl {

template <class ExecutionSpace>
using HostCopy = Kokkos::Impl::DeepCopy<Kokkos::HostSpace, Kokkos::HostSpace,
                                        ExecutionSpace>;

/// A HostCopy that is reported to observers if it reads or writes a peer's
/// memory.
template <class ExecutionSpace>
struct ObservedHostCopy {
  ObservedHostCopy(void* to, void const* from, std::size_t bytes) {
    run(to, from, bytes, [=] { HostCopy<ExecutionSpace>(to, from, bytes); });
  }
  ObservedHostCopy(ExecutionSpace const& exec, void* to, void const* from,
                   std::size_t bytes) {
    run(to, from, bytes,
        [=, &exec] { HostCopy<ExecutionSpace>(exec, to, from, bytes); });
  }

 private:
  template <class Copy>
  static void run(void* to, void const* from, std::size_t bytes,
                  Copy const& copy) {
    [[maybe_unused]] check::Call const its_call("Kokkos::deep_copy");
    check::copy_here(to, from, bytes);
    if (is_observed()) [[unlikely]] {
      auto const operation =
          operation_of_copy("Kokkos::deep_copy", to, from, bytes);
      if (operation.symmetric != nullptr) {
        Observed const observed([=] { return operation; });
        copy();
        return;
      }
    }
    copy();
  }
};

}  // namespace symm::Impl

template <class ExecutionSpace>
struct Kokkos::Impl::DeepCopy<symm::SymmetricHostSpace,
                              symm::SymmetricHostSpace, ExecutionSpace>
    : symm::Impl::ObservedHostCopy<ExecutionSpace> {
  using symm::Impl::ObservedHostCopy<ExecutionSpace>::ObservedHostCopy;
};

template <class ExecutionSpace>
struct Kokkos::Impl::DeepCopy<symm::SymmetricHostSpace, Kokkos::HostSpace,
                              ExecutionSpace>
    : symm::Impl::ObservedHostCopy<ExecutionSpace> {
  using symm::Impl::ObservedHostCopy<ExecutionSpace>::ObservedHostCopy;
};

template <class ExecutionSpace>
struct Kokkos::Impl::DeepCopy<Kokkos::HostSpace, symm::SymmetricHostSpace,
                              ExecutionSpace>
    : symm::Impl::ObservedHostCopy<ExecutionSpace> {
  using symm::Impl::ObservedHostCopy<ExecutionSpace>::ObservedHostCopy;
};

#endif
