// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#include "NodeExchange.hpp"

#include <bit>

namespace symm::Impl {

std::vector<ExchangeStep> exchange_steps(int node, int n_nodes) {
  std::vector<ExchangeStep> steps;
  auto const n_pairs =
      static_cast<int>(std::bit_floor(static_cast<unsigned>(n_nodes)));
  // The first 2 * n_folded nodes form pairs, and the lower node of each pair
  // represents both in the doubling steps.
  int const n_folded  = n_nodes - n_pairs;
  auto const place_of = [&](int number) {
    return number < n_folded ? 2 * number : number + n_folded;
  };
  bool const is_folded = node < 2 * n_folded;
  int const last       = max_exchange_phases - 1;
  if (is_folded && node % 2 == 1) {
    steps.push_back({.phase = 0, .node = node - 1, .sends = true});
    steps.push_back({.phase    = last,
                     .node     = node - 1,
                     .receives = true,
                     .first    = 0,
                     .end      = n_nodes});
    return steps;
  }
  if (is_folded) {
    steps.push_back({.phase    = 0,
                     .node     = node + 1,
                     .receives = true,
                     .first    = node + 1,
                     .end      = node + 2});
  }
  int const number = is_folded ? node / 2 : node - n_folded;
  int phase        = 1;
  for (int distance = 1; distance < n_pairs; distance *= 2) {
    int const other = number ^ distance;
    int const first = other & ~(distance - 1);
    steps.push_back({.phase    = phase++,
                     .node     = place_of(other),
                     .sends    = true,
                     .receives = true,
                     .first    = place_of(first),
                     .end      = place_of(first + distance)});
  }
  if (is_folded) {
    steps.push_back({.phase = last, .node = node + 1, .sends = true});
  }
  return steps;
}

}  // namespace symm::Impl
