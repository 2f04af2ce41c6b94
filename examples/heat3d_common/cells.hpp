// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

#ifndef SYMM_EXAMPLES_HEAT3D_CELLS_HPP
#define SYMM_EXAMPLES_HEAT3D_CELLS_HPP

#include <Kokkos_Core.hpp>
#include <cstddef>

namespace heat3d {

/// One number per axis.
using Triple = Kokkos::Array<int, 3>;

/// The layout of a View with these extents.
inline Kokkos::LayoutRight layout_of(Triple const& extents) {
  return Kokkos::LayoutRight(static_cast<std::size_t>(extents[0]),
                             static_cast<std::size_t>(extents[1]),
                             static_cast<std::size_t>(extents[2]));
}

/// A box of cells in one PE's View: begin[axis] <= index < end[axis]. Along
/// each axis, index 0 and the last index are ghost layers; own cells start at
/// 1.
struct Cells {
  Triple begin;
  Triple end;

  int extent(int axis) const { return end[axis] - begin[axis]; }
  KOKKOS_FUNCTION bool has_row(int i, int j) const {
    return begin[0] <= i && i < end[0] && begin[1] <= j && j < end[1];
  }
  Triple extents() const { return {extent(0), extent(1), extent(2)}; }
};

using Team = Kokkos::TeamPolicy<>::member_type;

/// Calls body(team, i, j) for every row of `cells` along the last axis, with
/// one team of threads per row, in parallel on the default execution space.
/// Returns once the work is enqueued.
template <class Body>
void for_each_row(char const* label, Cells const& cells, Body const& body) {
  auto const begin = cells.begin;
  int const width  = cells.extent(1);

  Kokkos::parallel_for(
      label, Kokkos::TeamPolicy<>(cells.extent(0) * width, Kokkos::AUTO),
      KOKKOS_LAMBDA(Team const& team) {
        body(team, begin[0] + team.league_rank() / width,
             begin[1] + team.league_rank() % width);
      });
}

/// Like for_each_row(), but calls body(i, j, k) for every cell.
///
/// There is one team per row along k because k is contiguous in memory: on a
/// CPU, the compiler vectorizes the row, and on a GPU, neighboring threads read
/// neighboring cells. An MDRangePolicy would be shorter, but takes two to three
/// times as long for the heat stencil, both on Kokkos' Serial and on an H200.
template <class Body>
void for_each_cell(char const* label, Cells const& cells, Body const& body) {
  int const first = cells.begin[2];
  int const last  = cells.end[2];
  for_each_row(
      label, cells, KOKKOS_LAMBDA(Team const& team, int i, int j) {
        Kokkos::parallel_for(Kokkos::TeamVectorRange(team, first, last),
                             [&](int k) { body(i, j, k); });
      });
}

}  // namespace heat3d

#endif
