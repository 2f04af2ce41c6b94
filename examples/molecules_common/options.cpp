// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

#include <CLI/CLI.hpp>
#include <cstddef>
#include <molecules_common/options.hpp>
#include <vector>

namespace molecules {
namespace {

/// Adds an option that takes one number for all axes, or three.
void add_numbers(CLI::App& app, std::string const& name,
                 Options::Numbers& numbers, int most, std::string const& text) {
  auto const take = [&numbers, name](std::vector<int> const& given) {
    if (given.size() == 2)
      throw CLI::ValidationError(name, "expected one number or three");
    for (std::size_t axis = 0; axis < 3; ++axis)
      numbers[axis] = given[given.size() == 1 ? 0 : axis];
  };
  app.add_option_function<std::vector<int>>(name, take, text)
      ->expected(1, 3)
      ->check(CLI::Range(1, most))
      ->type_name("N | N N N");
}

void define(CLI::App& app, Options& options, Options::Numbers& pe_grid) {
  app.set_help_flag("");
  add_numbers(app, "--cells", options.cells, 1000,
              "lattice cells per axis, with 4 atoms in each cell (default 12)");
  app.add_option("--steps", options.steps, "time steps (default 200)")
      ->check(CLI::Range(0, 999'999'999));
  app.add_option("--dt", options.dt, "length of a time step (default 0.004)")
      ->check(CLI::Range(1e-6, 1.0));
  app.add_option("--rebuild-every", options.rebuild_every,
                 "steps between rebuilds of the neighbor lists (default 10)")
      ->check(CLI::Range(1, 1'000'000));
  app.add_option("--skin", options.skin,
                 "how far neighbor lists reach beyond the cutoff (default 0.5)")
      ->check(CLI::Range(0.01, 10.0));
  add_numbers(app, "--pe-grid", pe_grid, 100'000,
              "PEs per axis (default: smallest cut surfaces)");
  app.add_flag("--quiet", options.quiet,
               "print nothing unless something is wrong");
  app.add_flag("-h,--help", options.help, "print this text");
}

}  // namespace

Options parse_options(int argc, char const* const* argv) {
  Options options;
  Options::Numbers pe_grid;
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
  Options::Numbers pe_grid;
  CLI::App app(
      "Molecular dynamics of Lennard-Jones atoms in a periodic box; checks "
      "that\ntheir number and momentum are conserved and that the energy "
      "drifts little.");
  define(app, options, pe_grid);
  app.footer(
      "Exit status: 0: correct; 1: wrong result or atoms that are too fast; 2: "
      "invalid options.\n");
  return app.help("mpiexec -n PES " + program);
}

}  // namespace molecules
