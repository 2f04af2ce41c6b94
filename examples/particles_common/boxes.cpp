// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>
#include <particles_common/boxes.hpp>
#include <particles_common/options.hpp>
#include <string>

namespace particles {

Boxes::Boxes(Triple const& cells, Triple const& pe_grid)
    : m_cells(cells), m_pe_grid(pe_grid) {
  for (int axis = 0; axis < 3; ++axis)
    if (pe_grid[axis] > cells[axis])
      throw UsageError(
          "a PE grid of " + to_string(pe_grid) +
          " needs at least one cell per PE and axis, but there are " +
          to_string(cells) + " cells");

  // The size of the largest box, including the layer around it.
  double around = 1;
  for (int axis = 0; axis < 3; ++axis)
    around *= (cells[axis] - 1) / pe_grid[axis] + 3;
  if (around > std::numeric_limits<int>::max())
    throw UsageError(to_string(cells) + " cells on a PE grid of " +
                     to_string(pe_grid) +
                     " are too many for a PE; use more PEs");
}

int Boxes::begin(int axis, int part) const {
  return static_cast<int>(std::int64_t{m_cells[axis]} * part / m_pe_grid[axis]);
}

Box Boxes::box(int pe) const {
  Triple const part = {pe / (m_pe_grid[1] * m_pe_grid[2]),
                       pe / m_pe_grid[2] % m_pe_grid[1], pe % m_pe_grid[2]};
  Box box{};
  for (int axis = 0; axis < 3; ++axis) {
    box.begin[axis]  = begin(axis, part[axis]);
    box.extent[axis] = begin(axis, part[axis] + 1) - box.begin[axis];
  }
  return box;
}

Place Boxes::owner(Triple const& cell) const {
  int pe = 0;
  Triple inside{};
  for (int axis = 0; axis < 3; ++axis) {
    inside[axis] = (cell[axis] + m_cells[axis]) % m_cells[axis];
    // The last part that begins at or before this cell.
    auto const last_begin = (inside[axis] + std::int64_t{1}) * m_pe_grid[axis];
    auto const part       = static_cast<int>((last_begin - 1) / m_cells[axis]);
    pe                    = pe * m_pe_grid[axis] + part;
  }
  auto const its = box(pe);
  return {pe, ((inside[0] - its.begin[0]) * its.extent[1] +
               (inside[1] - its.begin[1])) *
                      its.extent[2] +
                  (inside[2] - its.begin[2])};
}

Surroundings::Surroundings(Boxes const& boxes, int pe) {
  auto const box = boxes.box(pe);
  std::vector<Place> owners;
  for (int i = -1; i <= box.extent[0]; ++i)
    for (int j = -1; j <= box.extent[1]; ++j)
      for (int k = -1; k <= box.extent[2]; ++k)
        owners.push_back(boxes.owner(
            {box.begin[0] + i, box.begin[1] + j, box.begin[2] + k}));

  for (auto const& owner : owners)
    if (owner.pe != pe) copied.push_back(owner);
  std::sort(copied.begin(), copied.end());
  copied.erase(std::unique(copied.begin(), copied.end()), copied.end());

  for (auto const& owner : owners) {
    auto const copy = std::lower_bound(copied.begin(), copied.end(), owner);
    found.push_back(owner.pe == pe
                        ? owner.cell
                        : box.n_cells() +
                              static_cast<int>(copy - copied.begin()));
  }
}

Triple choose_pe_grid(Triple const& cells, int n_pes) {
  std::optional<Triple> best;
  double best_cut = 0;
  for (int px = 1; px <= n_pes; ++px)
    for (int py = 1; px * py <= n_pes; ++py) {
      if (n_pes % (px * py) != 0) continue;
      Triple const grid = {px, py, n_pes / (px * py)};
      double cut        = 0;
      bool fits         = true;
      for (int axis = 0; axis < 3; ++axis) {
        fits = fits && grid[axis] <= cells[axis];
        // With one part along an axis, there is no cut; otherwise, there are as
        // many cuts as parts.
        if (grid[axis] > 1) cut += 1.0 * grid[axis] / cells[axis];
      }
      // Among equally good grids, the last one wins. It cuts the first axes, so
      // that rows stay contiguous.
      if (fits && (!best || cut <= best_cut)) {
        best     = grid;
        best_cut = cut;
      }
    }
  if (!best)
    throw UsageError(to_string(cells) + " cells cannot be split into " +
                     std::to_string(n_pes) +
                     " boxes; use fewer PEs or more cells along an axis");
  return *best;
}

}  // namespace particles
