// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_BOOTSTRAP_MPI_HPP
#define SYMM_BOOTSTRAP_MPI_HPP

#include "JobStart.hpp"

namespace symm::Impl {

/// Returns the JobStart that uses MPI. Only this JobStart and the race detector
/// (check/) call MPI. begin() requests MPI_THREAD_FUNNELED. make_pes()
/// duplicates the communicator so that the library and the program do not
/// receive each other's messages.
[[nodiscard]] JobStart& start_by_mpi();

}  // namespace symm::Impl

#endif
