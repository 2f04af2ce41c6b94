// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

#ifndef SYMM_EXAMPLES_HYDRO2D_PROBLEM_HPP
#define SYMM_EXAMPLES_HYDRO2D_PROBLEM_HPP

#include <Kokkos_Core.hpp>
#include <common/progress.hpp>
#include <cstdint>
#include <hydro2d_common/fields.hpp>
#include <hydro2d_common/gas.hpp>
#include <hydro2d_common/grid.hpp>
#include <hydro2d_common/options.hpp>
#include <initializer_list>
#include <utility>
#include <vector>

namespace hydro2d {

/// The PEs of the job. sum() is collective, with the same result on every PE.
struct Pes {
  int me;
  int count;
  double (*sum)(double mine);
};

/// The input of a solver.
struct Problem {
  /// \throws UsageError on every PE if the options do not fit the number of
  ///         PEs.
  Problem(Options const& its_options, Pes const& its_pes);

  [[nodiscard]] examples::Progress progress() const;

  Options options;
  Pes pes;
  Grid grid;
  Cell cell;
};

/// Conserved quantities, and properties of this PE's cells.
struct Totals {
  double mass            = 0;
  double energy          = 0;  ///< including kinetic energy
  std::uint64_t checksum = 0;  ///< over all bits; independent of which PE has
                               ///< them
  double tube_error = 0;       ///< mean error of the density, for a tube
};

/// The output of a solver on this PE.
struct Solution {
  double seconds;  ///< for all time steps
  double time;     ///< simulated time
  Totals first;
  Totals last;
};

/// Initializes the density and energy of my cells and the velocities of my
/// nodes.
void start(Problem const& problem, Fields const& fields);

Totals totals_of(Problem const& problem, Fields const& fields, double time);

/// One time step. halo.exchange(selection) fills ghosts with values from other
/// PEs. halo.all_fastest(step) is the maximum of halo.fastest(step) over all
/// PEs, for the next kernels.
template <class Halo>
class Stepper {
 public:
  Stepper(Problem const& problem, Fields const& fields, Halo& halo)
      : m_problem(problem),
        m_fields(fields),
        m_halo(halo),
        m_before(with_walls({density, pressure, viscosity})),
        m_moved(with_walls({density1, energy1, velocity1_x, velocity1_y})),
        m_fluxes(with_walls({mass_flux_x, mass_flux_y})) {}

  void operator()(int step) {
    auto const& grid = m_problem.grid;
    auto const& cell = m_problem.cell;
    equation_of_state(m_fields, grid, cell, m_halo.fastest(step));
    auto const* fastest = m_halo.all_fastest(step);
    fill_ghosts(m_before);
    accelerate(m_fields, grid, cell, fastest);
    volume_fluxes(m_fields, grid, cell, fastest);
    compress(m_fields, grid, cell);
    fill_ghosts(m_moved);
    mass_fluxes(m_fields, grid);
    fill_ghosts(m_fluxes);
    pass_momentum_on(m_fields, grid, cell);
    pass_mass_on(m_fields, grid, cell);
  }

 private:
  struct Ghosts {
    Selection selection;
    std::vector<Wall> walls;
  };
  Ghosts with_walls(std::initializer_list<Name> names) const {
    auto selection = m_fields.select(names);
    auto walls     = walls_of(selection, m_problem.grid);
    return {std::move(selection), std::move(walls)};
  }
  void fill_ghosts(Ghosts const& ghosts) {
    m_halo.exchange(ghosts.selection);
    for (auto const& wall : ghosts.walls)
      for_each("hydro2d: wall", wall.ghosts, wall);
  }

  Problem const& m_problem;
  Fields const& m_fields;
  Halo& m_halo;
  Ghosts m_before, m_moved, m_fluxes;
};

/// Solves the problem with the halo exchange of one of the programs.
template <class Halo>
Solution solve_with(Problem const& problem, Fields const& fields, Halo& halo) {
  start(problem, fields);
  auto const first = totals_of(problem, fields, 0);
  Stepper<Halo> step(problem, fields, halo);
  int const steps = problem.options.steps;
  Kokkos::Timer timer;
  {
    auto progress = problem.progress();
    for (int n = 0; n < steps; ++n) {
      step(n);
      progress.step_done(n + 1);
    }
    Kokkos::fence("hydro2d: last step");
  }
  double const seconds = timer.seconds();
  double time          = 0;
  for (int n = 0; n < steps; ++n)
    time += problem.cell.time_step(halo.fastest_of_all(n));
  return {seconds, time, first, totals_of(problem, fields, time)};
}

/// A complete program: options, solver, report.
/// \returns the exit status: 0 only if everything went well on all PEs; 2 for
///          bad options, which PE 0 explains.
int run(int argc, char* argv[], Pes const& pes,
        Solution (*solve)(Problem const& problem));

}  // namespace hydro2d

#endif
