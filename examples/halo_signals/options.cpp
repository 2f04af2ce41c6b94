// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

#include "options.hpp"

#include <CLI/CLI.hpp>
#include <map>

namespace halo {
namespace {

/// What there is, written to `options`.
void define(CLI::App& app, Options& options) {
  static std::map<std::string, Way> const ways{{"stream", Way::stream},
                                               {"host", Way::host},
                                               {"barrier", Way::barrier},
                                               {"mpi", Way::mpi}};
  app.set_help_flag("");
  app.add_option("--size", options.size,
                 "points per axis inside the boundary (default 128)")
      ->check(CLI::Range(4, 30'000));
  app.add_option("--plates", options.plates,
                 "plates, each with a team of PEs (default 2; 1 on one PE)")
      ->check(CLI::PositiveNumber);
  app.add_option("--until", options.until,
                 "a plate is done when no value is above (default 0.01)")
      ->check(CLI::Range(1e-9, 1.0));
  app.add_option("--look-every", options.look_every,
                 "look at the largest value after so many steps (default 100)")
      ->check(CLI::Range(1, 1'000'000));
  app.add_option("--exchange", options.way,
                 "stream (default): signals enqueued behind the kernels; host: "
                 "signals of the host; barrier: one of the plate's team in "
                 "their place; mpi: messages")
      ->transform(CLI::CheckedTransformer(ways).description(""));
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
      "Hot plates that cool down (2-D, Jacobi iteration), each cut into strips "
      "for a team of PEs\nthat exchange rows with their neighbours only; "
      "compares the result with the exact one.");
  define(app, options);
  app.footer(
      "Exit status: 0 cold and correct, 1 wrong result, 2 bad options.\n");
  return app.help("mpiexec -n PES halo_signals");
}

}  // namespace halo
