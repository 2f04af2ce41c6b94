// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_JOB_HPP
#define SYMM_JOB_HPP

#include <cstddef>
#include <optional>

#include "base/Types.hpp"
#include "bootstrap/Communicator.hpp"
#include "heap/HeapStats.hpp"
#include "memory/HeapMap.hpp"

/// Start and end of the symmetric heap, its PEs, and queries about it; the
/// headers above have Pe, MemoryKind, HeapMap and HeapStats. Programs with
/// Kokkos call symm::initialize() of Kokkos_SymmetricSpace_Space.hpp instead.
namespace symm {

/// For programs without Kokkos. Collective over `communicator`, whose processes
/// become the PEs in the order of its ranks. Initialises MPI (with
/// MPI_THREAD_FUNNELED), unless the program has; finalize() then ends MPI only
/// if this has initialised it. If SYMM_ROOT is set, PEs find each other by TCP,
/// and MPI is not used; nor is it with SYMM_START=pmix, or in a library without
/// MPI (docs/nodes.md).
///
/// \param gpu ordinal of this PE's GPU among those that the process sees, on
///        every PE or on none; several PEs may share one. Without it, the heap
///        is in host memory only.
/// \throws UsageError, SystemError, OutOfMemory on every PE; UsageError on this
///         PE, if its communicator is MPI_COMM_NULL, or SYMM_ROOT is set and
///         it has passed one, and what is wrong with variables of that start.
void initialize_runtime(Communicator const& communicator = {},
                        std::optional<int> gpu           = std::nullopt);

/// How threads of a PE may call (OpenSHMEM 1.5, 9.2), in ascending order.
enum class ThreadLevel { single, funneled, serialized, multiple };

/// initialize_runtime() for programs that ask for a level (shmem_init_thread).
/// \param requested does not matter: programs always get ThreadLevel::multiple.
///        Any thread calls; collective calls of a PE come from one thread at a
///        time.
/// \returns the level that programs get.
/// \throws as initialize_runtime().
ThreadLevel init_thread(ThreadLevel requested);

/// The thread level that programs get from init_thread(), initialize() and
/// initialize_runtime() (shmem_query_thread).
/// \throws UsageError on this PE, before initialize() and after finalize().
[[nodiscard]] ThreadLevel query_thread();

/// The version of OpenSHMEM whose operations these are, 1.5
/// (shmem_info_get_version). They have later ones, too; docs/from_openshmem.md
/// says which. Local, at any time.
void info_get_version(int* major, int* minor) noexcept;

/// The name and version of this library (shmem_info_get_name). Local, at any
/// time; valid as long as the program.
[[nodiscard]] char const* info_get_name() noexcept;

/// Collective: ends the heap, and MPI and Kokkos if initialize() began them.
/// All Views must have been destroyed: those that live are reported with label
/// and size, and their memory stays.
/// \throws UsageError on every PE, if a PE is in another collective call or
///         nothing is initialised. SystemError on the PEs that are left, in a
///         job that TCP or PMIx has started, if the process of a PE ends in
///         this call, or a PE takes no part within SYMM_START_TIMEOUT; the heap
///         has ended all the same.
void finalize();

/// Whether initialize() has returned and finalize() has not. Local.
[[nodiscard]] bool is_initialized() noexcept;

/// initialize_runtime() and finalize() as the lifetime of an object in main().
class RuntimeGuard {
 public:
  explicit RuntimeGuard(Communicator const& communicator = {},
                        std::optional<int> gpu           = std::nullopt) {
    initialize_runtime(communicator, gpu);
  }
  /// Collective: finalize(), unless the program has called it. If a PE gets
  /// here early (by an exception, say) while others wait for it, in another
  /// collective call or on the host in an operation of a PE team, the job ends
  /// with a message instead of hanging. So it does if a PE waits for a variable
  /// that no other PE is left to change (symm_signals.hpp says when).
  ~RuntimeGuard();

