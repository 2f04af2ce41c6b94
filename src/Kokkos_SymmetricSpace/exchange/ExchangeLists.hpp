// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_EXCHANGE_LISTS_HPP
#define SYMM_EXCHANGE_LISTS_HPP

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "../../runtime/base/Types.hpp"

namespace symm {

/// One box of a grid that is cut into a box per PE, with ghost cells around it.
/// The PEs of the PE team are the boxes, their numbers running fastest along
/// the last axis. A View has owned cells from `ghost_width` on along each axis
/// and ghosts on both sides, also at an end of the grid.
struct BoxDecomposition {
  enum class Neighbours { faces, faces_and_edges, all };

  /// Cells that this PE owns along each axis, up to the first 0. Boxes may
  /// differ, as long as those of PEs side by side have faces of equal extents.
  std::array<std::size_t, 3> owned{};
  std::array<int, 3> pe_grid{1, 1, 1};
  std::size_t ghost_width = 1;
  /// Whether the first and the last box of an axis are neighbours.
  std::array<bool, 3> periodic{};
  Neighbours neighbours = Neighbours::all;
  /// Extents of the Views, if larger than the owned and ghost cells.
  std::array<std::size_t, 3> view_extents{};
};

}  // namespace symm

namespace symm::Impl {

/// An element of a View, counted in the order of its first indices.
using ElementIndex                        = std::uint32_t;
inline constexpr std::size_t max_elements = 0xffff'ffff;

/// What this PE sends or receives: elements, those of one PE after the other.
struct ElementsOfMembers {
  std::vector<ElementIndex> elements;
  std::vector<std::size_t> counts;  // one for each member of the PE team
  bool is_known = false;            // to this PE, before it has heard others

  /// Sorts elements(k), k < pes.size(), by pes(k), and keeps their order.
  /// Precondition: 0 <= pes(k) < n_pes.
  static ElementsOfMembers sorted(std::span<ElementIndex const> elements,
                                  std::span<std::int64_t const> pes, int n_pes);
};

/// A plan as far as one PE knows it.
struct ExchangeLists {
  ElementsOfMembers owned;   // that ghosts of others are copies of
  ElementsOfMembers ghosts;  // of this PE
  /// Of imports: the owner's index of each ghost.
  std::vector<ElementIndex> wanted;
  std::size_t n_owned = 0;
  /// Extents of the indices of a View that find an element.
  std::vector<std::size_t> extents{0};
};

// These throw UsageError on this PE. `call` is for messages.

ExchangeLists lists_of_exports(char const* call, std::size_t n_owned,
                               std::span<std::int64_t const> ids,
                               std::span<std::int64_t const> pes, int n_pes);
/// \param targets the ghosts' own indices; none: behind the owned elements.
ExchangeLists lists_of_imports(char const* call, std::size_t n_owned,
                               std::span<std::int64_t const> indices,
                               std::span<std::int64_t const> pes,
                               std::span<std::int64_t const> targets,
                               bool has_targets, int n_pes);
ExchangeLists lists_of_box(char const* call, BoxDecomposition const& box,
                           Pe my_pe, int n_pes);

}  // namespace symm::Impl

#endif
