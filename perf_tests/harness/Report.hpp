// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_PERF_REPORT_HPP
#define SYMM_PERF_REPORT_HPP

#include <cstdint>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

#include "harness/Environment.hpp"
#include "harness/Sampler.hpp"

namespace perf {

/// The circumstances of one comparison.
struct Case {
  /// For example {"bytes", 1024}, {"holes", 0}.
  std::vector<std::pair<std::string, std::int64_t>> parameters;
  /// Payload of one iteration, to print a rate; if 0, none is printed.
  std::int64_t payload_bytes = 0;
};

/// Writes results as a table to stdout and as JSON lines to a file. On all PEs
/// but one, every call does nothing.
class Report {
 public:
  /// \param json_file  the file to append to; if empty, none is written.
  /// \throws std::runtime_error if the file cannot be opened.
  Report(std::string benchmark, int pes, bool writes, bool quick,
         std::string const& json_file);

  void environment(Environment const& environment);
  void comparison(Case const& measured, std::vector<Series> const& all);
  /// Reports a single number that is not a time.
  void value(std::string const& what, std::string const& unit, double value);
  void note(std::string const& text);
  void verification(std::string const& what, std::int64_t wrong);

 private:
  void write_json_line(std::string const& object);

  std::string m_benchmark;
  int m_pes;
  bool m_writes;
  bool m_quick;
  std::ofstream m_json;
};

}  // namespace perf

#endif
