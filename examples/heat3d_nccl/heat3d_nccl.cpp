// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

// The 3-D heat equation with Kokkos Views and NCCL messages. Compare it with
// ../heat3d/heat3d.cpp, which does the same with Views in the symmetric space,
// and ../heat3d_mpi/heat3d_mpi.cpp, which uses MPI messages. The three differ
// in how they allocate memory and how they exchange the halo. Here, as in
// heat3d, the host only enqueues.

#include <mpi.h>
#include <nccl.h>

#include <Kokkos_Core.hpp>
#include <cstddef>
#include <cstdio>
#include <exception>
#include <heat3d_common/problem.hpp>
#include <heat3d_common/time_loop.hpp>
#include <nccl_common/communicator.hpp>
#include <nccl_common/ranks.hpp>
#include <string>
#include <utility>
#include <vector>

namespace {

using examples::check_nccl;
using examples::Communicator;
using heat3d::Cells;
using heat3d::Face;

using Field = Kokkos::View<double***, Kokkos::LayoutRight>;

// One layer per face, packed one after another.
class Packed {
 public:
  Packed(std::string const& label, std::vector<Face> const& faces,
         Cells Face::*layer, Field const& like) {
    std::vector<int> cells;
    for (auto const& face : faces) {
      auto const& [begin, end] = face.*layer;
      m_first.push_back(cells.size());
      for (int i = begin[0]; i < end[0]; ++i)
        for (int j = begin[1]; j < end[1]; ++j)
          for (int k = begin[2]; k < end[2]; ++k)
            cells.push_back((i * like.extent_int(1) + j) * like.extent_int(2) +
                            k);
    }
    m_first.push_back(cells.size());
    cell   = Kokkos::View<int*>(label + ", cells", cells.size());
    buffer = Kokkos::View<double*>(label, cells.size());
    Kokkos::deep_copy(
        cell, Kokkos::View<int*, Kokkos::HostSpace, Kokkos::MemoryUnmanaged>(
                  cells.data(), cells.size()));
  }

  // The layer of a face.
  double* data(std::size_t face) const { return buffer.data() + m_first[face]; }
  std::size_t size(std::size_t face) const {
    return m_first[face + 1] - m_first[face];
  }

  Kokkos::View<int*> cell;  // each element's place in a Field
  Kokkos::View<double*> buffer;

 private:
  std::vector<std::size_t> m_first;
};

// The layers that are sent to and received from all neighbors.
struct Halo {
  Halo(std::vector<Face> const& all_faces, Field const& like)
      : faces(all_faces),
        outgoing("outgoing", faces, &Face::cells, like),
        incoming("incoming", faces, &Face::ghosts, like) {}

  std::vector<Face> faces;
  Packed outgoing;
  Packed incoming;
};

void pack(Field const& u, Packed const& layers) {
  auto const cell   = layers.cell;
  auto const buffer = layers.buffer;
  Kokkos::parallel_for(
      "heat3d: pack", buffer.extent(0),
      KOKKOS_LAMBDA(std::size_t n) { buffer(n) = u.data()[cell(n)]; });
}

void unpack(Packed const& layers, Field const& u) {
  auto const cell   = layers.cell;
  auto const buffer = layers.buffer;
  Kokkos::parallel_for(
      "heat3d: unpack", buffer.extent(0),
      KOKKOS_LAMBDA(std::size_t n) { u.data()[cell(n)] = buffer(n); });
}

// Fills the ghost layers of `u` with the neighbors' outermost own layers.
void exchange_halo(Kokkos::Cuda const& exec, Field const& u, Halo const& halo,
                   Communicator const& nccl) {
  pack(u, halo.outgoing);
  check_nccl(ncclGroupStart(), "ncclGroupStart");
  for (std::size_t n = 0; n < halo.faces.size(); ++n) {
    check_nccl(ncclRecv(halo.incoming.data(n), halo.incoming.size(n),
                        ncclDouble, halo.faces[n].pe, nccl, exec.cuda_stream()),
               "ncclRecv");
    check_nccl(ncclSend(halo.outgoing.data(n), halo.outgoing.size(n),
                        ncclDouble, halo.faces[n].pe, nccl, exec.cuda_stream()),
               "ncclSend");
  }
  check_nccl(ncclGroupEnd(), "ncclGroupEnd");
  unpack(halo.incoming, u);
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
  Kokkos::DefaultExecutionSpace const exec;
  Communicator const nccl;
  auto const extents = problem.decomposition.view_of(problem.pes.me);
  Field u_old("u_old", heat3d::layout_of(extents));
  Field u_new("u_new", heat3d::layout_of(extents));
  Halo const halo(problem.faces, u_old);

  heat3d::set_cells(u_old, problem.own, problem.sine);
  exchange_halo(exec, u_old, halo, nccl);
  exec.fence("heat3d: start");  // by now, NCCL has connected the neighbors

  Kokkos::Timer timer;
  auto const step = [&] {
    heat3d::set_cells(u_new, problem.own,
                      heat3d::Update<Field>{u_old, problem.mode.stencil()});
    exchange_halo(exec, u_new, halo, nccl);
    std::swap(u_old, u_new);
  };
  heat3d::make_steps(problem, exec, step);
  exec.fence("heat3d: last step");

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
    status = heat3d::run(argc, argv,
                         {examples::my_rank(), examples::rank_count(),
                          examples::sum_over_ranks, examples::max_over_ranks},
                         solve);
  } catch (std::exception const& error) {
    // This rank may be the only one that is out of memory; the others would
    // wait for it.
    std::fprintf(stderr, "heat3d_nccl: %s\n", error.what());
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  MPI_Finalize();
  return status;
}
