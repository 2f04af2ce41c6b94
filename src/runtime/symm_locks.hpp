// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_LOCKS_HPP
#define SYMM_LOCKS_HPP

#include <cstdint>

namespace symm {

/// A lock that one PE at a time holds (OpenSHMEM 1.5, 9.13): one symmetric
/// object, whose copies on all PEs are one lock. All bytes zero on all PEs is a
/// free lock, as a View or calloc() makes it:
///
///     Kokkos::View<symm::Lock, symm::SymmetricHostSpace> const lock("lock");
///     symm::set_lock(lock.data());
///
/// In memory that the host reaches. Its words are the library's; programs
/// neither read nor write them. (OpenSHMEM's lock is a long, in which PEs ask
/// one PE again and again; here each waits in its own memory.)
struct Lock {
  std::uint64_t
      last;  // of one PE's copy, chosen by the address: 1 + the number
             // of the last PE in the queue; 0: the lock is free
  std::uint64_t next;  // 1 + the number of the PE after this one; 0: none yet
  std::uint64_t turn;  // whether this PE is in the queue, or holds the lock
};

// On the host, any thread; local. A PE holds a lock, not a thread: any thread
// of the PE may clear it, and none may set it meanwhile.
//
// All throw UsageError on this PE, if `lock` is null, misaligned or not in this
// PE's part of the heap in host memory, and before initialize() and after
// finalize(). Lost PEs and reports are those of wait_until().

/// shmem_set_lock: waits until no PE holds the lock, and holds it. PEs get it
/// in the order in which they have asked.
///
/// Ordering: what PEs did while they held the lock before is visible.
/// \throws UsageError on this PE, too, if it holds the lock already, or another
///         thread of it waits for it in set_lock().
void set_lock(Lock* lock);

/// shmem_clear_lock: gives the lock to the PE that has waited longest, or makes
/// it free. It completes what this PE has put before, as quiet() does.
/// \throws UsageError on this PE, too, if it does not hold the lock.
void clear_lock(Lock* lock);

/// shmem_test_lock: holds the lock if it is free; never waits for other PEs to
/// clear it. Threads of this PE that test or set it at the same time do so one
/// after the other: a test that fails leaves the lock as it was for the others.
/// Ordering as set_lock().
/// \returns 0 if this PE holds it now; 1 if a PE has held it already, this one
///          included.
[[nodiscard]] int test_lock(Lock* lock);

}  // namespace symm

#endif
