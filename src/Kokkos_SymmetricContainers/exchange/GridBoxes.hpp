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

/// The boxes of one grid that a PE has, each with ghosts around it. A PE may
/// have any number of boxes, anywhere and of any extents. The boxes need not
/// cover the grid: a ghost that is in no box gets no value.
///
/// Boxes may overlap, as they do if two cells share points (nodes, faces of a
/// staggered grid). The owner of a point is the first box that has the point:
/// boxes are ordered by PE number, then by box number. All other boxes have
/// copies of the point, in their ghosts and (if shares_points is set) inside:
/// gather() makes these copies equal.
struct GridBoxes {
  /// The points first[a] to first[a] + extents[a] - 1 of the grid along axis a.
  /// A box with an extent of 0 has no points. (If braces list too few extents,
  /// the other extents are 0.)
  struct Box {
    std::array<std::int64_t, 3> first{};
    std::array<std::size_t, 3> extents{1, 1, 1};
  };

  /// Number of points in the whole grid along each axis, up to the first 0.
  /// These numbers are equal on all PEs. Along a periodic axis, `grid[a]` is
  /// the period: point `grid[a]` is point 0, and boxes may reach beyond both
  /// ends.
  std::array<std::size_t, 3> grid{};
  /// Whether each axis is periodic; equal on all PEs.
  std::array<bool, 3> periodic{};
  /// The boxes on this PE.
  std::vector<Box> boxes;
  /// Whether the first index of Views is the number of the box. If false, each
  /// PE has one box or none, and Views have an index for each axis only.
  bool has_box_index = true;
  /// Number of ghosts that Views have on both sides of each box, along each
  /// axis: the first point of a box is at index ghost_width[a].
  std::array<std::size_t, 3> ghost_width{1, 1, 1};
  /// The number of ghost layers next to the box that are filled, along each
  /// axis. By default, all layers are filled.
  std::optional<std::array<std::size_t, 3>> depth{};
  /// Whether a point inside several boxes is exchanged. If all boxes that have
  /// the point compute it, the exchange is not necessary: the values of the
  /// point do not change, and ghosts are copies of the first box.
  bool shares_points = true;
  /// Says along how many axes a ghost may be outside its box.
  BoxDecomposition::Neighbors neighbors = BoxDecomposition::Neighbors::all;
  /// Extents of the Views along the axes, if they are larger than the largest
  /// box on this PE and its ghosts.
  std::array<std::size_t, 3> view_extents{};
};

}  // namespace symm

#endif
