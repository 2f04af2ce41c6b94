// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

#include "options.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <iterator>
#include <vector>

namespace halo {
namespace {

char const* const ways[] = {"stream", "host", "barrier", "mpi"};  // like Way

/// Defines all options; their values are written to `options` and `exchange`.
void define(CLI::App& app, Options& options, std::string& exchange) {
  app.set_help_flag("");
  app.add_option("--size", options.size,
                 "points per axis inside the boundary (default 128)")
      ->check(CLI::Range(4, 30'000));
  app.add_option("--plates", options.plates,
                 "number of plates, each with its own team of PEs (default 2; "
                 "1 on one PE)")
      ->check(CLI::Range(1, 30'000));
  app.add_option("--until", options.until,
                 "a plate is done when no value exceeds this (default 0.01)")
      ->check(CLI::Range(1e-9, 1.0));
  app.add_option(
         "--look-every", options.look_every,
         "number of steps between checks of the largest value (default 100)")
      ->check(CLI::Range(1, 1'000'000));
  app.add_option("--exchange", exchange,
                 "stream (default): signals enqueued after the kernels; host: "
                 "signals sent by the host; barrier: a barrier of the plate's "
                 "team instead of signals; mpi: MPI messages")
      ->check(CLI::IsMember(
          std::vector<std::string>(std::begin(ways), std::end(ways))));
  app.add_flag("-h,--help", options.help, "print this text");
}

}  // namespace

Options parse_options(int argc, char const* const* argv) {
  Options options;
  std::string exchange = ways[0];
  CLI::App app;
  define(app, options, exchange);
  try {
    app.parse(argc, argv);
  } catch (CLI::ParseError const& error) {
    throw UsageError(error.what());
  }
  auto const* const way = std::find(std::begin(ways), std::end(ways), exchange);
  options.way           = static_cast<Way>(way - std::begin(ways));
  return options;
}

std::string help_text() {
  Options options;
  std::string exchange;
  CLI::App app(
      "Hot plates cool down (2-D Jacobi iteration). Each is cut into strips "
      "for a team of PEs\nthat exchange rows only with their neighbors. The "
      "result is compared with the exact one.");
  define(app, options, exchange);
  app.footer(
      "Exit status: 0: cold and correct; 1: wrong result; 2: invalid "
      "options.\n");
  return app.help("mpiexec -n PES halo_signals");
}

}  // namespace halo
