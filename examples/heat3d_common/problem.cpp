// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

#include <algorithm>
#include <cmath>
#include <common/step_time.hpp>
#include <cstdio>
#include <filesystem>
#include <heat3d_common/problem.hpp>
#include <iostream>
#include <string>

namespace heat3d {
namespace {

Triple pe_grid_of(Options const& options, int n_pes) {
  if (!options.pe_grid) return choose_pe_grid(options.size, n_pes);
  auto const& grid = *options.pe_grid;
  if (1.0 * grid[0] * grid[1] * grid[2] != n_pes)
    throw UsageError("--pe-grid " + to_string(grid) +
                     " does not match the number of PEs, " +
                     std::to_string(n_pes));
  return grid;
}

Cells own_cells(Box const& box) {
  return {{1, 1, 1}, {box.extent[0] + 1, box.extent[1] + 1, box.extent[2] + 1}};
}

double number_of_cells(Triple const& size) {
  return 1.0 * size[0] * size[1] * size[2];
}

void announce(std::string const& program, Problem const& problem) {
  auto const& options = problem.options;
  std::printf("%s: %s cells, %d steps of %.3g, modes %s, %d PE%s as %s\n",
              program.c_str(), to_string(options.size).c_str(), options.steps,
              problem.mode.dt(), to_string(options.modes).c_str(),
              problem.pes.count, problem.pes.count == 1 ? "" : "s",
              to_string(problem.decomposition.pe_grid()).c_str());
  std::fflush(stdout);
}

/// Collective. Prints the report on PE 0. Returns, on every PE, whether the
/// result is correct.
bool report(Problem const& problem, Solution const& solution) {
  auto const& pes     = problem.pes;
  auto const& options = problem.options;
  double const cells  = number_of_cells(options.size);

  auto const mean_square = [&](Errors const& mine) {
    return std::sqrt(pes.sum(mine.square_sum) / cells);
  };
  double const seconds  = pes.max(solution.seconds);
  double const largest  = pes.max(solution.continuous.largest);
  double const l2       = mean_square(solution.continuous);
  double const rounding = mean_square(solution.discrete);
  double const bound    = problem.mode.rounding_bound(options.steps);
  bool const correct    = rounding <= bound;

  if (pes.me == 0 && !(options.quiet && correct)) {
    std::printf("%s, %.1f million cell updates/s\n",
                examples::step_time_text(seconds, options.steps).c_str(),
                cells * options.steps / std::max(seconds, 1e-9) * 1e-6);
    std::printf(
        "error against the heat equation: max %.3e, L2 %.3e, where the largest "
        "value is %.3e\n",
        largest, l2, problem.mode.continuous_amplitude(options.steps));
    std::printf("error against exact arithmetic: L2 %.3e, at most %.3e: %s\n",
                rounding, bound, correct ? "correct" : "WRONG");
    std::fflush(stdout);
  }
  return correct;
}

}  // namespace

Problem::Problem(Options const& the_options, Pes const& the_pes)
    : options(the_options),
      pes(the_pes),
      decomposition(options.size, pe_grid_of(options, pes.count)),
      own(own_cells(decomposition.box(pes.me))),
      faces(decomposition.faces(pes.me)),
      mode(options.size, options.modes),
      sine(options.size, options.modes, decomposition.box(pes.me)) {}

examples::Progress Problem::progress() const {
  return {options.steps, number_of_cells(options.size),
          pes.me == 0 && !options.quiet};
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
    Output output(options, pes.me == 0);
    if (pes.max(output.failed()) > 0) return 1;

    if (pes.me == 0 && !options.quiet) announce(program, problem);
    auto const solution = solve(problem);
    bool const correct  = report(problem, solution);
    output.write(problem.decomposition, solution.fetch_planes);
    return pes.max(output.failed()) > 0 || !correct ? 1 : 0;
  } catch (UsageError const& error) {
    if (pes.me == 0)
      std::cerr << program << ": " << error.what() << "; see --help\n";
    return 2;
  }
}

}  // namespace heat3d
