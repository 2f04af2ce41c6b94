// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_PERF_OPTIONS_HPP
#define SYMM_PERF_OPTIONS_HPP

#include <stdexcept>
#include <string>
#include <vector>

namespace perf {

/// The options on the command line.
struct Options {
  std::string benchmark;  ///< which is run
  bool quick  = false;    ///< few samples, small sizes: checks the data, for CI
  int samples = 0;        ///< per contestant and case; 0: 21, or 10 with quick
  std::string json_file;  ///< append JSON lines to this file; empty: none
  std::string command;    ///< the command line as it was given
};

/// Thrown if the command line asks for nothing that can be run. The message is
/// for the user: the help text, or what is wrong.
class NothingToRun : public std::runtime_error {
 public:
  NothingToRun(std::string const& message, int exit_status)
      : std::runtime_error(message), m_exit_status(exit_status) {}

  /// The exit status for the program: 0 after help.
  [[nodiscard]] int exit_status() const { return m_exit_status; }

 private:
  int m_exit_status;
};

/// Flags that start with `--kokkos` or `--symm` are for other libraries and are
/// skipped.
/// \throws NothingToRun
[[nodiscard]] Options parse_options(int argc, char const* const* argv,
                                    std::vector<std::string> const& benchmarks);

}  // namespace perf

#endif
