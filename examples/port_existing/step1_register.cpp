// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

// Step 1 of docs/porting.md: the Views and the solver stay, their memory is
// registered. A kernel writes my outer columns into the neighbours' halos; into
// those of neighbours on other nodes they are put.

#include <mpi.h>

#include <Kokkos_Core.hpp>
#include <Kokkos_SymmetricSpace.hpp>
#include <cstdio>
#include <exception>
#include <utility>

#include "jacobi.hpp"

namespace {

using Field = Kokkos::View<double**, Kokkos::LayoutRight>;

// The same memory as a View in the symmetric space, which all PEs reach.
using SharedField =
    Kokkos::View<double**, Kokkos::LayoutRight, symm::SymmetricSpace>;

void put_column(Field const& u, int column, SharedField const& shared, int pe,
                int halo) {
  if (!symm::is_near(pe)) {
    Kokkos::fence("column is updated");
    symm::iput(shared.data() + halo, u.data() + column, shared.stride(0),
               u.stride(0), u.extent(0), pe);
    return;
  }
  auto const neighbour = symm::peer_view(shared, pe);
  Kokkos::parallel_for(
      "put column", u.extent(0),
      KOKKOS_LAMBDA(int i) { neighbour(i, halo) = u(i, column); });
}

// Every PE to my left has `width` columns, so its right halo is there + 1.
void put_halo(Field const& u, SharedField const& shared,
              jacobi::Slab const& slab) {
  if (slab.has_left()) put_column(u, 1, shared, slab.me - 1, slab.width + 1);
  if (slab.has_right()) put_column(u, slab.own, shared, slab.me + 1, 0);
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
  // My columns are 1 to own, the neighbours' 0 and own + 1. The same size on
  // every PE, for the most columns that one has.
  Field u_old = symm::make_registrable_view<double**, Kokkos::LayoutRight>(
      "u_old", slab.size, slab.width + 2);
  Field u_new = symm::make_registrable_view<double**, Kokkos::LayoutRight>(
      "u_new", slab.size, slab.width + 2);
  SharedField shared_old = symm::register_symmetric_view(u_old);
  SharedField shared_new = symm::register_symmetric_view(u_new);
  Kokkos::DefaultExecutionSpace const exec;

  jacobi::start(u_old, slab, 1);
  put_halo(u_old, shared_old, slab);
  symm::barrier(exec, symm::team_world());

  // One barrier a step: with two Views in turn, a neighbour writes to the one
  // that nobody reads in this step.
  Kokkos::Timer timer;
  for (int step = 0; step < options.steps; ++step) {
    update(u_old, u_new, slab);
    put_halo(u_new, shared_new, slab);
    symm::barrier(exec, symm::team_world());
    std::swap(u_old, u_new);
    std::swap(shared_old, shared_new);
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
    status = jacobi::run("step1_register", argc, argv, solve);
  } catch (std::exception const& error) {
    std::fprintf(stderr, "step1_register: %s\n", error.what());
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  MPI_Finalize();
  return status;
}
