// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

#include <CLI/CLI.hpp>
#include <common/image.hpp>
#include <cstddef>
#include <particles_common/options.hpp>
#include <vector>

namespace particles {
namespace {

/// Adds an option that takes one number for all axes, or three.
CLI::Option* add_numbers(CLI::App& app, std::string const& name,
                         Options::Numbers& numbers, int least,
                         std::string const& text) {
  auto const take = [&numbers, name](std::vector<int> const& given) {
    if (given.size() == 2)
      throw CLI::ValidationError(name, "expected one number or three");
    for (std::size_t axis = 0; axis < 3; ++axis)
      numbers[axis] = given[given.size() == 1 ? 0 : axis];
  };
  return app.add_option_function<std::vector<int>>(name, take, text)
      ->expected(1, 3)
      ->check(CLI::Range(least, 100'000))
      ->type_name("N | N N N");
}

void define(CLI::App& app, Options& options, Options::Numbers& pe_grid) {
  app.set_help_flag("");
  add_numbers(
      app, "--cells", options.cells, 3,
      "cells per axis; their side is the range of the force, 1 (default 24)");
  app.add_option("--per-cell", options.per_cell,
                 "particles per cell at the start (default 4)")
      ->check(CLI::Range(1, 1000));
  app.add_option("--capacity", options.capacity,
                 "maximum number of particles per cell (default 16)")
      ->check(CLI::Range(1, 10'000));
  app.add_option("--steps", options.steps, "time steps (default 200)")
      ->check(CLI::Range(0, 999'999'999));
  app.add_option("--dt", options.dt, "length of a time step (default 0.01)")
      ->check(CLI::Range(1e-6, 1.0));
  add_numbers(app, "--pe-grid", pe_grid, 1,
              "PEs per axis (default: smallest cut surfaces)");
  app.add_option("--picture", options.picture,
                 "write a picture of the particles at the end")
      ->type_name(examples::can_write_png() ? "FILE.png | FILE.ppm"
                                            : "FILE.ppm");
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
  if (options.capacity < options.per_cell)
    throw UsageError("--capacity " + std::to_string(options.capacity) +
                     " is too small for --per-cell " +
                     std::to_string(options.per_cell));
  double const room = 1.0 * options.cells[0] * options.cells[1] *
                      options.cells[2] * options.capacity;
  if (room > 1e15)
    throw UsageError("--cells " + to_string(options.cells) +
                     ": too many particles for this program");
  if (app.count("--picture") != 0)
    if (auto const fault = examples::fault_of_picture_name(options.picture);
        !fault.empty())
      throw UsageError("--picture: " + fault);
  return options;
}

std::string help_text(std::string const& program) {
  Options options;
  Options::Numbers pe_grid;
  CLI::App app(
      "Particles repel each other in a periodic box, starting as a hot ball in "
      "a cold gas;\nchecks that their number, momentum and energy are "
      "conserved.");
  define(app, options, pe_grid);
  app.footer(
      "Exit status: 0: correct; 1: wrong result, full cell or file error; 2: "
      "invalid\noptions.\n");
  return app.help("mpiexec -n PES " + program);
}

}  // namespace particles
