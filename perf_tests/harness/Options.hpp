// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_PERF_OPTIONS_HPP
#define SYMM_PERF_OPTIONS_HPP

#include <string>

namespace perf {

/// What the command line of every benchmark can say.
struct Options {
  bool quick  = false;    ///< few samples, small sizes: checks the data, for CI
  bool help   = false;    ///< print usage() and stop
  int samples = 0;        ///< per contestant and case; 0: 21, or 10 with quick
  std::string json_file;  ///< append JSON lines to this file; empty: none
  std::string command;    ///< the command line as it was given
};

/// Flags that start with `--kokkos` or `--symm` belong to others and are
/// skipped.
/// \throws std::invalid_argument for a flag or a value that means nothing.
[[nodiscard]] Options parse_options(int argc, char const* const* argv);

[[nodiscard]] std::string usage(std::string const& program);

}  // namespace perf

#endif
