// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

#include <CLI/CLI.hpp>
#include <cg_common/options.hpp>

namespace cg {
namespace {

/// Rejects the next option, which CLI11 would take for a file name.
std::string check_file_name(std::string const& name) {
  return name.starts_with("--") ? "the file name is missing" : "";
}

/// Defines all options; their values are written to `options`.
void define(CLI::App& app, Options& options) {
  app.set_help_flag("");
  auto* const matrix =
      app.add_option(
             "--matrix", options.matrix,
             "read A from a Matrix Market file (\"coordinate real\", "
             "\"general\" or \"symmetric\"); every PE reads the whole file")
          ->type_name("FILE")
          ->check(check_file_name);
  // 1290^3 is the largest cube below 2^31; row numbers are of type int.
  app.add_option("--grid", options.grid,
                 "use the 27-point problem on N x N x N points as A: 26 on the "
                 "diagonal, -1 for each neighbor (default 32)")
      ->check(CLI::Range(1, 1290))
      ->excludes(matrix);
  app.add_option("--tolerance", options.tolerance,
                 "stop when the residual, relative to that of x = 0, is at "
                 "most this (default 1e-10)");
  app.add_option("--error", options.error,
                 "largest error of x, relative to the largest x, that counts "
                 "as correct (default 1e-4)");
  app.add_option("--max-iterations", options.max_iterations,
                 "give up after this number of iterations (default 10000)")
      ->check(CLI::Range(1, 999'999'999));
  app.add_option("--solves", options.solves,
                 "number of solves, each from x = 0; the time is that of the "
                 "last one (default 1)")
      ->check(CLI::Range(1, 1000));
  app.add_option("--dump", options.dump,
                 "write the number of iterations and x as text")
      ->type_name("FILE")
      ->check(check_file_name);
  app.add_flag("--quiet", options.quiet,
               "print nothing unless something is wrong");
  app.add_flag("-h,--help", options.help, "print this text");
}

void check_fraction(std::string const& option, double number) {
  if (!(number > 0 && number < 1))
    throw UsageError(option + ": " + std::to_string(number) +
                     " is not a number between 0 and 1, such as 1e-8");
}

}  // namespace

Options parse_options(int argc, char const* const* argv) {
  Options options;
  CLI::App app;
  define(app, options);
  try {
    app.parse(argc, argv);
  } catch (CLI::ParseError const& error) {
    throw UsageError(error.what());
  }
  check_fraction("--tolerance", options.tolerance);
  check_fraction("--error", options.error);
  return options;
}

std::string help_text(std::string const& program) {
  Options options;
  CLI::App app(
      "Solves A x = b for a sparse symmetric positive definite matrix A by "
      "conjugate\ngradients with a Jacobi preconditioner. b is computed from a "
      "known x, with which\nthe result is compared.");
  define(app, options);
  app.footer(
      "Exit status: 0: solved and correct; 1: not converged, wrong result or "
      "file error;\n2: invalid options or matrix.\n");
  return app.help("mpiexec -n PES " + program);
}

}  // namespace cg
