// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_LOCKS_HPP
#define SYMM_LOCKS_HPP

#include <cstdint>

namespace symm {

/// A lock that one PE at a time can hold (OpenSHMEM 1.5, 9.13). The copies of
/// this symmetric object on all PEs together form one lock. The lock is free if
/// all bytes of all copies are zero, so a View or calloc() creates a free lock:
///
///     Kokkos::View<symm::Lock, symm::SymmetricHostSpace> const lock("lock");
///     symm::set_lock(lock.data());
///
/// A lock must be in memory that the host can reach. Only the library may read
/// or write the words of a lock. (In OpenSHMEM, a lock is a long, and all
/// waiting PEs keep polling one PE. Here, each PE polls its own memory.)
struct Lock {
  // 1 + the number of the last PE in the queue, or 0 if the lock is free. Only
  // one PE's copy of this word is used; the lock's address determines which.
  std::uint64_t last;
  // 1 + the number of the PE after this one in the queue, or 0 if there is none
  // yet.
  std::uint64_t next;
  // 0 if this PE is not in the queue, 1 if it is waiting, 2 if it holds the
  // lock.
  std::uint64_t turn;
};

// The functions for locks are local, and callable from any host thread. Locks
// are held by PEs, not by threads: any thread of the PE that holds a lock may
// clear it, and until then, no thread of that PE may set it.
//
// All functions for locks throw UsageError on this PE if `lock` is null,
// misaligned or outside this PE's part of the heap in host memory. They also
// throw it before initialize() and after finalize(). While waiting, they print
// reports and end the job under the same conditions as wait_until().

/// shmem_set_lock: waits until no PE holds the lock, then acquires it. PEs
/// acquire the lock in the order in which they request it.
///
/// Ordering: everything that earlier holders did while holding the lock is
/// visible on return.
/// \throws UsageError on this PE also if this PE already holds the lock, or if
///         another thread of this PE is waiting for the lock in set_lock().
void set_lock(Lock* lock);

/// shmem_clear_lock: hands the lock to the PE that has waited longest, or frees
/// it if no PE is waiting. First completes this PE's earlier puts, as quiet()
/// does.
/// \throws UsageError on this PE also if this PE does not hold the lock.
void clear_lock(Lock* lock);

/// shmem_test_lock: acquires the lock if it is free. Never waits for other PEs
/// to clear the lock. If several threads of this PE test or set the lock at the
/// same time, they take turns. A failed test does not change the lock for other
/// PEs. The ordering is the same as for set_lock().
/// \returns 0 if this PE now holds the lock; 1 if the lock was already held,
///          possibly by this PE.
[[nodiscard]] int test_lock(Lock* lock);

}  // namespace symm

#endif
