// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

// Step 2 of docs/porting.md: Views in the symmetric space, without a halo. The
// kernel reads the neighbors' columns in place.

#include <mpi.h>

#include <Kokkos_Core.hpp>
#include <Kokkos_SymmetricSpace.hpp>
#include <cstdio>
#include <exception>
#include <utility>

#include "jacobi.hpp"

namespace {

using Field = Kokkos::View<double**, Kokkos::LayoutRight, symm::SymmetricSpace>;

void update(Field const& u_old, Field const& u_new, jacobi::Slab const& slab) {
  auto const everywhere = symm::global_view(u_old);
  int const me          = slab.me;
  int const last        = slab.width - 1;
  Kokkos::parallel_for(
      "update", slab.inner(0), KOKKOS_LAMBDA(int i, int j) {
        // The columns at both ends of the grid do not change. So if this kernel
        // runs with j equal to 0 or last, there is a neighbor on that side.
        double const left =
            j > 0 ? u_old(i, j - 1) : everywhere(me - 1, i, last);
        double const right =
            j < last ? u_old(i, j + 1) : everywhere(me + 1, i, 0);
        u_new(i, j) = (u_old(i - 1, j) + u_old(i + 1, j) + left + right) / 4;
      });
}

bool solve(jacobi::Options const& options, jacobi::Slab const& slab) {
  if (symm::team_node().n_pes() != symm::n_pes())
    throw jacobi::UsageError(
        "its kernel reads columns of other PEs in place, so all PEs must be on "
        "one node; step1_plan runs on several nodes");

  // The same size on every PE: enough for the PE with the most columns.
  Field u_old("u_old", slab.size, slab.width);
  Field u_new("u_new", slab.size, slab.width);
  Kokkos::DefaultExecutionSpace const exec;

  jacobi::start(u_old, slab, 0);
  symm::barrier(exec, symm::team_world());

  // One barrier per step is enough: the two Views alternate, so no PE writes to
  // the one that its neighbors read in this step.
  Kokkos::Timer timer;
  for (int step = 0; step < options.steps; ++step) {
    update(u_old, u_new, slab);
    symm::barrier(exec, symm::team_world());
    std::swap(u_old, u_new);
  }
  exec.fence("last step");
  return jacobi::report(options, slab, u_old, 0, timer.seconds());
}

}  // namespace

int main(int argc, char* argv[]) {
  MPI_Init(&argc, &argv);
  int status = 0;
  try {
    symm::ScopeGuard const guard(argc, argv);
    status = jacobi::run("step2_global_view", argc, argv, solve);
  } catch (std::exception const& error) {
    std::fprintf(stderr, "step2_global_view: %s\n", error.what());
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  MPI_Finalize();
  return status;
}
