// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

#include <algorithm>
#include <cerrno>
#include <cg_common/problem.hpp>
#include <cmath>
#include <common/step_time.hpp>
#include <cstdio>
#include <cstring>
#include <exception>
#include <filesystem>
#include <fstream>
#include <iomanip>
#include <iostream>
#include <limits>
#include <sstream>
#include <string>
#include <utility>

namespace cg {
namespace {

/// The recomputed residual may be this many times the tolerance.
constexpr double drift = 10;

/// The program's name and its PEs, for error messages.
struct Program {
  std::string name;
  Pes const& pes;

  /// Collective: whether no PE has an error. `mine` is this PE's error message,
  /// or empty. If there are errors, one PE prints its message.
  bool is_fine(std::string const& mine) const {
    // PE 0 takes precedence if it has an error.
    double const first = pes.max(mine.empty() ? 0 : pes.count - pes.me);
    if (!mine.empty() && first == pes.count - pes.me)
      std::cerr << name + ": " + mine + "\n" << std::flush;
    return first == 0;
  }
};

std::string system_error(std::string const& what, std::string const& file) {
  return what + " '" + file + "': " + std::strerror(errno);
}

/// Sets up the problem that the options specify. The call is local: PEs may see
/// different files.
Problem read_problem(Options const& options, Pes const& pes) {
  if (options.matrix.empty()) {
    RowBlocks const blocks(options.grid * options.grid * options.grid,
                           pes.count);
    return {options, pes, blocks, grid_rows(options.grid, blocks, pes.me)};
  }
  auto const matrix = read_matrix_market(options.matrix);
  RowBlocks const blocks(matrix.n_rows, pes.count);
  return {options, pes, blocks, rows_of(matrix, blocks, pes.me)};
}

/// Creates the --dump file now, so that a bad name is reported before a long
/// run.
std::string start_dump(Options const& options, int me) {
  if (options.dump.empty() || me != 0) return "";
  errno = 0;
  std::ofstream file(options.dump, std::ios::trunc);
  return file ? "" : system_error("cannot write", options.dump);
}

/// Collective. All PEs write to the file, each after the entries of the PEs
/// before it.
bool write_dump(Program const& program, Options const& options,
                Solution const& solution) {
  if (options.dump.empty()) return true;
  std::ostringstream text;
  text << std::setprecision(std::numeric_limits<double>::max_digits10);
  if (program.pes.me == 0) text << solution.iterations << '\n';
  for (double const x : solution.x) text << x << '\n';
  auto const mine  = text.str();
  auto const first = program.pes.sum_before(static_cast<double>(mine.size()));
  errno            = 0;
  // start_dump() has created the file. `in` preserves the entries that other
  // PEs may have written already.
  std::ofstream file(options.dump, std::ios::in | std::ios::out);
  file.seekp(static_cast<std::streamoff>(first));
  file << mine;
  file.close();
  return program.is_fine(file ? ""
                              : system_error("cannot write", options.dump));
}

/// The largest error of my x, relative to the known solution.
double error_of(Problem const& problem, Solution const& solution) {
  double largest = 0;
  for (std::size_t n = 0; n < solution.x.size(); ++n) {
    double const error =
        std::abs(solution.x[n] -
                 exact_solution(problem.rows.first_row + static_cast<int>(n)));
    if (!(error <= largest)) largest = error;  // also true for a NaN
    if (std::isnan(largest)) return std::numeric_limits<double>::infinity();
  }
  return largest;
}

double largest_of(std::vector<double> const& numbers) {
  double largest = 0;
  for (double const number : numbers)
    largest = std::max(largest, std::abs(number));
  return largest;
}

std::string plural(int count, char const* what) {
  return std::to_string(count) + " " + what + (count == 1 ? "" : "s");
}

void announce(Program const& program, Problem const& problem,
              double n_entries) {
  auto const& [options, pes, blocks, rows] = problem;
  auto const grid                          = std::to_string(options.grid);
  std::printf(
      "%s: %s, %s, %.0f entries, %s\n", program.name.c_str(),
      options.matrix.empty()
          ? ("27-point problem on " + grid + "x" + grid + "x" + grid).c_str()
          : options.matrix.c_str(),
      plural(blocks.n_rows(), "row").c_str(), n_entries,
      plural(pes.count, "PE").c_str());
  std::fflush(stdout);
}

/// Collective. Prints the report on PE 0. Returns, on every PE, whether the
/// result is correct.
bool report(Problem const& problem, Solution const& solution,
            Traffic const& traffic) {
  auto const& [options, pes, blocks, rows] = problem;

  int const iterations = solution.iterations;
  double const seconds = pes.max(solution.seconds);
  double const moved   = pes.sum(traffic.mine);
  double const largest =
      pes.max(largest_of(exact_solution(rows.first_row, rows.count())));
  double const error         = pes.max(error_of(problem, solution)) / largest;
  double const max_residual  = drift * options.tolerance;
  bool const residual_is_low = solution.residual <= max_residual;
  bool const error_is_low    = error <= options.error;
  bool const correct = solution.converged && residual_is_low && error_is_low;

  if (pes.me == 0 && !(options.quiet && correct)) {
    std::printf("%s after %s%s%s\n",
                solution.converged ? "converged" : "NOT CONVERGED",
                plural(iterations, "iteration").c_str(),
                solution.failure.empty() ? "" : ": ", solution.failure.c_str());
    std::printf("residual, computed anew: %.3e, at most %.1e: %s\n",
                solution.residual, max_residual,
                residual_is_low ? "correct" : "WRONG");
    std::printf("largest error of x: %.3e, at most %.1e: %s\n", error,
                options.error, error_is_low ? "correct" : "WRONG");
    std::printf("%s\n", examples::step_time_text(seconds, iterations).c_str());
    std::printf("%s: %.0f per iteration, %.0f in all\n", traffic.name, moved,
                moved * iterations);
    std::fflush(stdout);
  }
  return correct;
}

}  // namespace

Progress Problem::progress() const {
  return {options.tolerance, pes.me == 0 && !options.quiet};
}

int run(int argc, char* argv[], Pes const& pes, Solve solve) {
  Program const program{std::filesystem::path(argv[0]).filename().string(),
                        pes};
  Options options;
  try {
    options = parse_options(argc, argv);
  } catch (UsageError const& error) {
    if (pes.me == 0)
      std::cerr << program.name << ": " << error.what() << "; see --help\n";
    return 2;
  }
  if (options.help) {
    if (pes.me == 0) std::cout << help_text(program.name) << std::flush;
    return 0;
  }

  std::string trouble;
  Problem problem{options, pes, {1, 1}, {}};
  try {
    problem = read_problem(options, pes);
  } catch (std::exception const& error) {
    trouble = error.what();
  }
  if (!program.is_fine(trouble)) return 2;
  if (!program.is_fine(start_dump(options, pes.me))) return 1;

  double const n_entries =
      pes.sum(static_cast<double>(problem.rows.value.size()));
  if (pes.me == 0 && !options.quiet) announce(program, problem, n_entries);
  Traffic traffic{};
  auto const solution = solve(problem, traffic);
  bool const correct  = report(problem, solution, traffic);
  bool const dumped   = write_dump(program, options, solution);
  return correct && dumped ? 0 : 1;
}

}  // namespace cg
