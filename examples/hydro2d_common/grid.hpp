// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

#ifndef SYMM_EXAMPLES_HYDRO2D_GRID_HPP
#define SYMM_EXAMPLES_HYDRO2D_GRID_HPP

#include <Kokkos_Core.hpp>
#include <hydro2d_common/fields.hpp>
#include <hydro2d_common/options.hpp>
#include <string>

/// The cells of each PE, and loops over the points of a field.
namespace hydro2d {

/// A PE's cells in the global grid. PE numbers increase fastest along the
/// second axis.
struct Grid {
  /// \throws UsageError if the options do not fit the number of PEs.
  Grid(Options const& options, int me, int n_pes);

  /// The PE at this distance, in PEs, along each axis; -1 if there is a wall.
  [[nodiscard]] int neighbor(int along_x, int along_y) const;
  [[nodiscard]] bool has_wall(std::size_t axis, int side) const {
    return axis == 0 ? neighbor(side, 0) < 0 : neighbor(0, side) < 0;
  }

  Pair size;     ///< number of cells on all PEs
  Pair pe_grid;  ///< number of PEs along each axis
  Pair place;    ///< this PE's place in pe_grid
  Pair first;    ///< this PE's first cell
  Pair owned;    ///< number of this PE's cells
};

/// Indices into a field along each axis: begin to end - 1.
struct Points {
  Pair begin;
  Pair end;
};

/// This PE's points without ghosts, plus `reach` layers of ghosts.
inline Points own_points(Grid const& grid, Centering centering, int reach = 0) {
  Points points{};
  for (std::size_t axis = 0; axis < 2; ++axis) {
    points.begin[axis] = width - reach;
    points.end[axis] =
        width + grid.owned[axis] + more_points(centering, axis) + reach;
  }
  return points;
}

/// Rows of points, for loops on the host.
template <class Body>
struct Row {
  KOKKOS_FUNCTION void operator()(int i) const {
    for (int j = begin; j < end; ++j) body(i, j);
  }
  KOKKOS_FUNCTION void operator()(int i, double& largest) const {
    for (int j = begin; j < end; ++j) body(i, j, largest);
  }

  Body body;
  int begin;
  int end;
};

using Exec = Kokkos::DefaultExecutionSpace;
constexpr bool on_host =
    Kokkos::SpaceAccessibility<Kokkos::HostSpace,
                               Exec::memory_space>::accessible;
using Tiles = Kokkos::MDRangePolicy<Exec, Kokkos::Rank<2>>;

/// Calls body(i, j) for each of the points.
template <class Body>
void for_each(std::string const& name, Points const& points, Body const& body) {
  if constexpr (on_host) {
    Kokkos::parallel_for(
        name, Kokkos::RangePolicy<Exec>(points.begin[0], points.end[0]),
        Row<Body>{body, points.begin[1], points.end[1]});
  } else {
    Kokkos::parallel_for(name,
                         Tiles({points.begin[0], points.begin[1]},
                               {points.end[0], points.end[1]}),
                         body);
  }
}

/// Stores the largest value found by body(i, j, largest) to `result`, for the
/// next kernels.
template <class Body>
void largest_of(std::string const& name, Points const& points, Body const& body,
                double* result) {
  using Result =
      Kokkos::View<double, Exec::memory_space, Kokkos::MemoryUnmanaged>;
  Kokkos::Max<double, Exec::memory_space> const max{Result(result)};
  if constexpr (on_host) {
    Kokkos::parallel_reduce(
        name, Kokkos::RangePolicy<Exec>(points.begin[0], points.end[0]),
        Row<Body>{body, points.begin[1], points.end[1]}, max);
  } else {
    Kokkos::parallel_reduce(name,
                            Tiles({points.begin[0], points.begin[1]},
                                  {points.end[0], points.end[1]}),
                            body, max);
  }
}

}  // namespace hydro2d

#endif
