// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

// Step 0 of docs/porting.md: Views in the build's default memory space, and
// MPI. The neighbors' columns next to my columns arrive packed, as messages.

#include <mpi.h>

#include <Kokkos_Core.hpp>
#include <cstdio>
#include <exception>
#include <utility>
#include <vector>

#include "jacobi.hpp"

namespace {

using Field = Kokkos::View<double**, Kokkos::LayoutRight>;

// Host memory that kernels can access, so that any MPI can read and write it.
using Message = Kokkos::View<double*, Kokkos::SharedHostPinnedSpace>;

// One side: my outermost column goes to rank `rank`, and that rank's column
// goes to my halo.
struct Side {
  Side(int the_rank, int the_column, int the_halo, int size)
      : rank(the_rank),
        column(the_column),
        halo(the_halo),
        outgoing("outgoing", size),
        incoming("incoming", size) {}

  int rank, column, halo;
  Message outgoing, incoming;
};

std::vector<Side> sides_of(jacobi::Slab const& slab) {
  std::vector<Side> sides;
  if (slab.has_left()) sides.emplace_back(slab.me - 1, 1, 0, slab.size);
  if (slab.has_right())
    sides.emplace_back(slab.me + 1, slab.own, slab.own + 1, slab.size);
  return sides;
}

void pack(Field const& u, int column, Message const& message) {
  Kokkos::parallel_for(
      "pack", message.extent(0),
      KOKKOS_LAMBDA(int i) { message(i) = u(i, column); });
}

void unpack(Message const& message, Field const& u, int halo) {
  Kokkos::parallel_for(
      "unpack", message.extent(0),
      KOKKOS_LAMBDA(int i) { u(i, halo) = message(i); });
}

void exchange_halo(Field const& u, std::vector<Side> const& sides) {
  for (Side const& side : sides) pack(u, side.column, side.outgoing);
  Kokkos::fence("packed, and the messages before unpacked");

  std::vector<MPI_Request> requests;
  requests.reserve(2 * sides.size());
  for (Side const& side : sides)
    MPI_Irecv(side.incoming.data(), static_cast<int>(side.incoming.size()),
              MPI_DOUBLE, side.rank, 0, MPI_COMM_WORLD,
              &requests.emplace_back());
  for (Side const& side : sides)
    MPI_Isend(side.outgoing.data(), static_cast<int>(side.outgoing.size()),
              MPI_DOUBLE, side.rank, 0, MPI_COMM_WORLD,
              &requests.emplace_back());
  MPI_Waitall(static_cast<int>(requests.size()), requests.data(),
              MPI_STATUSES_IGNORE);

  for (Side const& side : sides) unpack(side.incoming, u, side.halo);
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
  // My columns are 1 to own; the neighbors' are 0 and own + 1.
  Field u_old("u_old", slab.size, slab.own + 2);
  Field u_new("u_new", slab.size, slab.own + 2);
  auto const sides = sides_of(slab);

  jacobi::start(u_old, slab, 1);
  exchange_halo(u_old, sides);

  Kokkos::Timer timer;
  for (int step = 0; step < options.steps; ++step) {
    update(u_old, u_new, slab);
    exchange_halo(u_new, sides);
    std::swap(u_old, u_new);
  }
  Kokkos::fence("last step");
  return jacobi::report(options, slab, u_old, 1, timer.seconds());
}

}  // namespace

int main(int argc, char* argv[]) {
  MPI_Init(&argc, &argv);
  int status = 0;
  try {
    Kokkos::ScopeGuard const kokkos(argc, argv);
    status = jacobi::run("step0_mpi", argc, argv, solve);
  } catch (std::exception const& error) {
    std::fprintf(stderr, "step0_mpi: %s\n", error.what());
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  MPI_Finalize();
  return status;
}
