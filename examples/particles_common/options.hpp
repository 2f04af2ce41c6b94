// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

#ifndef SYMM_EXAMPLES_PARTICLES_OPTIONS_HPP
#define SYMM_EXAMPLES_PARTICLES_OPTIONS_HPP

#include <array>
#include <optional>
#include <stdexcept>
#include <string>

namespace particles {

/// The user asked for something impossible. Thrown on every PE, because every
/// PE parses the same command line.
class UsageError : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

struct Options {
  using Numbers = std::array<int, 3>;

  Numbers cells = {24, 24, 24};  ///< number of cells; their side is 1, the
                                 ///< range of the force
  int per_cell = 4;              ///< initial particles per cell
  int capacity = 16;             ///< number of particles for which a cell has
                                 ///< room
  int steps = 200;
  double dt = 0.01;
  std::optional<Numbers> pe_grid;  ///< if not set, the one with the shortest
                                   ///< cuts
  std::string picture;             ///< file name; empty for no picture
  bool quiet = false;
  bool help  = false;
};

/// Parses the command line; argv[0] is ignored.
/// \throws UsageError with a message that names the option and its value.
Options parse_options(int argc, char const* const* argv);

/// The text for --help.
std::string help_text(std::string const& program);

/// Returns "4x2x1", for example; `numbers` can be anything with three numbers.
template <class Numbers>
std::string to_string(Numbers const& numbers) {
  return std::to_string(numbers[0]) + 'x' + std::to_string(numbers[1]) + 'x' +
         std::to_string(numbers[2]);
}

}  // namespace particles

#endif
