// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

#include <CLI/CLI.hpp>
#include <common/image.hpp>
#include <heat3d_common/options.hpp>
#include <vector>

namespace heat3d {
namespace {

/// Adds an option for three numbers, given as "8" (for all axes), "8x4x2" or "8
/// 4 2".
CLI::Option* add_triple(CLI::App& app, std::string const& name, Triple& triple,
                        std::string const& text) {
  auto const take = [&triple, name](std::vector<std::string> const& words) {
    auto const numbers = CLI::detail::split(
        words.size() > 1 ? CLI::detail::join(words, "x") : words.front(), 'x');
    if (numbers.size() != 1 && numbers.size() != 3)
      throw CLI::ValidationError(
          name, "'" + CLI::detail::join(numbers, "x") +
                    "' must be one number or three, as in 8x4x2");
    for (std::size_t axis = 0; axis < 3; ++axis) {
      auto const& word = numbers[numbers.size() == 1 ? 0 : axis];
      int& number      = triple[axis];
      if (word.empty() || !CLI::detail::lexical_cast(word, number) ||
          number < 1 || number > 999'999'999)
        throw CLI::ValidationError(
            name, "'" + word + "' is not a whole number from 1 to 999999999");
    }
    return true;
  };
  return app.add_option(name, take, text)
      ->expected(1, 3)
      ->type_name("N | N N N | NxNxN");
}

/// Rejects the next option, which CLI11 would take for a file name.
std::string check_file_name(std::string const& name) {
  return name.starts_with("--") ? "the file name is missing" : "";
}

/// Defines all options; their values are written to `options`.
void define(CLI::App& app, Options& options, Triple& pe_grid) {
  app.set_help_flag("");
  add_triple(app, "--size", options.size, "cells inside the cube (default 96)");
  app.add_option("--steps", options.steps, "time steps (default 1000)")
      ->check(CLI::Range(0, 999'999'999));
  add_triple(app, "--modes", options.modes,
             "half waves per axis at the start (default 1)");
  add_triple(app, "--pe-grid", pe_grid,
             "PEs per axis (default: fewest halo cells)");
  app.add_option("--picture", options.picture,
                 "write the middle slice as a picture")
      ->type_name(examples::can_write_png() ? "FILE.png | FILE.ppm"
                                            : "FILE.ppm");
  app.add_option("--dump", options.dump,
                 "write all cells as raw doubles, in the order of the global "
                 "indices")
      ->type_name("FILE")
      ->check(check_file_name);
  app.add_option(
         "--graph", options.graph,
         "number of time steps that a GPU is given at a time, as a CUDA graph; "
         "must be even (default 10; 0: one by one, as heat3d_mpi always does); "
         "without CUDA, there are no graphs")
      ->check(CLI::Range(0, 10'000));
  app.add_flag("--quiet", options.quiet,
               "print nothing unless something is wrong");
  app.add_flag("-h,--help", options.help, "print this text");
}

void check_picture_name(std::string const& name) {
  if (auto const fault = examples::fault_of_picture_name(name); !fault.empty())
    throw UsageError("--picture: " + fault);
}

}  // namespace

Options parse_options(int argc, char const* const* argv) {
  Options options;
  Triple pe_grid;
  CLI::App app;
  define(app, options, pe_grid);
  try {
    app.parse(argc, argv);
  } catch (CLI::ParseError const& error) {
    throw UsageError(error.what());
  }
  if (app.count("--pe-grid") != 0) options.pe_grid = pe_grid;
  if (app.count("--picture") != 0) check_picture_name(options.picture);
  if (options.graph % 2 != 0)
    throw UsageError("--graph " + std::to_string(options.graph) +
                     ": the number must be even");
  for (int axis = 0; axis < 3; ++axis)
    if (options.modes[axis] > options.size[axis])
      throw UsageError("--modes " + to_string(options.modes) + ": a grid of " +
                       to_string(options.size) +
                       " cells cannot resolve more half waves than cells");
  return options;
}

std::string help_text(std::string const& program) {
  Options options;
  Triple pe_grid;
  CLI::App app(
      "Solves the heat equation on the unit cube, from a decaying sine mode, "
      "and compares\nthe result with the exact solution.");
  define(app, options, pe_grid);
  app.footer(
      "Exit status: 0: solved and correct; 1: wrong result or file error; 2: "
      "invalid options.\n");
  return app.help("mpiexec -n PES " + program);
}

std::string to_string(Triple const& numbers) {
  return std::to_string(numbers[0]) + 'x' + std::to_string(numbers[1]) + 'x' +
         std::to_string(numbers[2]);
}

}  // namespace heat3d
