// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_EXCHANGE_GRID_REGION_HPP
#define SYMM_EXCHANGE_GRID_REGION_HPP

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

namespace symm::Impl {

inline constexpr std::size_t n_grid_axes = 3;
using GridPlace = std::array<std::int64_t, n_grid_axes>;

/// A region of grid points: begin <= index < end along each axis.
struct GridRegion {
  GridPlace begin;
  GridPlace end;

  [[nodiscard]] bool is_empty() const {
    for (std::size_t a = 0; a < n_grid_axes; ++a)
      if (begin[a] >= end[a]) return true;
    return false;
  }
  [[nodiscard]] std::int64_t extent(std::size_t a) const {
    return end[a] - begin[a];
  }
  [[nodiscard]] bool has(std::size_t a, std::int64_t x) const {
    return begin[a] <= x && x < end[a];
  }
};

inline GridRegion intersection(GridRegion const& a, GridRegion const& b) {
  GridRegion result;
  for (std::size_t x = 0; x < n_grid_axes; ++x) {
    result.begin[x] = std::max(a.begin[x], b.begin[x]);
    result.end[x]   = std::min(a.end[x], b.end[x]);
  }
  return result;
}

/// a / b, rounded down. Precondition: b > 0.
inline std::int64_t floor_of(std::int64_t a, std::int64_t b) {
  return a / b - (a % b < 0 ? 1 : 0);
}

}  // namespace symm::Impl

#endif
