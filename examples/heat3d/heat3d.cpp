// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

// The 3-D heat equation with an exchange plan. Compare it with
// ../heat3d_mpi/heat3d_mpi.cpp, which does the same with MPI messages. The two
// differ in how they allocate memory and how they exchange the halo.

#include <Kokkos_Core.hpp>
#include <Kokkos_SymmetricContainers.hpp>
#include <cstddef>
#include <cstdio>
#include <heat3d_common/problem.hpp>
#include <heat3d_common/time_loop.hpp>
#include <utility>

namespace {

using Field =
    Kokkos::View<double***, Kokkos::LayoutRight, symm::SymmetricSpace>;
using Targets = symm::BoxTargets<double, 6>;  // for the faces

double sum_over_pes(double mine) {
  return symm::reduce(symm::team_world(), mine, symm::Sum{});
}
double max_over_pes(double mine) {
  return symm::reduce(symm::team_world(), mine, symm::Max{});
}

// The plan copies the outermost cells of the neighbors' boxes to my ghost
// cells. Collective.
symm::ExchangePlan plan_for(heat3d::Problem const& problem, Field const& u) {
  symm::BoxDecomposition box;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    auto const a           = static_cast<int>(axis);
    box.owned[axis]        = static_cast<std::size_t>(problem.own.extent(a));
    box.pe_grid[axis]      = problem.decomposition.pe_grid()[a];
    box.view_extents[axis] = u.extent(axis);
  }
  box.neighbors = symm::BoxDecomposition::Neighbors::faces;
  return symm::ExchangePlan::from_box(box);
}

// Sets my cells of `u`, as well as their copies on the neighbors, to value(i,
// j, k) in one kernel.
template <class Value>
void set_cells(Field const& u, Targets const& targets, heat3d::Cells const& own,
               Value const& value) {
  heat3d::for_each_row(
      "heat3d: set cells", own,
      KOKKOS_LAMBDA(heat3d::Team const& team, int i, int j) {
        Kokkos::parallel_for(
            Kokkos::TeamVectorRange(team, own.begin[2], own.end[2]),
            [&](int k) { u(i, j, k) = value(i, j, k); });
        for (auto const& target : targets) {
          if (!target.has_row(i, j)) continue;
          team.team_barrier();  // now the row is set
          Kokkos::parallel_for(
              Kokkos::TeamVectorRange(team, target.begin(2), target.end(2)),
              [&](int k) { target(i, j, k) = u(i, j, k); });
        }
      });
}

// Copies planes of `pe` to PE 0 with gets by PE 0. All PEs have finished their
// steps, because they have already added up their errors.
heat3d::Planes fetch_planes(Field const& u, int pe, int first, int count) {
  if (symm::my_pe() != 0) return {};
  auto const source = Kokkos::subview(u, std::pair(first, first + count),
                                      Kokkos::ALL, Kokkos::ALL);
  heat3d::Planes planes("planes", source.layout());
  symm::get(planes.data(), source.data(), planes.size(), pe);
  return planes;
}

heat3d::Solution solve(heat3d::Problem const& problem) {
  // Collective: every PE allocates enough for the largest box.
  Kokkos::DefaultExecutionSpace const exec;
  auto const extents = problem.decomposition.largest_view();
  Field u_old("u_old", heat3d::layout_of(extents));
  Field u_new("u_new", heat3d::layout_of(extents));
  auto plan = plan_for(problem, u_old);

  set_cells(u_old, plan.targets<6>(u_old), problem.own, problem.sine);
  plan.gather_stored(exec, u_old);

  // The host only enqueues. No PE waits for all others: a gather waits only for
  // the neighbors. The two Views alternate. A neighbor that is one step ahead
  // therefore stores to the ghosts of the View that is not being read.
  Kokkos::Timer timer;
  heat3d::make_steps(problem, exec, [&] {
    set_cells(u_new, plan.targets<6>(u_new), problem.own,
              heat3d::Update<Field>{u_old, problem.mode.stencil()});
    plan.gather_stored(exec, u_new);
    std::swap(u_old, u_new);
  });
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
    // A collective call fails on all PEs or on none, so no PE is waiting for
    // this one.
    std::fprintf(stderr, "heat3d: %s\n", error.what());
    return 1;
  }
}
