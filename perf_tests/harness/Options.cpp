// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#include "harness/Options.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <sstream>
#include <string_view>

namespace perf {
namespace {

bool belongs_to_another(std::string_view argument) {
  return argument.starts_with("--kokkos") || argument.starts_with("--symm");
}

}  // namespace

Options parse_options(int argc, char const* const* argv,
                      std::vector<std::string> const& benchmarks) {
  Options options;
  for (int i = 0; i < argc; ++i) {  // without the folders of this machine
    options.command += (i == 0 ? "" : " ") +
                       std::filesystem::path(argv[i]).filename().string();
  }
  CLI::App app("Runs a benchmark: mpiexec -n 2 --bind-to core PROGRAM ...");
  app.add_option("benchmark", options.benchmark, "the benchmark to run")
      ->required()
      ->check(CLI::IsMember(benchmarks));
  app.add_flag("--quick", options.quick,
               "few samples and small sizes: only checks the data, for CI");
  app.add_option("--samples", options.samples,
                 "number of samples per contestant and case")
      ->check(CLI::Range(10, 100'000));
  app.add_option("--json", options.json_file,
                 "append the results to this file as JSON lines");

  std::vector<std::string> ours(argv + 1, argv + argc);
  std::erase_if(ours, belongs_to_another);
  std::reverse(ours.begin(), ours.end());  // the order that CLI11 takes
  try {
    app.parse(ours);
  } catch (CLI::ParseError const& error) {
    std::ostringstream help;
    std::ostringstream wrong;
    int const status = app.exit(error, help, wrong);
    throw NothingToRun(help.str() + wrong.str(), status == 0 ? 0 : 2);
  }
  return options;
}

}  // namespace perf
