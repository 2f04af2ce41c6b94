// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

#include "options.hpp"

#include <CLI/CLI.hpp>

namespace jacobi {
namespace {

/// Defines all options; their values are written to `options`.
void define(CLI::App& app, Options& options) {
  app.set_help_flag("");
  app.add_option("--size", options.size,
                 "points per axis, including the boundary (default 256)")
      ->check(CLI::Range(3, 40'000));
  app.add_option("--steps", options.steps, "iterations (default 1000)")
      ->check(CLI::Range(0, 999'999'999));
  app.add_flag("-h,--help", options.help, "print this text");
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
  return options;
}

std::string help_text(std::string const& program) {
  Options options;
  CLI::App app(
      "Solves Laplace's equation on a square by Jacobi iteration, from a "
      "decaying sine\nmode; compares the result with the exact solution.");
  define(app, options);
  app.footer(
      "Exit status: 0: solved and correct; 1: wrong result; 2: invalid "
      "options.\n");
  return app.help("mpiexec -n PES " + program);
}

}  // namespace jacobi
