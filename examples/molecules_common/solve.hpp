// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

#ifndef SYMM_EXAMPLES_MOLECULES_SOLVE_HPP
#define SYMM_EXAMPLES_MOLECULES_SOLVE_HPP

#include <Kokkos_Core.hpp>
#include <cstdint>
#include <molecules_common/problem.hpp>
#include <string>
#include <utility>

namespace molecules {

/// A PE's atoms and their neighbor list. `Exchange` communicates with other
/// PEs:
///
///     Exchange(boxes, me);
///     // Atom i goes to PE owners(i).
///     migrate(exec, owners, atoms);
///     // Sets n_ghosts, and the positions of the ghosts.
///     make_ghosts(exec, exports, atoms);
///     gather(exec, atoms);   // positions of ghosts
///     scatter(exec, atoms);  // adds kicks of ghosts to those of their owners
template <class Exchange>
class Simulation {
 public:
  explicit Simulation(Problem const& problem)
      : m_problem(problem),
        m_exchange(problem.boxes, problem.pes.me),
        m_lower(problem.boxes.lower(problem.pes.me)),
        m_upper(problem.boxes.upper(problem.pes.me)),
        m_directions(on_device(problem.boxes.exports_of(problem.pes.me))),
        m_bins(m_lower, m_upper, problem.range) {
    auto const& cells = problem.options.cells;
    fill(m_atoms, {cells[0], cells[1], cells[2]}, lattice_side, problem.boxes,
         problem.pes.me);
    make_lists();
    kick();
  }

  void step(int number) {
    move(m_exec, m_atoms, m_problem.options.dt);
    if (number % m_problem.options.rebuild_every == 0) {
      expect_slow_atoms(number);
      make_lists();
    } else {
      m_exchange.gather(m_exec, m_atoms);
    }
    kick();
    finish_velocities(m_exec, m_atoms);
  }

  /// Checks that the neighbor list contained all pairs within the cutoff.
  /// Collective.
  /// \throws FastAtoms on every PE if the list lacked a pair.
  void expect_slow_atoms(int step) const {
    auto const& options = m_problem.options;
    auto n_fast         = static_cast<std::uint64_t>(
        n_far_from(m_listed_at, m_atoms, options.skin / 2));
    m_problem.pes.sum(&n_fast, 1);
    if (n_fast != 0)
      throw FastAtoms(std::to_string(n_fast) +
                      " atoms moved by more than half the skin by step " +
                      std::to_string(step) +
                      "; use a smaller --rebuild-every or a larger --skin");
  }

  Totals totals() const { return totals_of(m_atoms, m_list, m_problem.boxes); }

 private:
  void make_lists() {
    if (m_owners.extent_int(0) < m_atoms.n_owned)
      Kokkos::realloc(m_owners, m_atoms.x.extent(0));
    wrap(m_exec, m_atoms, m_problem.boxes, m_owners);
    m_exchange.migrate(m_exec,
                       Kokkos::subview(m_owners, std::pair(0, m_atoms.n_owned)),
                       m_atoms);
    find_exports(m_exports, m_atoms, m_directions, m_lower, m_upper,
                 m_problem.range);
    m_exchange.make_ghosts(m_exec, m_exports, m_atoms);
    build(m_list, m_bins, m_atoms, m_problem.range);

    if (m_listed_at.extent_int(0) < m_atoms.n_owned)
      Kokkos::realloc(m_listed_at, m_atoms.x.extent(0));
    auto const owned = std::pair(0, m_atoms.n_owned);
    Kokkos::deep_copy(m_exec, Kokkos::subview(m_listed_at, owned, Kokkos::ALL),
                      Kokkos::subview(m_atoms.x, owned, Kokkos::ALL));
  }
  void kick() {
    compute_kicks(m_exec, m_atoms, m_list, m_problem.options.dt);
    m_exchange.scatter(m_exec, m_atoms);
  }

  Problem const& m_problem;
  Exec m_exec;
  Exchange m_exchange;
  Vector m_lower;
  Vector m_upper;
  Kokkos::View<Direction const*> m_directions;
  Atoms m_atoms;
  Exports m_exports;
  Bins m_bins;
  NeighborList m_list;
  Kokkos::View<int*> m_owners{"owners", 0};
  Vectors m_listed_at{"positions at the last list", 0};
};

template <class Exchange>
Solution solve(Problem const& problem) {
  Simulation<Exchange> simulation(problem);
  auto const first = simulation.totals();
  int const steps  = problem.options.steps;
  Kokkos::Timer timer;
  {
    auto progress = problem.progress();
    for (int n = 1; n <= steps; ++n) {
      simulation.step(n);
      progress.step_done(n);
    }
    Kokkos::fence("molecules: last step");
  }
  double const seconds = timer.seconds();
  simulation.expect_slow_atoms(steps);
  return {seconds, first, simulation.totals()};
}

}  // namespace molecules

#endif
