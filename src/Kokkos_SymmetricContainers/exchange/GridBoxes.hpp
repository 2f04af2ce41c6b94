// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_EXCHANGE_GRID_BOXES_HPP
#define SYMM_EXCHANGE_GRID_BOXES_HPP

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "../../runtime/symm_teams.hpp"
#include "ExchangeLists.hpp"

namespace symm {

/// Boxes of one grid, each with ghosts around it, as a PE has them: any number,
/// anywhere, of any extents. They need not cover the grid: a ghost that is in
/// no box gets no value.
///
/// Boxes may overlap, as those of points that two cells share do (nodes, faces
/// of a staggered grid). The owner of a point is the first of its boxes, by the
/// number of the PE and then of the box; all others have copies of it, inside
/// of the box (if shares_points is set) as in its ghosts: gather() makes them
/// equal.
struct GridBoxes {
  /// Points first[a] to first[a] + extents[a] - 1 of the grid along axis a. An
  /// extent of 0, which braces leave behind that name too few: it has none.
  struct Box {
    std::array<std::int64_t, 3> first{};
    std::array<std::size_t, 3> extents{1, 1, 1};
  };

  /// Points of the whole grid along each axis, up to the first 0. Equal on all
  /// PEs. Along a periodic axis it is the period: point `grid[a]` is point 0,
  /// and boxes may reach beyond both ends.
  std::array<std::size_t, 3> grid{};
  /// Equal on all PEs.
  std::array<bool, 3> periodic{};
  /// Those of this PE.
  std::vector<Box> boxes;
  /// Whether the first index of Views is the number of the box. Without it,
  /// each PE has one box or none, and Views have an index for each axis only.
  bool has_box_index = true;
  /// Ghosts that Views have on both sides of each box: the first point of a box
  /// is at the index ghost_width[a].
  std::array<std::size_t, 3> ghost_width{1, 1, 1};
  /// Of these, how many layers are filled, the next ones to the box. Default:
  /// all.
  std::optional<std::array<std::size_t, 3>> depth{};
  /// Whether a point that is inside of several boxes is exchanged. If all that
  /// have it compute it, nothing need be sent: its values stay, and ghosts are
  /// copies of the first one.
  bool shares_points = true;
  /// Along how many axes a ghost may be outside of its box.
  BoxDecomposition::Neighbours neighbours = BoxDecomposition::Neighbours::all;
  /// Extents of the Views along the axes, if larger than the largest box of
  /// this PE and its ghosts.
  std::array<std::size_t, 3> view_extents{};
};

}  // namespace symm

namespace symm::Impl {

/// Collective over the world, also if this PE has no team. \param failure why
/// this PE cannot go on. \throws UsageError, OutOfMemory, SystemError on every
/// PE, before lists are made.
/// \param failure on return: why this PE has no lists.
ExchangeLists lists_of_boxes(char const* call, GridBoxes const& boxes,
                             PeTeam const& team,
                             std::optional<Failure>& failure);

}  // namespace symm::Impl

#endif
