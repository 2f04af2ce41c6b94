// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_BOOTSTRAP_MPI_HPP
#define SYMM_BOOTSTRAP_MPI_HPP

#include <cstdlib>
#include <memory>

#include "../bootstrap/Bootstrap.hpp"
#include "../bootstrap/Communicator.hpp"

// The library's only calls of MPI.

namespace symm::Impl {

/// Begins MPI, with MPI_THREAD_FUNNELED, unless the program has.
/// \param argc, argv those of main(), or null.
/// \returns whether it has begun MPI, so that end_mpi() must follow.
/// \throws UsageError on this PE, if MPI is finalised or this process is in no
///         communicator (MPI_COMM_NULL); nothing has begun. SystemError.
[[nodiscard]] bool begin_mpi(int* argc, char*** argv,
                             Communicator const& communicator);

/// Ends MPI, unless the program has. \throws SystemError on this PE.
void end_mpi();

/// Ends the job. \param status that mpiexec is to return.
[[noreturn]] void abort_mpi(int status = EXIT_FAILURE) noexcept;

struct MpiPes {
  std::unique_ptr<Bootstrap> bootstrap;
  /// The number of this PE among those of its node, from 0.
  int number_on_node = 0;
  /// Whether all PEs share one node.
  bool is_one_node = true;
};

/// Collective over `communicator`, which is duplicated: the library receives no
/// messages of the program, nor the program those of the library. The PEs are
/// its processes, in the order of its ranks. The bootstrap's close() frees the
/// duplicate, unless MPI is finalised already, which has freed everything.
/// Precondition: MPI runs.
/// \throws SystemError on this PE.
[[nodiscard]] MpiPes make_mpi_pes(Communicator const& communicator);

}  // namespace symm::Impl

#endif
