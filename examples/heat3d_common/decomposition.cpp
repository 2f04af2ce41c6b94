// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

#include <cstdint>
#include <heat3d_common/decomposition.hpp>
#include <heat3d_common/options.hpp>
#include <limits>
#include <optional>
#include <string>

namespace heat3d {

Decomposition::Decomposition(Triple const& size, Triple const& pe_grid)
    : m_size(size), m_pe_grid(pe_grid) {
  for (int axis = 0; axis < 3; ++axis)
    if (pe_grid[axis] > size[axis])
      throw UsageError("a PE grid of " + to_string(pe_grid) +
                       " needs at least one cell per PE and axis, but the "
                       "size is " +
                       to_string(size));

  auto const view          = largest_view();
  std::int64_t const limit = std::numeric_limits<int>::max();
  std::int64_t const plane = std::int64_t{view[0]} * view[1];
  if (plane > limit || plane * view[2] > limit)
    throw UsageError("size " + to_string(size) + " on a PE grid of " +
                     to_string(pe_grid) + " gives a PE more than " +
                     std::to_string(limit) + " cells; use more PEs");
}

int Decomposition::begin(int axis, int place) const {
  auto const cells = std::int64_t{m_size[axis]};
  return static_cast<int>(cells * place / m_pe_grid[axis]);
}

int Decomposition::extent(int axis, int place) const {
  return begin(axis, place + 1) - begin(axis, place);
}

Triple Decomposition::place_of(int pe) const {
  return {pe / (m_pe_grid[1] * m_pe_grid[2]), pe / m_pe_grid[2] % m_pe_grid[1],
          pe % m_pe_grid[2]};
}

Box Decomposition::box(int pe) const {
  auto const place = place_of(pe);
  Box box{};
  for (int axis = 0; axis < 3; ++axis) {
    box.begin[axis]  = begin(axis, place[axis]);
    box.extent[axis] = extent(axis, place[axis]);
  }
  return box;
}

Triple Decomposition::largest_view() const {
  Triple extents{};
  for (int axis = 0; axis < 3; ++axis)
    extents[axis] = (m_size[axis] - 1) / m_pe_grid[axis] + 1 + 2;
  return extents;
}

Triple Decomposition::view_of(int pe) const {
  auto const own = box(pe).extent;
  return {own[0] + 2, own[1] + 2, own[2] + 2};
}

std::vector<Face> Decomposition::faces(int pe) const {
  auto const place   = place_of(pe);
  auto const own     = box(pe).extent;
  Triple const to_pe = {m_pe_grid[1] * m_pe_grid[2], m_pe_grid[2], 1};

  std::vector<Face> faces;
  for (int axis = 0; axis < 3; ++axis)
    for (int const side : {-1, +1}) {
      int const neighbor = place[axis] + side;
      if (neighbor < 0 || neighbor >= m_pe_grid[axis]) continue;

      Face face{};
      face.pe             = pe + side * to_pe[axis];
      face.cells          = {{1, 1, 1}, {own[0] + 1, own[1] + 1, own[2] + 1}};
      int const outermost = side < 0 ? 1 : own[axis];
      face.cells.begin[axis] = outermost;
      face.cells.end[axis]   = outermost + 1;
      face.ghosts            = face.cells;
      face.ghosts.begin[axis] += side;
      face.ghosts.end[axis] += side;
      faces.push_back(face);
    }
  return faces;
}

Triple choose_pe_grid(Triple const& size, int n_pes) {
  std::optional<Triple> best;
  std::int64_t best_halo = 0;
  for (int px = 1; px <= n_pes; ++px)
    for (int py = 1; px * py <= n_pes; ++py) {
      if (n_pes % (px * py) != 0) continue;
      Triple const grid = {px, py, n_pes / (px * py)};
      if (grid[0] > size[0] || grid[1] > size[1] || grid[2] > size[2]) continue;

      // The number of cells along all cuts. Among equally good grids, the last
      // one wins. It cuts the first axes, so that faces consist of contiguous
      // rows of cells.
      std::int64_t const halo =
          (grid[0] - 1) * std::int64_t{size[1]} * size[2] +
          (grid[1] - 1) * std::int64_t{size[0]} * size[2] +
          (grid[2] - 1) * std::int64_t{size[0]} * size[1];
      if (!best || halo <= best_halo) {
        best      = grid;
        best_halo = halo;
      }
    }
  if (!best)
    throw UsageError("size " + to_string(size) + " is too small for " +
                     std::to_string(n_pes) + " PEs");
  return *best;
}

}  // namespace heat3d
