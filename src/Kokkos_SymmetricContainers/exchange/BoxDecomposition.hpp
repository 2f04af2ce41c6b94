// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_EXCHANGE_BOX_DECOMPOSITION_HPP
#define SYMM_EXCHANGE_BOX_DECOMPOSITION_HPP

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

#include <Kokkos_SymmetricSpace_Edge.hpp>

#include "../../runtime/symm_job.hpp"

namespace symm {

/// This PE's box of a grid that is divided into one box per PE of the PE team.
/// Ghost cells surround each box. `order` specifies how the PEs are numbered.
/// Along each axis, the owned cells of a View begin at index `ghost_width` and
/// have ghosts on both sides, even at the ends of the grid.
///
/// PEs compare these settings. All settings except `owned`, `first` and
/// `view_extents` must be equal on all PEs. Adjacent boxes must have equal
/// extents where they touch.
struct BoxDecomposition {
  enum class Neighbors { faces, faces_and_edges, all };
  /// How PEs are numbered. In a 3 x 2 PE grid, `last_axis_fastest` puts PE 1 at
  /// (0, 1), as MPI_Cart_create() does; `first_axis_fastest` puts PE 1 at (1,
  /// 0).
  enum class Order { last_axis_fastest, first_axis_fastest };

  /// Number of cells that this PE owns along each axis. The number of axes is
  /// the number of entries before the first 0. Boxes may differ in size, as
  /// long as the faces between adjacent boxes have equal extents.
  std::array<std::size_t, 3> owned{};
  std::array<int, 3> pe_grid{1, 1, 1};
  /// If the program numbers PEs in a different order, ghosts receive wrong
  /// values. This is reported as an error only if `first` is set or if box
  /// sizes differ.
  Order order = Order::last_axis_fastest;
  /// The index, in the whole grid, of the first cell that this PE owns along
  /// each axis. If `first` is set, each PE checks that its box is where its
  /// neighbors expect it.
  std::optional<std::array<std::size_t, 3>> first{};
  std::size_t ghost_width = 1;
  /// For each axis, whether the first and the last box along it are neighbors.
  std::array<bool, 3> periodic{};
  Neighbors neighbors = Neighbors::all;
  /// The Views' extents along each axis, if larger than the owned and ghost
  /// cells require; otherwise 0.
  std::array<std::size_t, 3> view_extents{};
  /// The number of ghost layers to fill, counted outward from the box. If 0,
  /// all layers are filled.
  std::size_t depth = 0;
};

}  // namespace symm

namespace symm::Impl {

/// Number of ghost layers that are filled.
[[nodiscard]] inline std::size_t depth_of(BoxDecomposition const& box) {
  return box.depth == 0 ? box.ghost_width : box.depth;
}

/// This PE's cells that are copied to the neighbor in one direction.
struct BoxPart {
  Pe pe;                         // the neighbor's number in the PE team
  std::array<int, 3> direction;  // each -1, 0 or 1
  unsigned wraps;  // bit a: the neighbor is across periodic axis a's end
  std::array<std::size_t, 3> begin;
  std::array<std::size_t, 3> end;
  std::size_t in_block;  // number of earlier elements in the block for `pe`
};

/// A PE's description of its own box, which it sends to other PEs.
struct BoxWords {
  static constexpr std::int64_t unknown = -1;

  std::array<std::size_t, 3> owned{};  // in cells; 0 if there is no box
  std::array<std::int64_t, 3> first{unknown, unknown, unknown};
  /// A hash of the settings that all boxes share, or of the joined plans.
  std::uint64_t settings = 0;

  static constexpr std::size_t n_words = 7;
  using Words                          = std::array<std::int64_t, n_words>;
  [[nodiscard]] Words words() const;
  [[nodiscard]] static BoxWords of(std::int64_t const* words);
};

/// The reason why two boxes cannot be adjacent; empty if they can.
/// \param part the part of the first box that is copied to the second box.
std::optional<Text> difference(BoxPart const& part, BoxWords const& mine,
                               BoxWords const& theirs);

}  // namespace symm::Impl

#endif
