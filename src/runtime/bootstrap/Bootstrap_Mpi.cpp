// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#include "Bootstrap_Mpi.hpp"

#include <climits>
#include <cstdlib>
#include <string>

#include "../symm_errors.hpp"

namespace symm::Impl {

namespace {

void check(int result, char const* call) {
  if (result == MPI_SUCCESS) return;
  char text[MPI_MAX_ERROR_STRING] = "unknown error";
  int length                      = 0;
  // If even this fails, the initial text stands.
  static_cast<void>(MPI_Error_string(result, text, &length));
  throw SystemError(std::string(call) + " failed: " + text);
}

}  // namespace

Bootstrap_Mpi::Bootstrap_Mpi(MPI_Comm communicator) {
  check(MPI_Comm_dup(communicator, &m_communicator), "MPI_Comm_dup");
  check(MPI_Comm_set_errhandler(m_communicator, MPI_ERRORS_RETURN),
        "MPI_Comm_set_errhandler");
  check(MPI_Comm_rank(m_communicator, &m_rank), "MPI_Comm_rank");
  check(MPI_Comm_size(m_communicator, &m_size), "MPI_Comm_size");
}

void Bootstrap_Mpi::close() {
  int finalized = 0;
  check(MPI_Finalized(&finalized), "MPI_Finalized");
  if (finalized == 0) check(MPI_Comm_free(&m_communicator), "MPI_Comm_free");
}

void Bootstrap_Mpi::barrier() {
  check(MPI_Barrier(m_communicator), "MPI_Barrier");
}

void Bootstrap_Mpi::allgather(void const* mine, void* all, std::size_t bytes) {
  if (bytes > INT_MAX) {
    throw UsageError("Bootstrap_Mpi::allgather: " + std::to_string(bytes) +
                     " bytes per PE; the limit is 2147483647");
  }
  int const count = static_cast<int>(bytes);
  check(MPI_Allgather(mine, count, MPI_BYTE, all, count, MPI_BYTE,
                      m_communicator),
        "MPI_Allgather");
}

void Bootstrap_Mpi::abort() noexcept {
  // Not on the duplicate: MPICH may end the processes of a communicator only,
  // and wait for ever for one that is gone.
  static_cast<void>(MPI_Abort(MPI_COMM_WORLD, EXIT_FAILURE));
  std::abort();
}

}  // namespace symm::Impl
