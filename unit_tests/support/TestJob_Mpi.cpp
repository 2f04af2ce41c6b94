// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#include "TestJob.hpp"

#include <mpi.h>

namespace symm_test {

TestJob::TestJob(int& argc, char** argv) {
  int provided = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
}
TestJob::~TestJob() { MPI_Finalize(); }

int test_pe() {
  int pe = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &pe);
  return pe;
}

int test_n_pes() {
  int n_pes = 1;
  MPI_Comm_size(MPI_COMM_WORLD, &n_pes);
  return n_pes;
}

// PMPI_: from calls to MPI's ordinary functions, the race detector would
// conclude that the test itself orders accesses.

void wait_for_all_pes() { PMPI_Barrier(MPI_COMM_WORLD); }

void gather_bytes(void const* mine, void* all, std::size_t bytes) {
  auto const count = static_cast<int>(bytes);
  PMPI_Allgather(mine, count, MPI_BYTE, all, count, MPI_BYTE, MPI_COMM_WORLD);
}

}  // namespace symm_test
