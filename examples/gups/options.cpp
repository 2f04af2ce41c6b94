// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

#include "options.hpp"

#include <charconv>
#include <string>
#include <string_view>
#include <system_error>

namespace gups {
namespace {

std::uint64_t parse_number(std::string const& option, std::string_view text,
                           std::uint64_t least, std::uint64_t most) {
  std::uint64_t number     = 0;
  auto const* const end    = text.data() + text.size();
  auto const [stop, error] = std::from_chars(text.data(), end, number);
  if (error != std::errc{} || stop != end || number < least || number > most)
    throw UsageError(option + ": '" + std::string(text) +
                     "' is not a number from " + std::to_string(least) +
                     " to " + std::to_string(most));
  return number;
}

}  // namespace

Options parse_options(int argc, char const* const* argv) {
  Options options;
  for (int i = 1; i < argc; ++i) {
    std::string const option = argv[i];
    auto const value         = [&] {
      if (i + 1 == argc) throw UsageError(option + " needs a value");
      return std::string_view(argv[++i]);
    };
    if (option == "--log2-size")
      options.log2_size =
          static_cast<unsigned>(parse_number(option, value(), 0, 48));
    else if (option == "--updates-per-word")
      options.updates_per_word = parse_number(option, value(), 1, 1024);
    else if (option == "--no-atomic")
      options.is_atomic = false;
    else if (option == "--help" || option == "-h")
      options.help = true;
    else
      throw UsageError("unknown option '" + option + "'");
  }
  return options;
}

char const* help_text() {
  return R"(usage: mpiexec -n PES gups [options]

Random updates of a table of 64-bit words that is spread over the PEs (HPC
Challenge, RandomAccess): each is an atomic exclusive or on some PE's word.

  --log2-size K           the table has 2^K words (default 20)
  --updates-per-word N    that many updates as often as there are words
                          (default 4)
  --no-atomic             update by a load and a store, to see what gets lost
  --help                  print this text

Exit status: 0 correct, 1 wrong words in the table, 2 bad options.
)";
}

}  // namespace gups
