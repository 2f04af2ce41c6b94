// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef KOKKOS_SYMMETRICSPACE_POOLS_HPP
#define KOKKOS_SYMMETRICSPACE_POOLS_HPP

/// Memory pools (symm_pools.hpp) that allocate and free in stream order on an
/// execution space instance. A pool keeps the instance alive as long as the
/// pool needs it. Example of a View in a pool:
///
///     Kokkos::View<double*, symm::SymmetricSpace> t(
///         Kokkos::view_alloc(exec, symm::SymmetricSpace(pool), "t"), n);
///
/// Destroying the View frees the memory in stream order on `exec`. If another
/// instance `other` uses the View, call order_after(exec, other) before the
/// View is destroyed.

#include <cstddef>

#include <Kokkos_Core.hpp>

#include "../runtime/pools/PoolCalls.hpp"
#include "../runtime/symm_pools.hpp"
#include "Kokkos_SymmetricSpace_Space.hpp"
#include "space/ExecutionSpaceStream.hpp"

namespace symm {

/// Like malloc_async() in symm_pools.hpp, with the execution space instance
/// `exec` as the stream.
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

/// Like malloc_from_pool_async() in symm_pools.hpp, with `exec` as the stream.
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

/// Like free_async() in symm_pools.hpp, with `exec` as the stream.
template <class ExecutionSpace>
requires Kokkos::is_execution_space_v<ExecutionSpace> Status
free_async(void* address, ExecutionSpace const& exec)
noexcept { return Impl::free_async(address, Impl::stream_of(exec)); }

/// Like order_after() for streams: work submitted to `exec` from now on starts
/// only after all work already in `earlier` has finished. The host waits only
/// if `exec` or `earlier` runs on the host.
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
