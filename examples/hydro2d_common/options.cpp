// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

#include <CLI/CLI.hpp>
#include <hydro2d_common/options.hpp>
#include <map>

namespace hydro2d {
namespace {

std::map<std::string, Start> const starts{{"blast", Start::blast},
                                          {"tube-x", Start::tube_x},
                                          {"tube-y", Start::tube_y}};

void define(CLI::App& app, Options& options, Pair& pe_grid) {
  app.set_help_flag("");
  app.add_option("--size", options.size, "cells along each axis (default 192)")
      ->check(CLI::Range(1, 1'000'000));
  app.add_option("--steps", options.steps, "time steps (default 200)")
      ->check(CLI::Range(0, 999'999'999));
  app.add_option("--start", options.start,
                 "blast (default), tube-x or tube-y: Sod's shock tube along "
                 "that axis")
      ->transform(CLI::CheckedTransformer(starts))
      ->type_name("START");
  app.add_option("--pe-grid", pe_grid,
                 "PEs along each axis (default: as square as possible)")
      ->check(CLI::Range(1, 1'000'000));
  app.add_flag("--quiet", options.quiet,
               "print nothing unless something is wrong");
  app.add_flag("-h,--help", options.help, "print this text");
}

}  // namespace

Options parse_options(int argc, char const* const* argv) {
  Options options;
  Pair pe_grid{};
  CLI::App app;
  define(app, options, pe_grid);
  try {
    app.parse(argc, argv);
  } catch (CLI::ParseError const& error) {
    throw UsageError(error.what());
  }
  if (app.count("--pe-grid") != 0) options.pe_grid = pe_grid;
  return options;
}

std::string help_text(std::string const& program) {
  Options options;
  Pair pe_grid{};
  CLI::App app(
      "A gas in a closed square: the Euler equations on a staggered grid.");
  define(app, options, pe_grid);
  app.footer(
      "Exit status: 0: solved and correct; 1: wrong result; 2: invalid "
      "options.\n");
  return app.help("mpiexec -n PES " + program);
}

}  // namespace hydro2d
