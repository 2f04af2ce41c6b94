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
/// PEs, in the order of their ranks. (symm_mpi.hpp makes a Communicator from an
/// MPI communicator.) Initializes MPI (with MPI_THREAD_FUNNELED) and Kokkos
/// first, unless the program has done so. finalize() ends only what this call
/// has initialized. MPI is not used if SYMM_ROOT is set (PEs then connect by
/// TCP), with SYMM_START=pmix, or in a library without MPI.
///
/// In a CUDA build, the PEs of a node use its GPUs in turn, unless the user
/// chooses. (The user chooses by --kokkos-device-id, --kokkos-map-device-id-by,
/// Kokkos' settings or variables for them, or CTest's resources.) The symmetric
/// heap is on the GPU that Kokkos uses.
///
/// \param argc, argv the arguments of main(). Kokkos removes its options;
///        argv[argc] stays null.
/// \throws UsageError, SystemError, OutOfMemory on every PE. The call has then
///         ended everything that it had initialized. MPI and Kokkos cannot be
///         initialized twice. So only a program that initializes both itself
///         can call initialize() again.
void initialize(int& argc, char* argv[], Communicator const& communicator = {});

/// The same with Kokkos' settings instead of command line options.
void initialize(Kokkos::InitializationSettings const& settings = {},
                Communicator const& communicator               = {});

/// Calls initialize(), and finalize() in its destructor. Declare it in main()
/// before the first View, or declare Views in an inner block.
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

/// Collective: waits for the work in `space`, then calls barrier_all(). After
/// that, all PEs see what these kernels have written on any PE.
/// \throws UsageError on every PE, if a PE is in a different collective call.
template <class ExecutionSpace>
requires Kokkos::is_execution_space_v<ExecutionSpace>
void barrier_all(ExecutionSpace const& space) {
  space.fence("symm::barrier_all");
  barrier_all();
  Impl::note_stream_barrier(Impl::stream_of(space));
}

}  // namespace symm

#endif
