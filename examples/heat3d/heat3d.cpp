// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

// The 3-D heat equation with Views in the symmetric space, to be read beside
// ../heat3d_mpi/heat3d_mpi.cpp, which does the same with MPI messages. The two
// differ in how they allocate and how they exchange the halo.

#include <Kokkos_Core.hpp>
#include <Kokkos_SymmetricSpace.hpp>
#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <heat3d_common/problem.hpp>
#include <heat3d_common/time_loop.hpp>
#include <utility>

namespace {

using heat3d::Team;
using heat3d::Triple;

using Field =
    Kokkos::View<double***, Kokkos::LayoutRight, symm::SymmetricSpace>;

double sum_over_pes(double mine) {
  return symm::reduce(symm::team_world(), mine, symm::Sum{});
}
double max_over_pes(double mine) {
  return symm::reduce(symm::team_world(), mine, symm::Max{});
}

// Sets my cells of `u` to value(i, j, k), and the neighbours' ghost cells that
// are copies of mine, in one kernel: those of neighbours on this node, which
// stores reach.
template <class Value>
void set_cells(Field const& u, heat3d::Problem const& problem,
               Value const& value) {
  auto const everywhere = symm::global_view(u);
  auto const own        = problem.own;
  heat3d::Faces const faces(problem.faces, symm::is_near);
  heat3d::for_each_row(
      "heat3d: set cells", own, KOKKOS_LAMBDA(Team const& team, int i, int j) {
        Kokkos::parallel_for(
            Kokkos::TeamVectorRange(team, own.begin[2], own.end[2]),
            [&](int k) { u(i, j, k) = value(i, j, k); });
        for (auto const& face : faces) {
          if (!face.cells.has_row(i, j)) continue;
          team.team_barrier();  // the row is set
          Triple const shift = face.shift;
          Kokkos::parallel_for(
              Kokkos::TeamVectorRange(team, face.cells.begin[2],
                                      face.cells.end[2]),
              [&](int k) {
                everywhere(face.pe, i + shift[0], j + shift[1], k + shift[2]) =
                    u(i, j, k);
              });
        }
      });
}

// The part of `u` that `cells` are, moved by `shift`.
auto part_of(Field const& u, heat3d::Cells const& cells, Triple const& shift) {
  auto const along = [&](int axis) {
    return std::pair(cells.begin[axis] + shift[axis],
                     cells.end[axis] + shift[axis]);
  };
  return Kokkos::subview(u, along(0), along(1), along(2));
}

bool has_far_neighbours(heat3d::Problem const& problem) {
  return std::any_of(problem.faces.begin(), problem.faces.end(),
                     [](auto const& face) { return !symm::is_near(face.pe); });
}

// Copies my cells to the ghost cells of neighbours on other nodes, to which
// only messages go.
void copy_to_far_ghosts(Field const& u, heat3d::Problem const& problem) {
  for (auto const& [pe, cells, ghosts, shift] : problem.faces)
    if (!symm::is_near(pe))
      Kokkos::deep_copy(symm::remote_view(part_of(u, cells, shift)).peer(pe),
                        part_of(u, cells, {0, 0, 0}));
}

// Planes of `pe`, on PE 0, which gets them itself.
heat3d::Planes fetch_planes(Field const& u, int pe, int first, int count) {
  if (symm::my_pe() != 0) return {};
  auto const source = Kokkos::subview(u, std::pair(first, first + count),
                                      Kokkos::ALL, Kokkos::ALL);
  heat3d::Planes planes("planes", source.layout());
  symm::get(planes.data(), source.data(), planes.size(), pe);
  return planes;
}

heat3d::Solution solve(heat3d::Problem const& problem) {
  // Collective: every PE allocates room for the largest box.
  Kokkos::DefaultExecutionSpace const exec;
  auto const extents = problem.decomposition.largest_view();
  Field u_old("u_old", heat3d::layout_of(extents));
  Field u_new("u_new", heat3d::layout_of(extents));

  set_cells(u_old, problem, problem.sine);
  copy_to_far_ghosts(u_old, problem);
  symm::barrier(exec, symm::team_world());

  // The host only enqueues: kernels and barriers follow each other in `exec`.
  //
  // One barrier a step is enough. Step n reads only u_old and writes, here and
  // at the neighbours, only u_new; a PE leaves the barrier of step n when all
  // PEs have finished it. So
  // - what step n + 1 reads, the ghost layers of its u_old, was written by
  //   step n, before the barrier;
  // - what step n + 1 overwrites, its u_new, was last read by step n as u_old,
  //   before the barrier. A neighbour can be ahead by one step, not by two: it
  //   waits in the barrier of step n + 1, while this PE reads the other View.
  // With a single View, a fast neighbour would overwrite ghosts still in use.
  Kokkos::Timer timer;
  auto const step = [&] {
    set_cells(u_new, problem,
              heat3d::Update<Field>{u_old, problem.mode.stencil()});
    copy_to_far_ghosts(u_new, problem);
    symm::barrier(exec, symm::team_world());
    std::swap(u_old, u_new);
  };
  heat3d::make_steps(problem, exec, step, !has_far_neighbours(problem));
  exec.fence("heat3d: last step");

  return heat3d::solution(problem, u_old, timer.seconds(),
                          [u_old](int pe, int first, int count) {
                            return fetch_planes(u_old, pe, first, count);
                          });
}

}  // namespace

int main(int argc, char* argv[]) {
  try {
    symm::ScopeGuard const guard(argc, argv);
    return heat3d::run(
        argc, argv, {symm::my_pe(), symm::n_pes(), sum_over_pes, max_over_pes},
        solve);
  } catch (symm::Error const& error) {
    // A collective call fails on all PEs or on none: nobody waits for this one.
    std::fprintf(stderr, "heat3d: %s\n", error.what());
    return 1;
  }
}
