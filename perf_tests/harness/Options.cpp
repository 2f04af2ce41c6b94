// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#include "harness/Options.hpp"

#include <charconv>
#include <filesystem>
#include <stdexcept>
#include <string_view>
#include <system_error>

namespace perf {
namespace {

constexpr int least_samples = 10;
constexpr int most_samples  = 100'000;

int parse_samples(std::string_view text) {
  int value               = 0;
  char const* last        = text.data() + text.size();
  auto const [end, error] = std::from_chars(text.data(), last, value);
  if (error != std::errc{} || end != last || value < least_samples ||
      value > most_samples)
    throw std::invalid_argument("--samples takes a number from " +
                                std::to_string(least_samples) + " to " +
                                std::to_string(most_samples) + ", not '" +
                                std::string(text) + "'");
  return value;
}

bool belongs_to_another(std::string_view argument) {
  return argument.starts_with("--kokkos") || argument.starts_with("--symm");
}

}  // namespace

Options parse_options(int argc, char const* const* argv) {
  Options options;
  for (int i = 0; i < argc; ++i) {  // without the folders of this machine
    options.command += (i == 0 ? "" : " ") +
                       std::filesystem::path(argv[i]).filename().string();
  }
  for (int i = 1; i < argc; ++i) {
    std::string_view const argument = argv[i];
    auto const value                = [&]() -> std::string_view {
      if (i + 1 == argc)
        throw std::invalid_argument(std::string(argument) + " needs a value");
      return argv[++i];
    };
    if (argument == "--quick") {
      options.quick = true;
    } else if (argument == "--help" || argument == "-h") {
      options.help = true;
    } else if (argument == "--samples") {
      options.samples = parse_samples(value());
    } else if (argument == "--json") {
      options.json_file = value();
    } else if (!belongs_to_another(argument)) {
      throw std::invalid_argument("unknown argument '" + std::string(argument) +
                                  "'; --help lists what there is");
    }
  }
  return options;
}

std::string usage(std::string const& program) {
  return "usage: mpirun -np 2 --bind-to core " + program +
         " [--quick] [--samples N] [--json FILE]\n"
         "  --quick      few samples and small sizes: checks the data, for CI\n"
         "  --samples N  samples per contestant and case (at least 10)\n"
         "  --json FILE  append the results to FILE as JSON lines\n";
}

}  // namespace perf
