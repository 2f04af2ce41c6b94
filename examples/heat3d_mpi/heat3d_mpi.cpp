// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

// The 3-D heat equation with Kokkos Views and MPI messages. Compare it with
// ../heat3d/heat3d.cpp, which does the same with Views in the symmetric space.
// The two differ in how they allocate memory and how they exchange the halo.

#include <mpi.h>

#include <Kokkos_Core.hpp>
#include <cstdio>
#include <exception>
#include <heat3d_common/problem.hpp>
#include <string>
#include <utility>
#include <vector>

namespace {

using heat3d::Cells;
using heat3d::Face;
using heat3d::Triple;

using Field = Kokkos::View<double***, Kokkos::LayoutRight>;

// Host memory that kernels can access, so that any MPI can read and write it.
// (With a GPU-aware MPI, a Field would suffice.)
using Message =
    Kokkos::View<double***, Kokkos::LayoutRight, Kokkos::SharedHostPinnedSpace>;

double sum_over_ranks(double mine) {
  double sum = 0;
  MPI_Allreduce(&mine, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  return sum;
}

double max_over_ranks(double mine) {
  double max = 0;
  MPI_Allreduce(&mine, &max, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  return max;
}

heat3d::Pes all_ranks() {
  int rank    = 0;
  int n_ranks = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &n_ranks);
  return {rank, n_ranks, sum_over_ranks, max_over_ranks};
}

// The layers that are sent to and received from one neighbor. They are packed
// because MPI sends contiguous memory, whereas a layer of cells is scattered
// over the View.
struct Messages {
  explicit Messages(Face const& the_face)
      : face(the_face),
        outgoing(allocate("outgoing", face.cells)),
        incoming(allocate("incoming", face.ghosts)) {}

  static Message allocate(std::string const& label, Cells const& layer) {
    return Message(Kokkos::view_alloc(label, Kokkos::WithoutInitializing),
                   heat3d::layout_of(layer.extents()));
  }

  Face face;
  Message outgoing;
  Message incoming;
};

void pack(Field const& u, Cells const& layer, Message const& message) {
  Triple const first = layer.begin;
  heat3d::for_each_cell(
      "heat3d: pack", layer, KOKKOS_LAMBDA(int i, int j, int k) {
        message(i - first[0], j - first[1], k - first[2]) = u(i, j, k);
      });
}

void unpack(Message const& message, Cells const& layer, Field const& u) {
  Triple const first = layer.begin;
  heat3d::for_each_cell(
      "heat3d: unpack", layer, KOKKOS_LAMBDA(int i, int j, int k) {
        u(i, j, k) = message(i - first[0], j - first[1], k - first[2]);
      });
}

// Fills the ghost layers of `u` with the neighbors' outermost own layers.
void exchange_halo(Field const& u, std::vector<Messages> const& all_messages) {
  std::vector<MPI_Request> requests;
  requests.reserve(2 * all_messages.size());

  for (auto const& [face, outgoing, incoming] : all_messages)
    pack(u, face.cells, outgoing);
  Kokkos::fence("heat3d: packed, and the messages before unpacked");

  // Two ranks share at most one face, so a single tag is enough for all
  // messages.
  for (auto const& [face, outgoing, incoming] : all_messages)
    MPI_Irecv(incoming.data(), static_cast<int>(incoming.size()), MPI_DOUBLE,
              face.pe, 0, MPI_COMM_WORLD, &requests.emplace_back());
  for (auto const& [face, outgoing, incoming] : all_messages)
    MPI_Isend(outgoing.data(), static_cast<int>(outgoing.size()), MPI_DOUBLE,
              face.pe, 0, MPI_COMM_WORLD, &requests.emplace_back());
  MPI_Waitall(static_cast<int>(requests.size()), requests.data(),
              MPI_STATUSES_IGNORE);

  for (auto const& [face, outgoing, incoming] : all_messages)
    unpack(incoming, face.ghosts, u);
}

// Copies planes of `rank` to rank 0; the owner of the planes sends them.
heat3d::Planes fetch_planes(heat3d::Problem const& problem, Field const& u,
                            int rank, int first, int count) {
  int const me = problem.pes.me;
  if (me != rank && me != 0) return {};
  auto const extents = problem.decomposition.view_of(rank);
  heat3d::Planes planes("planes",
                        heat3d::layout_of({count, extents[1], extents[2]}));

  if (me == rank)
    Kokkos::deep_copy(
        planes, Kokkos::subview(u, std::pair(first, first + count), Kokkos::ALL,
                                Kokkos::ALL));
  if (rank == 0) return planes;

  auto const size = static_cast<int>(planes.size());
  if (me == rank)
    MPI_Send(planes.data(), size, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD);
  if (me == 0)
    MPI_Recv(planes.data(), size, MPI_DOUBLE, rank, 0, MPI_COMM_WORLD,
             MPI_STATUS_IGNORE);
  return planes;
}

heat3d::Solution solve(heat3d::Problem const& problem) {
  auto const extents = problem.decomposition.view_of(problem.pes.me);
  Field u_old("u_old", heat3d::layout_of(extents));
  Field u_new("u_new", heat3d::layout_of(extents));
  std::vector<Messages> const messages(problem.faces.begin(),
                                       problem.faces.end());

  heat3d::set_cells(u_old, problem.own, problem.sine);
  exchange_halo(u_old, messages);

  Kokkos::Timer timer;
  {
    auto progress = problem.progress();
    for (int step = 1; step <= problem.options.steps; ++step) {
      heat3d::set_cells(u_new, problem.own,
                        heat3d::Update<Field>{u_old, problem.mode.stencil()});
      exchange_halo(u_new, messages);
      std::swap(u_old, u_new);
      progress.step_done(step);
    }
    Kokkos::fence("heat3d: last step");
  }

  return heat3d::solution(problem, u_old, timer.seconds(),
                          [&problem, u_old](int rank, int first, int count) {
                            return fetch_planes(problem, u_old, rank, first,
                                                count);
                          });
}

}  // namespace

int main(int argc, char* argv[]) {
  MPI_Init(&argc, &argv);
  int status = 0;
  try {
    Kokkos::ScopeGuard const kokkos(argc, argv);
    status = heat3d::run(argc, argv, all_ranks(), solve);
  } catch (std::exception const& error) {
    // This rank may be the only one that is out of memory; the others would
    // wait for it.
    std::fprintf(stderr, "heat3d_mpi: %s\n", error.what());
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  MPI_Finalize();
  return status;
}
