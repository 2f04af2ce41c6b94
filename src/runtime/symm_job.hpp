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

/// The start and the end of the symmetric heap, its PEs, and what they know of
/// it: Pe, MemoryKind, HeapMap and HeapStats are in the headers above. Programs
/// with Kokkos start it by symm::initialize() of
/// Kokkos_SymmetricSpace_Space.hpp.
namespace symm {

/// For programs without Kokkos. Collective over `communicator`, whose processes
/// become the PEs in the order of its ranks. Initialises MPI (with
/// MPI_THREAD_FUNNELED), unless the program has; finalize() ends what this has
/// begun and nothing else.
///
/// \param gpu of this PE, an ordinal among those that the process sees, on
///        every PE or on none; several PEs may share one. Without: the heap is
///        in host memory only.
/// \throws UsageError, SystemError, OutOfMemory on every PE; UsageError on this
///         PE, if its communicator is MPI_COMM_NULL.
void initialize_runtime(Communicator const& communicator = {},
                        std::optional<int> gpu           = std::nullopt);

/// Collective: ends the heap and what was begun with it. Views must be gone:
/// those that live are reported with label and size, and their memory stays.
/// \throws UsageError on every PE, if a PE is in another collective call or
///         nothing is initialised.
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
  /// Collective. If a PE leaves early (by an exception, say) while others wait
  /// for it, in another collective call or on the host in an operation of a PE
  /// team, the job ends with a message instead of hanging; so it does if one
  /// waits for a variable that nobody is left to change (symm_signals.hpp says
  /// when).
  ~RuntimeGuard();

  RuntimeGuard(RuntimeGuard const&)            = delete;
  RuntimeGuard& operator=(RuntimeGuard const&) = delete;
};

// The PEs. All but heap_trim() and barrier_all() are local: a PE calls them
// alone, on any thread.

/// Number of this PE, 0 to n_pes() - 1.
/// \throws UsageError on this PE, before initialize() and after finalize().
[[nodiscard]] Pe my_pe();

/// Number of PEs of the job.
/// \throws UsageError on this PE, before initialize() and after finalize().
[[nodiscard]] int n_pes();

/// Whether loads and stores of this process reach the symmetric memory of `pe`:
/// it is a PE of this node (a member of team_node()). All others are reached by
/// operations (put(), get(), atomics, signals, collectives), of host and
/// kernels, and by symm::remote_view.
/// \returns false, if there is no such PE.
/// \throws UsageError on this PE, before initialize() and after finalize().
[[nodiscard]] bool is_reachable(Pe pe);

/// Collective: returns when all PEs have called; what any PE has written before
/// is visible to all PEs (OpenSHMEM 1.5, 9.12.1).
/// \throws UsageError on every PE, if a PE is in another collective call.
void barrier_all();

/// Where all PEs' parts of the heap in one kind of memory are, to capture in
/// kernels that call operations on addresses in it. Valid until finalize().
/// (The Kokkos layer has heap_map() of a View and of a memory space, too.)
/// \throws UsageError on this PE, if there is none, before initialize() and
///         after finalize().
[[nodiscard]] HeapMap heap_map(MemoryKind kind);

/// Not collective: a PE ends the whole job at once, with all processes that the
/// launcher has started, on all nodes, whatever the others are doing (OpenSHMEM
/// 1.5, 9.1.5). Returns nowhere. What this PE has written by the C library is
/// flushed; destructors and functions of std::atexit() do not run, on any PE,
/// and puts may not have arrived. On the host; any thread.
///
/// For what one PE finds out alone. Where all PEs know, they better return from
/// main().
///
/// \param status that the launcher returns (Open MPI's mpiexec: from 0 to 255,
///        and with words of its own on stderr); if several PEs call, that of
///        one of them.
/// \throws UsageError on this PE, before initialize() and after finalize().
[[noreturn]] void global_exit(int status);

/// Sizes and counts of the heap: of the one in GPU memory if the PEs have
/// devices, else of the one in host memory. Local; any thread, beside
/// collective calls of others, too. \throws UsageError on this PE, before
/// initialize() and after finalize().
[[nodiscard]] HeapStats heap_stats();

/// The same for the heap in one kind of memory.
/// \throws UsageError on this PE, too, if there is none.
[[nodiscard]] HeapStats heap_stats(MemoryKind kind);

/// Collective: gives physical memory of all heaps in which nothing is allocated
/// back to the system, on all PEs.
/// \returns bytes released per PE; a static heap releases none.
/// \throws UsageError on every PE, if a PE is in another collective call.
///         SystemError on every PE, if one cannot give memory back: what others
///         could is given back, and its addresses are not used again.
std::size_t heap_trim();

}  // namespace symm

#endif
