// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_EXCHANGE_GRID_BOXES_HPP
#define SYMM_EXCHANGE_GRID_BOXES_HPP

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "BoxDecomposition.hpp"

namespace symm {

/// A PE's boxes in a grid, each with ghosts around it. A PE may have any number
/// of boxes, anywhere and of any size. The boxes need not cover the grid: a
/// ghost that is in no box receives no value.
///
/// Boxes may overlap, for example if adjacent cells share points (nodes, or
/// faces of a staggered grid). The owner of a point is the first box that
/// contains it: boxes are ordered by PE number, then by box number. All other
/// boxes that contain the point have copies of it, in their ghosts and (if
/// `shares_points` is set) inside. gather() updates these copies.
struct GridBoxes {
  /// The grid's points first[a] to first[a] + extents[a] - 1 along each axis a.
  /// A box with an extent of 0 has no points. (If an initializer lists too few
  /// extents, the others are 0.)
  struct Box {
    std::array<std::int64_t, 3> first{};
    std::array<std::size_t, 3> extents{1, 1, 1};
  };

  /// Number of points in the whole grid along each axis. The number of axes is
  /// the number of entries before the first 0. Must be equal on all PEs. Along
  /// a periodic axis, `grid[a]` is the period: point `grid[a]` is point 0, and
  /// boxes may extend beyond both ends.
  std::array<std::size_t, 3> grid{};
  /// Whether each axis is periodic. Must be equal on all PEs.
  std::array<bool, 3> periodic{};
  /// The boxes on this PE.
  std::vector<Box> boxes;
  /// Whether the first index of the Views is the box number. If false, each PE
  /// may have at most one box, and the Views have only the axis indices.
  bool has_box_index = true;
  /// Number of ghost layers that the Views contain on each side of a box along
  /// each axis: the first point of a box is at index ghost_width[a].
  std::array<std::size_t, 3> ghost_width{1, 1, 1};
  /// The number of ghost layers to fill along each axis, counted outward from
  /// the box. By default, all layers are filled.
  std::optional<std::array<std::size_t, 3>> depth{};
  /// Whether points inside several boxes are exchanged. This is unnecessary if
  /// every box that contains such a point computes it. If false, these points
  /// keep their values, and ghosts are copies from the first box.
  bool shares_points = true;
  /// Selects the ghosts that are filled: ghosts outside their box along one
  /// axis (`faces`), up to two axes (`faces_and_edges`), or up to three axes
  /// (`all`).
  BoxDecomposition::Neighbors neighbors = BoxDecomposition::Neighbors::all;
  /// The Views' extents along each axis, if larger than this PE's largest box
  /// with its ghosts; otherwise 0.
  std::array<std::size_t, 3> view_extents{};
};

}  // namespace symm

#endif
