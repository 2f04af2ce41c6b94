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

/// A box of cells of one PE's View: begin[axis] <= index < end[axis]. Index 0
/// and the last index of an axis are ghost layers, own cells start at 1.
struct Cells {
  Triple begin;
  Triple end;

  int extent(int axis) const { return end[axis] - begin[axis]; }
  Triple extents() const { return {extent(0), extent(1), extent(2)}; }
};

/// Calls body(i, j, k) for every cell of `cells`, in parallel on the default
/// execution space; returns when the work is enqueued.
///
/// A team per row of k, because k is contiguous in memory: the compiler
/// vectorises the row on a CPU, and neighbouring threads read neighbouring
/// cells on a GPU. An MDRangePolicy is shorter, but on Kokkos' Serial it takes
/// twice the time for the heat stencil.
template <class Body>
void for_each_cell(char const* label, Cells const& cells, Body const& body) {
  using Policy     = Kokkos::TeamPolicy<>;
  auto const begin = cells.begin;
  auto const end   = cells.end;
  int const width  = cells.extent(1);

  Kokkos::parallel_for(
      label, Policy(cells.extent(0) * width, Kokkos::AUTO),
      KOKKOS_LAMBDA(Policy::member_type const& team) {
        int const i = begin[0] + team.league_rank() / width;
        int const j = begin[1] + team.league_rank() % width;
        Kokkos::parallel_for(Kokkos::TeamVectorRange(team, begin[2], end[2]),
                             [&](int k) { body(i, j, k); });
      });
}

}  // namespace heat3d

#endif