  RuntimeGuard(RuntimeGuard const&)            = delete;
  RuntimeGuard& operator=(RuntimeGuard const&) = delete;
};

// The PEs. All functions but heap_trim() and barrier_all() are local: a PE may
// call them alone, on any thread.

/// Number of this PE, 0 to n_pes() - 1.
/// \throws UsageError on this PE, before initialize() and after finalize().
[[nodiscard]] Pe my_pe();

/// Number of PEs of the job.
/// \throws UsageError on this PE, before initialize() and after finalize().
[[nodiscard]] int n_pes();

/// Whether loads and stores of this process reach the symmetric memory of `pe`,
/// that is, whether it is a PE of this node (a member of team_node()). Host and
/// kernels reach all other PEs by operations (put(), get(), atomics, signals,
/// collectives) and by symm::remote_view.
/// \returns false, if there is no such PE.
/// \throws UsageError on this PE, before initialize() and after finalize().
[[nodiscard]] bool is_near(Pe pe);
/// As it was called before 0.1.0 (docs/from_older_versions.md).
[[deprecated("say symm::is_near(pe)"), nodiscard]] inline bool is_reachable(
    Pe pe) {
  return is_near(pe);
}

/// Whether operations reach `pe` (shmem_pe_accessible): there is such a PE.
/// \throws UsageError on this PE, before initialize() and after finalize().
[[nodiscard]] bool pe_accessible(Pe pe);

/// Whether operations reach PE `pe`'s copy of what is at `address` on this PE
/// (shmem_addr_accessible): there is such a PE, and the address is in this PE's
/// part of a symmetric heap, where memory is.
/// \throws UsageError on this PE, before initialize() and after finalize().
[[nodiscard]] bool addr_accessible(void const* address, Pe pe);

/// Collective: returns when all PEs have called; what any PE has written before
/// is visible to all PEs (OpenSHMEM 1.5, 9.12.1).
/// \throws UsageError on every PE, if a PE is in another collective call.
void barrier_all();

/// The map of all PEs' parts of the heap in one kind of memory: kernels capture
/// it for operations on addresses in that heap. Valid until finalize(). (The
/// Kokkos layer has heap_map() of a View and of a memory space, too.)
/// \throws UsageError on this PE, if there is none, before initialize() and
///         after finalize().
[[nodiscard]] HeapMap heap_map(MemoryKind kind);

/// Ends the whole job at once, with all processes that the launcher has
/// started, on all nodes, whatever other PEs are doing (OpenSHMEM 1.5, 9.1.5).
/// Not collective; does not return. Flushes the C library's output streams of
/// this PE. Destructors and functions of std::atexit() run on no PE, and puts
/// may not have arrived. On the host; any thread.
///
/// For an error that one PE finds alone. If all PEs know of it, they had better
/// return from main().
///
/// \param status that the launcher returns (Open MPI's mpiexec: from 0 to 255,
///        and with words of its own on stderr); if several PEs call, that of
///        one of them.
/// \throws UsageError on this PE, before initialize() and after finalize().
[[noreturn]] void global_exit(int status);

/// Sizes and counts of the heap: of the one in GPU memory if the PEs have
/// devices, else of the one in host memory. Local; any thread, also while
/// another thread is in a collective call.
/// \throws UsageError on this PE, before initialize() and after finalize().
[[nodiscard]] HeapStats heap_stats();

/// The same for the heap in one kind of memory.
/// \throws UsageError on this PE, too, if there is none.
[[nodiscard]] HeapStats heap_stats(MemoryKind kind);

/// Collective: gives unused physical memory of all heaps back to the system, on
/// all PEs.
/// \returns bytes released per PE; a static heap releases none.
/// \throws UsageError on every PE, if a PE is in another collective call.
///         SystemError on every PE, if a PE cannot release a piece of it: the
///         others release theirs, and its addresses are not used again.
std::size_t heap_trim();

}  // namespace symm

#endif
