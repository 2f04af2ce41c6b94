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

/// Functions that start and shut down the library, identify the PEs, and query
/// the heap. The headers included above define Pe, MemoryKind, HeapMap and
/// HeapStats. Programs that use Kokkos call symm::initialize() from
/// Kokkos_SymmetricSpace_Space.hpp instead of initialize_runtime().
namespace symm {

/// Starts the library in programs without Kokkos. The call is collective over
/// `communicator`, whose processes become the PEs, in rank order. The call
/// initializes MPI (with MPI_THREAD_FUNNELED) unless the program has already
/// done so. finalize() finalizes MPI only if this call initialized it. If
/// SYMM_ROOT is set, the PEs connect over TCP, and MPI is not used. MPI is also
/// not used with SYMM_START=pmix, or by a library built without MPI
/// (docs/nodes.md).
///
/// \param gpu ordinal of this PE's GPU among the GPUs visible to the process;
///        must be given on every PE or on none. Several PEs may share a GPU.
///        Without `gpu`, the heap is in host memory only.
/// \throws UsageError, SystemError, OutOfMemory on every PE; UsageError on this
///         PE if its communicator is MPI_COMM_NULL, if SYMM_ROOT is set and
///         this PE passes a communicator, or if the environment variables for
///         the selected launch method are invalid.
void initialize_runtime(Communicator const& communicator = {},
                        std::optional<int> gpu           = std::nullopt);

/// How a PE's threads may call the library: the thread levels of OpenSHMEM
/// (1.5, 9.2), in ascending order.
enum class ThreadLevel { single, funneled, serialized, multiple };

/// Same as initialize_runtime(), for programs that request a thread level
/// (shmem_init_thread).
/// \param requested has no effect: programs always get ThreadLevel::multiple.
///        Any thread may make calls, but only one thread of a PE at a time may
///        make collective calls.
/// \returns the thread level provided.
/// \throws the same errors as initialize_runtime().
ThreadLevel init_thread(ThreadLevel requested);

/// Returns the thread level that init_thread(), initialize() and
/// initialize_runtime() provide (shmem_query_thread).
/// \throws UsageError on this PE before initialize() and after finalize().
[[nodiscard]] ThreadLevel query_thread();

/// Stores the version of OpenSHMEM whose operations this library provides, 1.5,
/// in `*major` and `*minor` (shmem_info_get_version). The library also provides
/// operations from later versions; docs/from_openshmem.md lists them. The call
/// is local and allowed at any time.
void info_get_version(int* major, int* minor) noexcept;

/// Returns the name and version of this library (shmem_info_get_name). The call
/// is local and allowed at any time. The text remains valid until the program
/// ends.
[[nodiscard]] char const* info_get_name() noexcept;

/// Shuts down the library, and also MPI and Kokkos if initialize() started
/// them. The call is collective. All Views in symmetric memory must have been
/// destroyed. Any that still exist are reported, with label and size, and their
/// memory is not released.
/// \throws UsageError on every PE if any PE is in a different collective call,
///         or if the library is not initialized.
/// \throws SystemError on the remaining PEs, in a job started over TCP or PMIx,
///         if a PE's process ends during this call or a PE does not take part
///         within SYMM_START_TIMEOUT. SystemError on this PE if it cannot close
///         a connection. Even then, the library is shut down, as are MPI and
///         Kokkos. (The destructor of a ScopeGuard aborts the job instead.)
void finalize();

/// Whether initialize() has returned and finalize() has not. The call is local.
[[nodiscard]] bool is_initialized() noexcept;

/// Calls initialize_runtime() in its constructor and finalize() in its
/// destructor. Intended as a local variable in main().
class RuntimeGuard {
 public:
  explicit RuntimeGuard(Communicator const& communicator = {},
                        std::optional<int> gpu           = std::nullopt) {
    initialize_runtime(communicator, gpu);
  }
  /// Calls finalize(), which is collective, unless the program has already
  /// called it. A PE may reach the destructor early (because of an exception,
  /// say) while others wait for it in another collective call or in a host
  /// operation of a PE team. The job then ends with an error message instead of
  /// hanging. The job also ends if a PE waits for a variable that no remaining
  /// PE can change (see symm_signals.hpp).
  ~RuntimeGuard();

