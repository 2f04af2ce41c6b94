// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_PERF_STATISTICS_HPP
#define SYMM_PERF_STATISTICS_HPP

#include <span>
#include <vector>

namespace perf {

/// Order statistics of a set of samples. The spread is always reported as the
/// interquartile range: on a shared machine, the extremes say more about the
/// neighbors than about the code.
struct Summary {
  double median = 0;
  double q1     = 0;
  double q3     = 0;
  double min    = 0;
  double max    = 0;
};

/// \throws std::invalid_argument if there is no sample.
[[nodiscard]] Summary summarize(std::span<double const> samples);

/// numerator[i] / denominator[i]. Samples with the same number were taken
/// within milliseconds of each other, so disturbances that affect both cancel
/// out.
/// \throws std::invalid_argument if the lengths differ.
[[nodiscard]] std::vector<double> ratios(std::span<double const> numerator,
                                         std::span<double const> denominator);

}  // namespace perf

#endif
