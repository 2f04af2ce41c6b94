// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_ORDERING_HPP
#define SYMM_ORDERING_HPP

#include "base/Function.hpp"
#include "shmem/Words.hpp"

namespace symm {

// In which order other PEs see what this PE does, and the loads and stores that
// such an order is made of (OpenSHMEM 1.5, memory
// ordering).

/// Orders the stores, puts, atomics and signals of this thread: any PE that
/// sees one issued after the call sees all issued before it (OpenSHMEM 1.5,
/// shmem_fence). To all PEs and all memory alike; also orders plain stores
/// through peer_view() and global_view(). Local: neither waits for other PEs
/// nor for kernels (Kokkos::fence() does that).
///
/// Callable from host and kernels. In a kernel it is about the calling thread
/// and what that thread knows to be done, such as the stores of its team before
/// a team_barrier().
SYMM_INLINE_FUNCTION void fence() { Impl::fence_words(); }

/// Completes the stores, puts, atomics and signals of this thread: all PEs see
/// them when it returns (OpenSHMEM 1.5, shmem_quiet). What the thread loads
/// afterwards is loaded after that. Otherwise like fence().
SYMM_INLINE_FUNCTION void quiet() { fence(); }

// Plain loads and stores of one instruction, atomic for all PEs, of trivially
// copyable objects of 4 or 8 bytes: T load_...(T const* from) and
// store_...(T* to, value). Any address that this process reaches, aligned to
// the size of T. Callable from host and kernels, where the memory is reached;
// in kernels not on scratch memory nor on a thread's own variables.

/// No order.
using Impl::load_relaxed;
using Impl::store_relaxed;

/// What is loaded or stored afterwards is so after this load. What a release
/// or fence() on the other side has ordered before the value is there.
using Impl::load_acquire;

/// What was loaded or stored before is so before this store. A GPU waits for
/// that, which takes longer than the store itself (1.39 us for both, one way,
/// between two H200).
using Impl::store_release;

}  // namespace symm

#endif