  RuntimeGuard(RuntimeGuard const&)            = delete;
  RuntimeGuard& operator=(RuntimeGuard const&) = delete;
};

// The PEs. All functions below except heap_trim() and barrier_all() are local:
// a PE may call them alone, from any thread.

/// Returns this PE's number, from 0 to n_pes() - 1.
/// \throws UsageError on this PE before initialize() and after finalize().
[[nodiscard]] Pe my_pe();

/// Returns the number of PEs in the job.
/// \throws UsageError on this PE before initialize() and after finalize().
[[nodiscard]] int n_pes();

/// Whether loads and stores by this process can reach the symmetric memory of
/// `pe`, that is, whether `pe` is on this node (a member of team_node()). The
/// host and kernels access the memory of all other PEs with operations (put(),
/// get(), atomics, signals, collectives) and through symm::remote_view.
/// \returns false if `pe` is not a valid PE number.
/// \throws UsageError on this PE before initialize() and after finalize().
[[nodiscard]] bool is_near(Pe pe);

/// Whether operations reach `pe` (shmem_pe_accessible), that is, whether a PE
/// with that number exists.
/// \throws UsageError on this PE before initialize() and after finalize().
[[nodiscard]] bool pe_accessible(Pe pe);

/// Whether operations reach PE `pe`'s copy of the object at `address` on this
/// PE (shmem_addr_accessible). They do if that PE exists and the address is in
/// mapped memory of this PE's part of a symmetric heap.
/// \throws UsageError on this PE before initialize() and after finalize().
[[nodiscard]] bool addr_accessible(void const* address, Pe pe);

/// Returns when all PEs have called barrier_all(). All earlier writes by all
/// PEs are then visible to all PEs (OpenSHMEM 1.5, 9.12.1). The call is
/// collective.
/// \throws UsageError on every PE if any PE is in a different collective call.
void barrier_all();

/// Returns the map of all PEs' parts of the heap in the given kind of memory.
/// Kernels capture the map to operate on addresses in that heap. The map is
/// valid until finalize(). (The Kokkos layer also has heap_map() for a View and
/// for a memory space.)
/// \throws UsageError on this PE if no such heap exists, before initialize()
///         and after finalize().
[[nodiscard]] HeapMap heap_map(MemoryKind kind);

/// Ends the whole job immediately, that is, all processes that the launcher
/// started, on all nodes, no matter what other PEs are doing (OpenSHMEM 1.5,
/// 9.1.5). The call is not collective and does not return. It flushes the C
/// library's output streams on this PE. No PE runs destructors or functions
/// registered with std::atexit(), and puts in flight may be lost. Any host
/// thread may call global_exit().
///
/// Use global_exit() for an error that only one PE detects. If all PEs detect
/// the error, return from main() on all of them instead.
///
/// \param status the exit status that the launcher returns. (Open MPI's mpiexec
///        accepts 0 to 255, and prints its own message to stderr.) If several
///        PEs call global_exit(), the launcher returns the status from one of
///        them.
/// \throws UsageError on this PE before initialize() and after finalize().
[[noreturn]] void global_exit(int status);

/// Returns statistics of the heap in GPU memory if the PEs have devices, and of
/// the heap in host memory otherwise. The call is local; any thread may make
/// it, even while another thread is in a collective call.
/// \throws UsageError on this PE before initialize() and after finalize().
[[nodiscard]] HeapStats heap_stats();

/// Returns statistics of the heap in the given kind of memory.
/// \throws UsageError on this PE like heap_stats(), and also if no such heap
///         exists.
[[nodiscard]] HeapStats heap_stats(MemoryKind kind);

/// Returns all heaps' unused physical memory to the system, on all PEs. The
/// call is collective.
/// \returns the number of bytes released per PE; a static heap releases none.
/// \throws UsageError on every PE if any PE is in a different collective call.
/// \throws SystemError on every PE if any PE cannot release a piece of its
///         memory. The other PEs still release their memory, and that piece's
///         addresses are not reused.
std::size_t heap_trim();

}  // namespace symm

#endif
