// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

// What symm::initialize takes of the start of a job, beside what MPI_Init
// takes: on the slowest PE, once per run of the program. Other PEs come to it
// when they come, as they do in programs.

#include <mpi.h>

#include <Kokkos_SymmetricSpace.hpp>
#include <chrono>

#include "harness/MpiCheck.hpp"
#include "harness/Session.hpp"

namespace perf::initialize_benchmark {
namespace {

double slowest(double seconds) {
  double all = 0;
  check_mpi(
      MPI_Allreduce(&seconds, &all, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD),
      "MPI_Allreduce");
  return all;
}

void measure(Session& session) {
  using Clock = std::chrono::steady_clock;
  check_mpi(MPI_Barrier(MPI_COMM_WORLD), "MPI_Barrier");
  auto const start = Clock::now();
  symm::initialize();
  std::chrono::duration<double> const taken = Clock::now() - start;
  session.report().value("symm::initialize", "us",
                         slowest(taken.count()) * 1e6);
  session.report().value("MPI_Init", "us", session.mpi_init_seconds() * 1e6);
  session.verify("PEs", symm::n_pes() != session.n_pes() ? 1 : 0);
  symm::finalize();
}

Registered const registered{"initialize", measure, Starts::kokkos};

}  // namespace
}  // namespace perf::initialize_benchmark
