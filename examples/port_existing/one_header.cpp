// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

// See docs/porting_an_application.md: a program that can be built with or
// without the library. Only halo.hpp differs between the two builds.

#include <mpi.h>

#include <Kokkos_Core.hpp>
#include <cstddef>
#include <cstdio>
#include <exception>
#include <utility>

#include "halo.hpp"
#include "jacobi.hpp"

namespace {

using app::Field;

void update(Field const& u_old, Field const& u_new, jacobi::Slab const& slab) {
  Kokkos::parallel_for(
      "update", slab.inner(1), KOKKOS_LAMBDA(int i, int j) {
        u_new(i, j) = (u_old(i - 1, j) + u_old(i + 1, j) + u_old(i, j - 1) +
                       u_old(i, j + 1)) /
                      4;
      });
}

bool solve(jacobi::Options const& options, jacobi::Slab const& slab) {
  auto const rows = static_cast<std::size_t>(slab.size);
  auto const own  = static_cast<std::size_t>(slab.own);
  Field u_old("u_old", rows, own + 2);
  Field u_new("u_new", rows, own + 2);
  app::Halo const halo(rows, own);
  app::Exec const exec;

  jacobi::start(u_old, slab, 1);
  halo.exchange(exec, {u_old});

  Kokkos::Timer timer;
  for (int step = 0; step < options.steps; ++step) {
    update(u_old, u_new, slab);
    halo.exchange(exec, {u_new});
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
    app::Guard const guard(argc, argv);
    // All Views and plans are destroyed in there.
    status = jacobi::run("one_header", argc, argv, solve);
  } catch (std::exception const& error) {
    std::fprintf(stderr, "one_header: %s\n", error.what());
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  MPI_Finalize();
  return status;
}
