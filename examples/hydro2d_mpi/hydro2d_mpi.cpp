// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

// A gas on a staggered grid, with Kokkos Views and MPI messages. Compare it
// with ../hydro2d/hydro2d.cpp, which does the same with a plan. The two differ
// in how they fill the ghosts of the fields that each part of a time step
// needs.

#include <mpi.h>

#include <Kokkos_Core.hpp>
#include <array>
#include <cstddef>
#include <cstdio>
#include <exception>
#include <hydro2d_common/problem.hpp>
#include <vector>

namespace {

using hydro2d::Centering;
using hydro2d::Field;
using hydro2d::Points;
using hydro2d::Selection;
using hydro2d::width;

// Host memory that kernels can access, so that any MPI can read and write it.
using Message = Kokkos::View<double*, Kokkos::SharedHostPinnedSpace>;

double sum_over_ranks(double mine) {
  double sum = 0;
  MPI_Allreduce(&mine, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  return sum;
}

hydro2d::Pes all_ranks() {
  int rank    = 0;
  int n_ranks = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &n_ranks);
  return {rank, n_ranks, sum_over_ranks};
}

int n_points(Points const& points) {
  return (points.end[0] - points.begin[0]) * (points.end[1] - points.begin[1]);
}

// The points that are sent to a neighbor, or the ghosts that the neighbor
// fills. Points on the boundary between two ranks are not sent, because both
// ranks compute them.
Points part(hydro2d::Grid const& grid, Centering centering,
            hydro2d::Pair const& towards, bool is_ghosts) {
  auto points = hydro2d::own_points(grid, centering);
  for (std::size_t axis = 0; axis < 2; ++axis) {
    int const more = hydro2d::more_points(centering, axis);
    auto &begin = points.begin[axis], &end = points.end[axis];
    if (towards[axis] > 0) {
      begin = is_ghosts ? end : end - more - width;
      end   = begin + width;
    } else if (towards[axis] < 0) {
      begin = is_ghosts ? 0 : width + more;
      end   = begin + width;
    }
  }
  return points;
}

// The data that are sent to and received from a neighbor: the fields of a
// selection, one after another.
struct Neighbor {
  int rank;
  int tag_sent, tag_received;  // the direction as seen by the receiver
  std::array<Points, hydro2d::n_centerings> sent, ghosts;
  Message outgoing, incoming;
};

std::vector<Neighbor> neighbors_of(hydro2d::Grid const& grid) {
  std::vector<Neighbor> neighbors;
  for (int n = 0; n < 9; ++n) {
    hydro2d::Pair const towards{n / 3 - 1, n % 3 - 1};
    int const rank = grid.neighbor(towards[0], towards[1]);
    if (n == 4 || rank < 0) continue;
    Neighbor neighbor{rank, 8 - n, n, {}, {}, {}, {}};
    int out = 0, in = 0;
    for (std::size_t c = 0; c < hydro2d::n_centerings; ++c) {
      auto const centering = static_cast<Centering>(c);
      neighbor.sent[c]     = part(grid, centering, towards, false);
      neighbor.ghosts[c]   = part(grid, centering, towards, true);
      out += static_cast<int>(hydro2d::n_fields) * n_points(neighbor.sent[c]);
      in += static_cast<int>(hydro2d::n_fields) * n_points(neighbor.ghosts[c]);
    }
    neighbor.outgoing = Message("outgoing", static_cast<std::size_t>(out));
    neighbor.incoming = Message("incoming", static_cast<std::size_t>(in));
    neighbors.push_back(neighbor);
  }
  return neighbors;
}

void pack(Field const& field, Points const& points, double* message) {
  int const i0 = points.begin[0], j0 = points.begin[1],
            columns = points.end[1] - j0;
  hydro2d::for_each(
      "hydro2d: pack", points, KOKKOS_LAMBDA(int i, int j) {
        message[(i - i0) * columns + j - j0] = field(i, j);
      });
}

void unpack(double const* message, Points const& points, Field const& field) {
  int const i0 = points.begin[0], j0 = points.begin[1],
            columns = points.end[1] - j0;
  hydro2d::for_each(
      "hydro2d: unpack", points, KOKKOS_LAMBDA(int i, int j) {
        field(i, j) = message[(i - i0) * columns + j - j0];
      });
}

class Halo {
 public:
  explicit Halo(hydro2d::Problem const& problem)
      : m_neighbors(neighbors_of(problem.grid)),
        m_requests(2 * m_neighbors.size()),
        m_fastest("fastest", static_cast<std::size_t>(problem.options.steps)),
        m_of_all("fastest of all", m_fastest.extent(0)) {}

