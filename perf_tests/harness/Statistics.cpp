// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#include "harness/Statistics.hpp"

#include <algorithm>
#include <cstddef>
#include <stdexcept>

namespace perf {
namespace {

// Linear interpolation between the two nearest samples.
double quantile(std::span<double const> sorted, double fraction) {
  double const position = fraction * static_cast<double>(sorted.size() - 1);
  auto const below      = static_cast<std::size_t>(position);
  auto const above      = std::min(below + 1, sorted.size() - 1);
  double const weight   = position - static_cast<double>(below);
  return sorted[below] * (1 - weight) + sorted[above] * weight;
}

}  // namespace

Summary summarize(std::span<double const> samples) {
  if (samples.empty()) throw std::invalid_argument("summarize: no samples");
  std::vector<double> sorted(samples.begin(), samples.end());
  std::sort(sorted.begin(), sorted.end());
  return {quantile(sorted, 0.5), quantile(sorted, 0.25), quantile(sorted, 0.75),
          sorted.front(), sorted.back()};
}

std::vector<double> ratios(std::span<double const> numerator,
                           std::span<double const> denominator) {
  if (numerator.size() != denominator.size())
    throw std::invalid_argument("ratios: different numbers of samples");
  std::vector<double> result(numerator.size());
  std::transform(numerator.begin(), numerator.end(), denominator.begin(),
                 result.begin(), [](double a, double b) { return a / b; });
  return result;
}

}  // namespace perf
