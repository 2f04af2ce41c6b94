// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

#include "options.hpp"

#include <CLI/CLI.hpp>

namespace async_temporaries {
namespace {

/// Defines all options; their values are written to `options`.
void define(CLI::App& app, Options& options) {
  app.set_help_flag("");
  app.add_option("--size", options.size,
                 "points per axis of the plane (default 128)")
      ->check(CLI::Range(4, 40'000));
  app.add_option("--steps", options.steps, "time steps (default 500)")
      ->check(CLI::Range(1, 999'999'999));
  app.add_option("--tracers", options.tracers,
                 "number of tracers, each on its own execution space instance "
                 "(default 4)")
      ->check(CLI::Range(1, 32));
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

std::string help_text() {
  Options options;
  CLI::App app(
      "Wind carries tracers over a plane. Each stage of a time step is a "
      "temporary\nsymmetric View: once an ordinary one, once one in a pool.");
  define(app, options);
  app.footer(
      "Exit status: 0: both results are correct; 1: wrong result; 2: invalid "
      "options.\n");
  return app.help("mpiexec -n PES async_temporaries");
}

}  // namespace async_temporaries
