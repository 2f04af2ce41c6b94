// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef KOKKOS_SYMMETRICSPACE_POOLS_HPP
#define KOKKOS_SYMMETRICSPACE_POOLS_HPP

/// Memory pools (symm_pools.hpp) in the order of an execution space instance;
/// the pools keep the instance alive as long as they need it. A View in a pool:
///
///     Kokkos::View<double*, symm::SymmetricSpace> t(
///         Kokkos::view_alloc(exec, symm::SymmetricSpace(pool), "t"), n);
///
/// Destroying the View frees it in the order of `exec`. If another instance
/// uses it, call order_after(exec, other) first.

#include <cstddef>

#include <Kokkos_Core.hpp>

#include "../runtime/pools/PoolCalls.hpp"
#include "../runtime/symm_pools.hpp"
#include "Kokkos_SymmetricSpace_Space.hpp"
#include "space/ExecutionSpaceStream.hpp"

namespace symm {

/// malloc_async() in the order of `exec`.
template <class ExecutionSpace>
requires Kokkos::is_execution_space_v<ExecutionSpace> Status
malloc_async(void** address, std::size_t bytes, ExecutionSpace const& exec)
noexcept {
  return Impl::malloc_async(address, bytes, nullptr, Impl::stream_of(exec));
}

template <class T, class ExecutionSpace>
requires Kokkos::is_execution_space_v<ExecutionSpace> Status
malloc_async(T** address, std::size_t bytes, ExecutionSpace const& exec)
noexcept {
  return Impl::allocate_as(
      address, [&](void** block) { return malloc_async(block, bytes, exec); });
}

/// malloc_from_pool_async() in the order of `exec`.
template <class ExecutionSpace>
requires Kokkos::is_execution_space_v<ExecutionSpace> Status
malloc_from_pool_async(void** address, std::size_t bytes, MemPool pool,
                       ExecutionSpace const& exec)
noexcept {
  return Impl::malloc_async(address, bytes, &pool, Impl::stream_of(exec));
}
template <class T, class ExecutionSpace>
requires Kokkos::is_execution_space_v<ExecutionSpace> Status
malloc_from_pool_async(T** address, std::size_t bytes, MemPool pool,
                       ExecutionSpace const& exec)
noexcept {
  return Impl::allocate_as(address, [&](void** block) {
    return malloc_from_pool_async(block, bytes, pool, exec);
  });
}

/// free_async() in the order of `exec`.
template <class ExecutionSpace>
requires Kokkos::is_execution_space_v<ExecutionSpace> Status
free_async(void* address, ExecutionSpace const& exec)
noexcept { return Impl::free_async(address, Impl::stream_of(exec)); }

/// order_after(): work put into `exec` from now on begins when all that is in
/// `earlier` now has ended. The host waits only if one of the two runs on the
/// host.
template <class ExecutionSpace, class EarlierSpace>
requires Kokkos::is_execution_space_v<ExecutionSpace> &&
    Kokkos::is_execution_space_v<EarlierSpace>
        Status order_after(ExecutionSpace const& exec,
                           EarlierSpace const& earlier)
noexcept {
  return Impl::order_after(Impl::stream_of(exec), Impl::stream_of(earlier));
}

}  // namespace symm

#endif