  // Sends one message with all selected fields to each neighbor.
  void exchange(Selection const& selection) {
    auto* request = m_requests.data();
    for (auto const& neighbor : m_neighbors)
      MPI_Irecv(neighbor.incoming.data(), size_of(selection, neighbor.ghosts),
                MPI_DOUBLE, neighbor.rank, neighbor.tag_received,
                MPI_COMM_WORLD, request++);
    for (auto const& neighbor : m_neighbors) {
      auto* to = neighbor.outgoing.data();
      for_fields(selection, neighbor.sent,
                 [&to](Field const& field, Points const& points) {
                   pack(field, points, to);
                   to += n_points(points);
                 });
    }
    Kokkos::fence("hydro2d: packed");
    for (auto const& neighbor : m_neighbors)
      MPI_Isend(neighbor.outgoing.data(), size_of(selection, neighbor.sent),
                MPI_DOUBLE, neighbor.rank, neighbor.tag_sent, MPI_COMM_WORLD,
                request++);
    MPI_Waitall(static_cast<int>(m_requests.size()), m_requests.data(),
                MPI_STATUSES_IGNORE);
    for (auto const& neighbor : m_neighbors) {
      auto const* from = neighbor.incoming.data();
      for_fields(selection, neighbor.ghosts,
                 [&from](Field const& field, Points const& points) {
                   unpack(from, points, field);
                   from += n_points(points);
                 });
    }
    Kokkos::fence("hydro2d: unpacked");
  }

  double* fastest(int step) const { return m_fastest.data() + step; }
  double const* all_fastest(int step) const {
    Kokkos::fence("hydro2d: fastest");
    MPI_Allreduce(m_fastest.data() + step, m_of_all.data() + step, 1,
                  MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    return m_of_all.data() + step;
  }
  double fastest_of_all(int step) const { return m_of_all(step); }

 private:
  using Parts = std::array<Points, hydro2d::n_centerings>;

  template <class Use>
  static void for_fields(Selection const& selection, Parts const& parts,
                         Use const& use) {
    for (std::size_t c = 0; c < hydro2d::n_centerings; ++c)
      for (auto const& field : selection.fields[c]) use(field, parts[c]);
  }
  static int size_of(Selection const& selection, Parts const& parts) {
    int size = 0;
    for (std::size_t c = 0; c < hydro2d::n_centerings; ++c)
      size += static_cast<int>(selection.fields[c].size()) * n_points(parts[c]);
    return size;
  }

  std::vector<Neighbor> m_neighbors;
  std::vector<MPI_Request> m_requests;
  Message m_fastest, m_of_all;  // indexed by step
};

hydro2d::Solution solve(hydro2d::Problem const& problem) {
  hydro2d::Fields const fields(problem.grid.owned);
  Halo halo(problem);
  return hydro2d::solve_with(problem, fields, halo);
}

}  // namespace

int main(int argc, char* argv[]) {
  MPI_Init(&argc, &argv);
  int status = 0;
  try {
    Kokkos::ScopeGuard const kokkos(argc, argv);
    status = hydro2d::run(argc, argv, all_ranks(), solve);
  } catch (std::exception const& error) {
    // This rank may be the only one that is out of memory; the others would
    // wait for it.
    std::fprintf(stderr, "hydro2d_mpi: %s\n", error.what());
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  MPI_Finalize();
  return status;
}
