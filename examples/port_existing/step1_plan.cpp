// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

// Step 1 of docs/porting.md: the Views and the solver stay the same. A plan,
// which is told once how the grid is divided, fills the halo.

#include <mpi.h>

#include <Kokkos_Core.hpp>
#include <Kokkos_SymmetricContainers.hpp>
#include <cstddef>
#include <cstdio>
#include <exception>
#include <utility>

#include "jacobi.hpp"

namespace {

using Field = Kokkos::View<double**, Kokkos::LayoutRight>;

// My columns are 1 to own; the neighbors' are 0 and own + 1. Rows 0 and size -
// 1 do not change: for the plan, they are ghosts that no PE fills.
symm::ExchangePlan plan_for(jacobi::Slab const& slab) {
  symm::BoxDecomposition box;
  box.owned   = {static_cast<std::size_t>(slab.size - 2),
                 static_cast<std::size_t>(slab.own)};
  box.pe_grid = {1, slab.n_pes, 1};
  return symm::ExchangePlan::from_box(box);
}

void update(Field const& u_old, Field const& u_new, jacobi::Slab const& slab) {
  Kokkos::parallel_for(
      "update", slab.inner(1), KOKKOS_LAMBDA(int i, int j) {
        u_new(i, j) = (u_old(i - 1, j) + u_old(i + 1, j) + u_old(i, j - 1) +
                       u_old(i, j + 1)) /
                      4;
      });
}

bool solve(jacobi::Options const& options, jacobi::Slab const& slab) {
  Field u_old("u_old", slab.size, slab.own + 2);
  Field u_new("u_new", slab.size, slab.own + 2);
  auto plan = plan_for(slab);
  Kokkos::DefaultExecutionSpace const exec;

  jacobi::start(u_old, slab, 1);
  plan.gather(exec, u_old);

  Kokkos::Timer timer;
  for (int step = 0; step < options.steps; ++step) {
    update(u_old, u_new, slab);
    plan.gather(exec, u_new);
    std::swap(u_old, u_new);
  }
  exec.fence("last step");
  return jacobi::report(options, slab, u_old, 1, timer.seconds());
}

}  // namespace

int main(int argc, char* argv[]) {
  MPI_Init(&argc, &argv);
  int status = 0;
  try {
    symm::ScopeGuard const guard(argc, argv);
    status = jacobi::run("step1_plan", argc, argv, solve);
  } catch (std::exception const& error) {
    std::fprintf(stderr, "step1_plan: %s\n", error.what());
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  MPI_Finalize();
  return status;
}
