// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

#include <algorithm>
#include <cinttypes>
#include <cmath>
#include <common/step_time.hpp>
#include <cstdio>
#include <filesystem>
#include <iostream>
#include <molecules_common/problem.hpp>
#include <string>

namespace molecules {
namespace {

/// The largest allowed change in the energy per atom from the initial value.
constexpr double energy_tolerance = 0.003;

Vector length_of(Options const& options) {
  auto const& n = options.cells;
  return {n[0] * lattice_side, n[1] * lattice_side, n[2] * lattice_side};
}

Triple pe_grid_of(Options const& options, double range, int n_pes) {
  auto const length = length_of(options);
  if (!options.pe_grid) return choose_pe_grid(length, range, n_pes);
  auto const& given = *options.pe_grid;
  if (1.0 * given[0] * given[1] * given[2] != n_pes)
    throw UsageError("--pe-grid " + to_string(given) +
                     " does not match the number of PEs, " +
                     std::to_string(n_pes));
  Triple const grid = {given[0], given[1], given[2]};
  for (int axis = 0; axis < 3; ++axis)
    if (length[axis] / grid[axis] < range)
      throw UsageError(
          "--pe-grid " + to_string(given) + " makes boxes of length " +
          std::to_string(length[axis] / grid[axis]) +
          ", but they must be at least as long as cutoff plus skin, " +
          std::to_string(range));
  return grid;
}

void announce(std::string const& program, Problem const& problem) {
  auto const& options = problem.options;
  std::printf("%s: %.0f atoms, %d steps of %.3g, %d PE%s as %s\n",
              program.c_str(), problem.n_atoms(), options.steps, options.dt,
              problem.pes.count, problem.pes.count == 1 ? "" : "s",
              to_string(problem.boxes.pe_grid()).c_str());
  std::fflush(stdout);
}

double energy_of_atom(Totals const& totals, Problem const& problem) {
  return static_cast<double>(
             static_cast<std::int64_t>(totals.words[Totals::energy])) *
         0x1p-32 / problem.n_atoms();
}

/// Collective. Prints the report on PE 0. Returns, on every PE, whether the
/// result is correct.
bool report(Problem const& problem, Solution const& solution) {
  auto const& options = problem.options;
  auto const first    = problem.over_pes(solution.first);
  auto const last     = problem.over_pes(solution.last);

  bool const has_all =
      static_cast<double>(last.words[Totals::atoms]) == problem.n_atoms();
  bool const is_at_rest = std::all_of(
      last.words + Totals::momentum, last.words + Totals::momentum + 3,
      [](std::uint64_t word) { return word == 0; });
  double const energy = energy_of_atom(last, problem);
  double const drift  = energy - energy_of_atom(first, problem);
  bool const is_kept  = std::abs(drift) <= energy_tolerance;
  bool const is_right = has_all && is_at_rest && is_kept;

  if (problem.pes.me == 0 && !(options.quiet && is_right)) {
    std::printf(
        "%s, %.2f million atoms/s\n",
        examples::step_time_text(solution.seconds, options.steps).c_str(),
        problem.n_atoms() * options.steps / std::max(solution.seconds, 1e-9) *
            1e-6);
    std::printf("number of atoms: %s; momentum: %s; energy: %s\n",
                has_all ? "kept" : "WRONG",
                is_at_rest ? "kept to the last bit" : "WRONG",
                is_kept ? "kept" : "WRONG");
    std::printf("energy of an atom: %.8g, drift %.1e, checksum: %016" PRIx64
                ": %s\n",
                energy, drift, last.words[Totals::checksum],
                is_right ? "correct" : "WRONG");
    std::fflush(stdout);
  }
  return is_right;
}

}  // namespace

Problem::Problem(Options const& the_options, Pes const& the_pes)
    : options(the_options),
      pes(the_pes),
      range(cutoff + options.skin),
      boxes(length_of(options), pe_grid_of(options, range, pes.count)) {
  if (n_atoms() / pes.count > 1e8)
    throw UsageError("--cells " + to_string(options.cells) +
                     ": too many atoms per PE; use more PEs");
}

examples::Progress Problem::progress() const {
  return {options.steps, n_atoms(), pes.me == 0 && !options.quiet, "atoms"};
}

Totals Problem::over_pes(Totals totals) const {
  pes.sum(totals.words, Totals::size);
  return totals;
}

double Problem::n_atoms() const {
  return 4.0 * options.cells[0] * options.cells[1] * options.cells[2];
}

int run(int argc, char* argv[], Pes const& pes,
        Solution (*solve)(Problem const& problem)) {
  auto const program = std::filesystem::path(argv[0]).filename().string();
  try {
    auto const options = parse_options(argc, argv);
    if (options.help) {
      if (pes.me == 0) std::cout << help_text(program) << std::flush;
      return 0;
    }
    Problem const problem(options, pes);
    if (pes.me == 0 && !options.quiet) announce(program, problem);
    return report(problem, solve(problem)) ? 0 : 1;
  } catch (UsageError const& error) {
    if (pes.me == 0)
      std::cerr << program << ": " << error.what() << "; see --help\n";
    return 2;
  } catch (FastAtoms const& error) {
    if (pes.me == 0) std::cerr << program << ": " << error.what() << '\n';
    return 1;
  }
}

}  // namespace molecules
