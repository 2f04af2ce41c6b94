// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

#ifndef SYMM_EXAMPLES_GUPS_OPTIONS_HPP
#define SYMM_EXAMPLES_GUPS_OPTIONS_HPP

#include <cstdint>
#include <stdexcept>
#include <string>

namespace gups {

/// The user asked for something impossible. Thrown on every PE, because every
/// PE parses the same command line.
class UsageError : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

struct Options {
  unsigned log2_size             = 20;
  std::uint64_t updates_per_word = 4;
  bool is_atomic                 = true;
  bool help                      = false;
};

/// Parses the command line; argv[0] is ignored.
/// \throws UsageError with a message that names the option and its value.
Options parse_options(int argc, char const* const* argv);

/// The text for --help.
std::string help_text();

}  // namespace gups

#endif
