// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

#include <algorithm>
#include <molecules_common/decomposition.hpp>
#include <molecules_common/options.hpp>
#include <optional>
#include <string>

namespace molecules {
namespace {

/// Calls body(side) for each of the 26 directions.
template <class Body>
void for_each_side(Body const& body) {
  for (int i = -1; i <= 1; ++i)
    for (int j = -1; j <= 1; ++j)
      for (int k = -1; k <= 1; ++k)
        if (i != 0 || j != 0 || k != 0) body(Triple{i, j, k});
}

bool points_down(Triple const& side) {
  for (int axis = 0; axis < 3; ++axis)
    if (side[axis] != 0) return side[axis] < 0;
  return false;
}

}  // namespace

Triple Decomposition::part_of(int pe) const {
  auto const& n = m_pe_grid;
  return {pe / (n[1] * n[2]), pe / n[2] % n[1], pe % n[2]};
}

Vector Decomposition::lower(int pe) const {
  auto const part = part_of(pe);
  return {begin(0, part[0]), begin(1, part[1]), begin(2, part[2])};
}

Vector Decomposition::upper(int pe) const {
  auto const part = part_of(pe);
  return {begin(0, part[0] + 1), begin(1, part[1] + 1), begin(2, part[2] + 1)};
}

Direction Decomposition::direction(int pe, Triple const& side) const {
  auto const from = part_of(pe);
  Direction result{0, side, {0, 0, 0}};
  for (int axis = 0; axis < 3; ++axis) {
    int const n  = m_pe_grid[axis];
    int const to = from[axis] + side[axis];
    if (to < 0) result.shift[axis] = m_length[axis];
    if (to >= n) result.shift[axis] = -m_length[axis];
    result.pe = result.pe * n + (to + n) % n;
  }
  return result;
}

std::vector<Direction> Decomposition::exports_of(int pe) const {
  std::vector<Direction> result;
  for_each_side([&](Triple const& side) {
    if (points_down(side)) result.push_back(direction(pe, side));
  });
  std::stable_sort(result.begin(), result.end(),
                   [&](Direction const& a, Direction const& b) {
                     return a.pe != b.pe &&
                            (a.pe == pe || (b.pe != pe && a.pe < b.pe));
                   });
  return result;
}

std::vector<int> Decomposition::neighbors_of(int pe) const {
  std::vector<int> result;
  for_each_side([&](Triple const& side) {
    auto const its = direction(pe, side).pe;
    if (its != pe) result.push_back(its);
  });
  std::sort(result.begin(), result.end());
  result.erase(std::unique(result.begin(), result.end()), result.end());
  return result;
}

Triple choose_pe_grid(Vector const& length, double least, int n_pes) {
  std::optional<Triple> best;
  double best_cut = 0;
  for (int px = 1; px <= n_pes; ++px)
    for (int py = 1; px * py <= n_pes; ++py) {
      if (n_pes % (px * py) != 0) continue;
      Triple const grid = {px, py, n_pes / (px * py)};
      double cut        = 0;
      bool fits         = true;
      for (int axis = 0; axis < 3; ++axis) {
        fits = fits && length[axis] / grid[axis] >= least;
        if (grid[axis] > 1) cut += grid[axis] / length[axis];
      }
      if (fits && (!best || cut < best_cut)) {
        best     = grid;
        best_cut = cut;
      }
    }
  if (!best)
    throw UsageError(
        "these cells cannot be split into " + std::to_string(n_pes) +
        " boxes as long as cutoff plus skin; use fewer PEs or more --cells");
  return *best;
}

}  // namespace molecules
