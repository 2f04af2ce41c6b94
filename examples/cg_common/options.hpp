// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

#ifndef SYMM_EXAMPLES_CG_OPTIONS_HPP
#define SYMM_EXAMPLES_CG_OPTIONS_HPP

#include <stdexcept>
#include <string>

namespace cg {

/// The user asked for something impossible. Thrown on every PE, because every
/// PE parses the same command line.
class UsageError : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

struct Options {
  std::string matrix;        ///< Matrix Market file; empty for the grid problem
  int grid         = 32;     ///< points per axis of the 27-point problem
  double tolerance = 1e-10;  ///< for the residual, relative to that of x = 0
  double error     = 1e-4;   ///< largest acceptable relative error of the
                             ///< solution
  int max_iterations = 10000;
  int solves         = 1;  ///< number of solves; the last one is timed
  std::string dump;        ///< file name; empty for no dump
  bool quiet = false;
  bool help  = false;
};

/// Parses the command line; argv[0] is ignored.
/// \throws UsageError with a message that names the option and its value.
Options parse_options(int argc, char const* const* argv);

/// The text for --help.
std::string help_text(std::string const& program);

}  // namespace cg

#endif
