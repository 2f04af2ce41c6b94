// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

#ifndef SYMM_EXAMPLES_PORT_EXISTING_OPTIONS_HPP
#define SYMM_EXAMPLES_PORT_EXISTING_OPTIONS_HPP

#include <stdexcept>
#include <string>

namespace jacobi {

/// The user asked for something impossible. Thrown on every PE, because every
/// PE parses the same command line.
class UsageError : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

struct Options {
  int size  = 256;
  int steps = 1000;
  bool help = false;
};

/// Parses the command line; argv[0] is ignored.
/// \throws UsageError with a message that names the option and its value.
Options parse_options(int argc, char const* const* argv);

/// The text for --help.
std::string help_text(std::string const& program);

}  // namespace jacobi

#endif
