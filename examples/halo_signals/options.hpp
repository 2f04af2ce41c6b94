// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

#ifndef SYMM_EXAMPLES_HALO_SIGNALS_OPTIONS_HPP
#define SYMM_EXAMPLES_HALO_SIGNALS_OPTIONS_HPP

#include <stdexcept>
#include <string>

namespace halo {

/// The user asked for something impossible. Thrown on every PE, because every
/// PE parses the same command line.
class UsageError : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// How a PE sends its rows to its neighbors and finds out that their rows have
/// arrived.
enum class Way { stream, host, barrier, mpi };

struct Options {
  int size       = 128;   ///< points per axis inside the boundary
  int plates     = 0;     ///< 0: two if there are at least two PEs
  double until   = 0.01;  ///< largest value at which a plate is cold enough
  int look_every = 100;   ///< number of steps between looks at the largest
                          ///< value
  Way way   = Way::stream;
  bool help = false;
};

/// Parses the command line; argv[0] is ignored.
/// \throws UsageError with a message that names the option and its value.
Options parse_options(int argc, char const* const* argv);

/// The text for --help.
std::string help_text();

}  // namespace halo

#endif
