// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

// Whether OpenSHMEM starts beside MPI, as OpenShmem.cpp does it: built and run
// while CMake configures. Ubuntu 24.04's Open MPI 4.1.6 does not.

#include <mpi.h>
#include <shmem.h>
#include <stdlib.h>

int main(int argc, char* argv[]) {
  if (setenv("OMPI_MCA_opal_common_ucx_opal_mem_hooks", "0", 0) != 0 ||
      setenv("SHMEM_SYMMETRIC_SIZE", "1G", 0) != 0 ||
      MPI_Init(&argc, &argv) != MPI_SUCCESS) {
    return EXIT_FAILURE;
  }
  shmem_init();
  shmem_barrier_all();
  shmem_finalize();  // and MPI
  return EXIT_SUCCESS;
}
