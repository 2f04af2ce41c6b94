// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_INITIALIZE_HPP
#define SYMM_INITIALIZE_HPP

#include <Kokkos_Core.hpp>

#include "../../runtime/pools/PoolCalls.hpp"
#include "../../runtime/symm_job.hpp"
#include "ExecutionSpaceStream.hpp"

namespace symm {

/// Starts the library. Collective over `communicator`: its processes become the
/// PEs, in rank order. (symm_mpi.hpp creates a Communicator from an MPI
/// communicator.) Initializes MPI (with MPI_THREAD_FUNNELED) and Kokkos first,
/// unless the program has already done so. finalize() shuts down only what this
/// call initialized. MPI is not used if SYMM_ROOT is set (the PEs then connect
/// through TCP), if SYMM_START is "pmix", or if the library was built without
/// MPI.
///
/// In a build for GPUs, the GPUs of a node are assigned to the node's PEs
/// round-robin, unless the user chooses. (The user chooses with
/// --kokkos-device-id or --kokkos-map-device-id-by, with the corresponding
/// Kokkos settings or environment variables, or through CTest's resource
/// allocation.) The symmetric heap is in the memory of the GPU that Kokkos
/// uses.
///
/// \param argc, argv the arguments of main(). Kokkos removes its options;
///        argv[argc] stays null.
/// \throws UsageError, SystemError, OutOfMemory on every PE. In that case, the
///         call has shut down everything that it initialized. Because MPI and
///         Kokkos cannot be initialized twice, only a program that initializes
///         both itself can call initialize() again.
void initialize(int& argc, char* argv[], Communicator const& communicator = {});

/// The same, with Kokkos settings instead of command-line options.
void initialize(Kokkos::InitializationSettings const& settings = {},
                Communicator const& communicator               = {});

/// Calls initialize() in its constructor and finalize() in its destructor.
/// Declare a ScopeGuard in main() before the first View, or declare Views in an
/// inner block.
class ScopeGuard {
 public:
  ScopeGuard(int& argc, char* argv[], Communicator const& communicator = {}) {
    initialize(argc, argv, communicator);
  }
  explicit ScopeGuard(Kokkos::InitializationSettings const& settings,
                      Communicator const& communicator = {}) {
    initialize(settings, communicator);
  }
  /// Calls finalize(), in the same way as ~RuntimeGuard().
  ~ScopeGuard();

  ScopeGuard(ScopeGuard const&)            = delete;
  ScopeGuard& operator=(ScopeGuard const&) = delete;
};

/// Collective: waits for the work on `space`, then calls barrier_all().
/// Afterward, all PEs see everything that this work has written on any PE.
/// \throws UsageError on every PE if a PE is in a different collective call.
template <class ExecutionSpace>
requires Kokkos::is_execution_space_v<ExecutionSpace>
void barrier_all(ExecutionSpace const& space) {
  space.fence("symm::barrier_all");
  barrier_all();
  Impl::note_stream_barrier(Impl::stream_of(space));
}

}  // namespace symm

#endif
