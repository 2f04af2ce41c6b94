// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

#ifndef SYMM_EXAMPLES_HYDRO2D_OPTIONS_HPP
#define SYMM_EXAMPLES_HYDRO2D_OPTIONS_HPP

#include <array>
#include <optional>
#include <stdexcept>
#include <string>

namespace hydro2d {

using Pair = std::array<int, 2>;

/// The user asked for something impossible. Thrown on every PE, because every
/// PE parses the same command line.
class UsageError : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// The initial state in the unit square.
enum class Start {
  blast,   ///< a dense, hot quarter of a disk in the corner
  tube_x,  ///< Sod's shock tube along the first axis
  tube_y   ///< the same along the second axis
};

struct Options {
  Pair size   = {192, 192};
  int steps   = 200;
  Start start = Start::blast;
  std::optional<Pair> pe_grid;  ///< if not set, as square as the number of PEs
                                ///< allows
  bool quiet = false;
  bool help  = false;
};

/// Parses the command line; argv[0] is ignored.
/// \throws UsageError with a message that names the option and its value.
Options parse_options(int argc, char const* const* argv);

/// The text for --help.
std::string help_text(std::string const& program);

}  // namespace hydro2d

#endif
