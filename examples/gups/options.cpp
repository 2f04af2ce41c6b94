// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

#include "options.hpp"

#include <CLI/CLI.hpp>

namespace gups {
namespace {

/// Defines all options; their values are written to `options`.
void define(CLI::App& app, Options& options) {
  app.set_help_flag("");
  app.add_option("--log2-size", options.log2_size,
                 "log2 of the number of words in the table (default 20)")
      ->check(CLI::Range(0, 48));
  app.add_option("--updates-per-word", options.updates_per_word,
                 "number of updates per word of the table (default 4)")
      ->check(CLI::Range(1, 65536));
  app.add_flag(
      "!--no-atomic", options.is_atomic,
      "update with a load and a store, to see how many updates are lost");
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
      "Random updates of a table of 64-bit words that is distributed over the "
      "PEs (HPC\nChallenge, RandomAccess): each is an atomic XOR to a word of "
      "some PE.");
  define(app, options);
  app.footer(
      "Exit status: 0: correct; 1: wrong words in the table; 2: invalid "
      "options.\n");
  return app.help("mpiexec -n PES gups");
}

}  // namespace gups
