// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

#ifndef SYMM_EXAMPLES_HEAT3D_OPTIONS_HPP
#define SYMM_EXAMPLES_HEAT3D_OPTIONS_HPP

#include <heat3d_common/cells.hpp>
#include <optional>
#include <stdexcept>
#include <string>

namespace heat3d {

/// The user asked for something impossible. Thrown on every PE, because every
/// PE parses the same command line.
class UsageError : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

struct Options {
  Triple size  = {96, 96, 96};
  int steps    = 1000;
  Triple modes = {1, 1, 1};
  std::optional<Triple> pe_grid;  ///< if not set, the one with the fewest halo
                                  ///< cells
  std::string picture;            ///< file name; empty for no picture
  std::string dump;               ///< file name; empty for no dump
  int graph = 10;  ///< time steps per launch on a GPU; even; 0 to record no
                   ///< graph
  bool quiet = false;
  bool help  = false;
};

/// Parses the command line; argv[0] is ignored.
/// \throws UsageError with a message that names the option and its value.
Options parse_options(int argc, char const* const* argv);

/// The text for --help.
std::string help_text(std::string const& program);

/// Returns "4x2x1", for example.
std::string to_string(Triple const& numbers);

}  // namespace heat3d

#endif
