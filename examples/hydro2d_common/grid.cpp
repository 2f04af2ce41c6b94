// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

#include <cstdint>
#include <hydro2d_common/grid.hpp>

namespace hydro2d {
namespace {

std::string text(Pair const& pair) {
  return std::to_string(pair[0]) + 'x' + std::to_string(pair[1]);
}

Pair pe_grid_of(Options const& options, int n_pes) {
  if (!options.pe_grid) {
    int columns = 1;
    for (int n = 1; n * n <= n_pes; ++n)
      if (n_pes % n == 0) columns = n;
    return {n_pes / columns, columns};
  }
  auto const& grid = *options.pe_grid;
  if (std::int64_t{grid[0]} * grid[1] != n_pes)
    throw UsageError("--pe-grid " + text(grid) +
                     " does not match the number of PEs, " +
                     std::to_string(n_pes));
  return grid;
}

}  // namespace

Grid::Grid(Options const& options, int me, int n_pes)
    : size(options.size),
      pe_grid(pe_grid_of(options, n_pes)),
      place{me / pe_grid[1], me % pe_grid[1]} {
  for (std::size_t axis = 0; axis < 2; ++axis) {
    if (size[axis] < pe_grid[axis])
      throw UsageError("--size " + text(size) +
                       ": there are fewer cells than "
                       "PEs along an axis of the PE grid " +
                       text(pe_grid));
    auto const begin = [&](int pe) {
      return static_cast<int>(std::int64_t{size[axis]} * pe / pe_grid[axis]);
    };
    first[axis] = begin(place[axis]);
    owned[axis] = begin(place[axis] + 1) - first[axis];
  }
}

int Grid::neighbor(int along_x, int along_y) const {
  Pair const there{place[0] + along_x, place[1] + along_y};
  for (std::size_t axis = 0; axis < 2; ++axis)
    if (there[axis] < 0 || there[axis] >= pe_grid[axis]) return -1;
  return there[0] * pe_grid[1] + there[1];
}

}  // namespace hydro2d
