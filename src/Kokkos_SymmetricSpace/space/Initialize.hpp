// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_INITIALIZE_HPP
#define SYMM_INITIALIZE_HPP

#include <Kokkos_Core.hpp>

#include "../../runtime/pools/PoolCalls.hpp"
#include "../../runtime/symm_job.hpp"
#include "ExecutionSpaceStream.hpp"

namespace symm {

/// Begins the library. Collective over `communicator`: its processes become the
/// PEs, in the order of its ranks. (symm_mpi.hpp makes one of an MPI
/// communicator.) Initializes MPI (with MPI_THREAD_FUNNELED) and Kokkos first,
/// unless the program has. finalize() ends only what this call has begun. If
/// SYMM_ROOT is set, PEs find each other by TCP, and MPI is not used; nor is it
/// with SYMM_START=pmix, or in a library without MPI.
///
/// In a CUDA build the PEs of a node take its GPUs in turn, PE by PE, unless
/// the user chooses (--kokkos-device-id, --kokkos-map-device-id-by, Kokkos'
/// settings or variables for them, or CTest's resources). The symmetric heap is
/// on the GPU that Kokkos uses.
///
/// \param argc, argv those of main(); Kokkos takes its options out, and
///        argv[argc] stays null.
/// \throws UsageError, SystemError, OutOfMemory on every PE. The call has ended
///         all that it had begun. MPI and Kokkos cannot begin again: only a
///         program that runs both itself can call initialize() again.
void initialize(int& argc, char* argv[], Communicator const& communicator = {});

/// The same with Kokkos' settings in place of command line options.
void initialize(Kokkos::InitializationSettings const& settings = {},
                Communicator const& communicator               = {});

/// Calls initialize() and, when it is destroyed, finalize(). Declare it in
/// main() before the first View, or declare Views in an inner block.
class ScopeGuard {
 public:
  ScopeGuard(int& argc, char* argv[], Communicator const& communicator = {}) {
    initialize(argc, argv, communicator);
  }
  explicit ScopeGuard(Kokkos::InitializationSettings const& settings,
                      Communicator const& communicator = {}) {
    initialize(settings, communicator);
  }
  /// As ~RuntimeGuard().
  ~ScopeGuard();

  ScopeGuard(ScopeGuard const&)            = delete;
  ScopeGuard& operator=(ScopeGuard const&) = delete;
};

/// Collective: waits for the work in `space`, then calls barrier_all(). All PEs
/// then see what these kernels have written on any PE.
/// \throws UsageError on every PE, if a PE is in another collective call.
template <class ExecutionSpace>
requires Kokkos::is_execution_space_v<ExecutionSpace>
void barrier_all(ExecutionSpace const& space) {
  space.fence("symm::barrier_all");
  barrier_all();
  Impl::note_stream_barrier(Impl::stream_of(space));
}

}  // namespace symm

#endif
