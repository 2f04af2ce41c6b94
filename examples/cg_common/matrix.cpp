// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

#include <algorithm>
#include <cg_common/matrix.hpp>
#include <cstdint>

namespace cg {

Rows rows_of(Matrix const& matrix, RowBlocks const& blocks, int pe) {
  Rows rows;
  rows.first_row = blocks.first(pe);
  auto entry     = std::partition_point(
          matrix.entries.begin(), matrix.entries.end(),
          [&](Entry const& e) { return e.row < rows.first_row; });
  for (int row = rows.first_row; row < blocks.first(pe + 1); ++row) {
    for (; entry != matrix.entries.end() && entry->row == row; ++entry) {
      rows.column.push_back(entry->column);
      rows.value.push_back(entry->value);
    }
    rows.begin.push_back(rows.column.size());
  }
  return rows;
}

Rows grid_rows(int grid, RowBlocks const& blocks, int pe) {
  Rows rows;
  rows.first_row = blocks.first(pe);
  for (int row = rows.first_row; row < blocks.first(pe + 1); ++row) {
    int const i = row / (grid * grid);
    int const j = row / grid % grid;
    int const k = row % grid;
    for (int x = std::max(i - 1, 0); x <= std::min(i + 1, grid - 1); ++x)
      for (int y = std::max(j - 1, 0); y <= std::min(j + 1, grid - 1); ++y)
        for (int z = std::max(k - 1, 0); z <= std::min(k + 1, grid - 1); ++z) {
          int const column = (x * grid + y) * grid + z;
          rows.column.push_back(column);
          rows.value.push_back(column == row ? 26 : -1);
        }
    rows.begin.push_back(rows.column.size());
  }
  return rows;
}

double exact_solution(int row) {
  // The mixing function of SplitMix64.
  auto x = (static_cast<std::uint64_t>(row) + 1) * 0x9e3779b97f4a7c15U;
  x      = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9U;
  x      = (x ^ (x >> 27)) * 0x94d049bb133111ebU;
  x ^= x >> 31;
  return static_cast<double>(x >> 11) * 0x1p-52 - 1;
}

std::vector<double> exact_solution(int first, int count) {
  std::vector<double> x;
  x.reserve(static_cast<std::size_t>(count));
  for (int n = 0; n < count; ++n) x.push_back(exact_solution(first + n));
  return x;
}

std::vector<double> right_hand_side(Rows const& rows) {
  std::vector<double> b;
  b.reserve(rows.begin.size() - 1);
  for (std::size_t n = 0; n + 1 < rows.begin.size(); ++n) {
    double sum = 0;
    for (std::size_t e = rows.begin[n]; e < rows.begin[n + 1]; ++e)
      sum += rows.value[e] * exact_solution(rows.column[e]);
    b.push_back(sum);
  }
  return b;
}

std::vector<double> inverse_diagonal(Rows const& rows) {
  std::vector<double> inverse(rows.begin.size() - 1);
  for (std::size_t n = 0; n < inverse.size(); ++n)
    for (std::size_t e = rows.begin[n]; e < rows.begin[n + 1]; ++e)
      if (rows.column[e] == rows.first_row + static_cast<int>(n))
        inverse[n] = 1 / rows.value[e];
  return inverse;
}

std::vector<int> columns_of_others(Rows const& rows, RowBlocks const& blocks,
                                   int pe) {
  std::vector<int> others;
  for (int const column : rows.column)
    if (blocks.owner(column) != pe) others.push_back(column);
  std::sort(others.begin(), others.end());
  others.erase(std::unique(others.begin(), others.end()), others.end());
  return others;
}

std::vector<int> columns_with_ghosts(Rows const& rows, RowBlocks const& blocks,
                                     int pe, std::vector<int> const& ghosts) {
  std::vector<int> result;
  result.reserve(rows.column.size());
  for (int const column : rows.column) {
    auto const ghost = std::lower_bound(ghosts.begin(), ghosts.end(), column);
    result.push_back(blocks.owner(column) == pe
                         ? column - blocks.first(pe)
                         : blocks.count(pe) +
                               static_cast<int>(ghost - ghosts.begin()));
  }
  return result;
}

}  // namespace cg
