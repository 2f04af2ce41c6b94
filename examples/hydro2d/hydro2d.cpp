// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

// A gas on a staggered grid. Compare it with ../hydro2d_mpi/hydro2d_mpi.cpp,
// which does the same with MPI messages. The two differ in how they fill the
// ghosts of the fields that each part of a time step needs.

#include <Kokkos_Core.hpp>
#include <Kokkos_SymmetricContainers.hpp>
#include <cstddef>
#include <cstdio>
#include <hydro2d_common/problem.hpp>
#include <vector>

namespace {

double sum_over_pes(double mine) {
  return symm::reduce(symm::team_world(), mine, symm::Sum{});
}

// A plan for the fields of one centering. Points on the boundary between two
// PEs need not be sent, because both PEs compute them. Collective.
symm::ExchangePlan plan_for(hydro2d::Grid const& grid,
                            hydro2d::Centering centering) {
  symm::GridBoxes boxes;
  symm::GridBoxes::Box own;
  for (std::size_t axis = 0; axis < 2; ++axis) {
    int const more    = hydro2d::more_points(centering, axis);
    own.first[axis]   = grid.first[axis];
    own.extents[axis] = static_cast<std::size_t>(grid.owned[axis] + more);
    boxes.grid[axis]  = static_cast<std::size_t>(grid.size[axis] + more);
  }
  boxes.boxes         = {own};
  boxes.has_box_index = false;
  boxes.shares_points = false;
  return symm::ExchangePlan::from_boxes(boxes);
}

symm::ExchangePlan plan_for_all(hydro2d::Grid const& grid) {
  std::vector<symm::ExchangePlan> plans;
  for (std::size_t c = 0; c < hydro2d::n_centerings; ++c)
    plans.push_back(plan_for(grid, static_cast<hydro2d::Centering>(c)));
  return symm::ExchangePlan::joined({plans.begin(), plans.end()});
}

class Halo {
 public:
  explicit Halo(hydro2d::Problem const& problem)
      : m_plan(plan_for_all(problem.grid)),
        m_fastest("fastest", static_cast<std::size_t>(problem.options.steps)),
        m_of_all("fastest of all", m_fastest.extent(0)) {}

  // Sends one block to each neighbor, regardless of the selected fields.
  void exchange(hydro2d::Selection const& selection) {
    auto const& [cells, x_faces, y_faces, nodes] = selection.fields;
    m_plan.gather(m_exec, symm::of_plan(0, cells), symm::of_plan(1, x_faces),
                  symm::of_plan(2, y_faces), symm::of_plan(3, nodes));
  }

  double* fastest(int step) const { return m_fastest.data() + step; }
  double const* all_fastest(int step) const {
    symm::reduce(m_exec, symm::team_world(), m_of_all.data() + step,
                 m_fastest.data() + step, 1, symm::Max{});
    return m_of_all.data() + step;
  }
  double fastest_of_all(int step) const {
    double fastest = 0;
    Kokkos::deep_copy(fastest, Kokkos::subview(m_of_all, step));
    return fastest;
  }

 private:
  Kokkos::DefaultExecutionSpace m_exec;
  symm::ExchangePlan m_plan;
  Kokkos::View<double*, symm::SymmetricSpace> m_fastest, m_of_all;  // indexed
                                                                    // by step
};

hydro2d::Solution solve(hydro2d::Problem const& problem) {
  hydro2d::Fields const fields(problem.grid.owned);
  Halo halo(problem);
  return hydro2d::solve_with(problem, fields, halo);
}

}  // namespace

int main(int argc, char* argv[]) {
  try {
    symm::ScopeGuard const guard(argc, argv);
    return hydro2d::run(argc, argv,
                        {symm::my_pe(), symm::n_pes(), sum_over_pes}, solve);
  } catch (symm::Error const& error) {
    // A collective call fails on all PEs or on none, so no PE is waiting for
    // this one.
    std::fprintf(stderr, "hydro2d: %s\n", error.what());
    return 1;
  }
}
