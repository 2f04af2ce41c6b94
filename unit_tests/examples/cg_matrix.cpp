// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

#include <gtest/gtest.h>

#include <algorithm>
#include <cg_common/matrix.hpp>
#include <cg_common/row_blocks.hpp>
#include <cmath>
#include <cstddef>
#include <cstdlib>
#include <limits>
#include <set>
#include <vector>

namespace {

using cg::RowBlocks;

TEST(CgRowBlocks, every_row_is_in_the_block_of_its_owner) {
  for (int const n_rows : {1, 2, 3, 7, 48, 100})
    for (int const n_pes : {1, 2, 3, 4, 7, 48, 60}) {
      RowBlocks const blocks(n_rows, n_pes);
      int row = 0;
      for (int pe = 0; pe < n_pes; ++pe) {
        EXPECT_EQ(blocks.first(pe), row);
        for (int n = 0; n < blocks.count(pe); ++n)
          EXPECT_EQ(blocks.owner(row++), pe) << n_rows << " / " << n_pes;
        EXPECT_GE(blocks.count(pe), n_rows / n_pes);
        EXPECT_LE(blocks.count(pe), (n_rows + n_pes - 1) / n_pes);
      }
      EXPECT_EQ(row, n_rows);
    }
}

TEST(CgRowBlocks, as_many_rows_as_int_counts_are_split) {
  constexpr int n_rows = std::numeric_limits<int>::max() - 1;
  RowBlocks const blocks(n_rows, 1000);
  EXPECT_EQ(blocks.owner(0), 0);
  EXPECT_EQ(blocks.owner(n_rows - 1), 999);
  EXPECT_EQ(blocks.first(1000), n_rows);
  for (int pe = 1; pe < 1000; ++pe) {
    EXPECT_EQ(blocks.owner(blocks.first(pe)), pe);
    EXPECT_EQ(blocks.owner(blocks.first(pe) - 1), pe - 1);
  }
}

// Row by row from the definition, by the distances of all points.
TEST(CgGrid, rows_are_those_of_the_27_point_problem) {
  for (int const grid : {1, 2, 3, 5}) {
    int const n_rows = grid * grid * grid;
    RowBlocks const blocks(n_rows, 3);
    for (int pe = 0; pe < 3; ++pe) {
      auto const rows = cg::grid_rows(grid, blocks, pe);
      ASSERT_EQ(rows.count(), blocks.count(pe));
      EXPECT_EQ(rows.first_row, blocks.first(pe));
      std::size_t e = 0;
      for (int n = 0; n < rows.count(); ++n) {
        int const row = rows.first_row + n;
        EXPECT_EQ(rows.begin[static_cast<std::size_t>(n)], e);
        for (int column = 0; column < n_rows; ++column) {
          int const di = std::abs(row / (grid * grid) - column / (grid * grid));
          int const dj = std::abs(row / grid % grid - column / grid % grid);
          int const dk = std::abs(row % grid - column % grid);
          if (std::max({di, dj, dk}) > 1) continue;
          ASSERT_LT(e, rows.column.size());
          EXPECT_EQ(rows.column[e], column);
          EXPECT_EQ(rows.value[e], row == column ? 26 : -1);
          ++e;
        }
      }
      EXPECT_EQ(rows.begin.back(), e);
      EXPECT_EQ(rows.column.size(), e);
      EXPECT_EQ(rows.value.size(), e);
    }
  }
}

// [ 4 0 -1 ]
// [ 0 2  0 ]
// [-1 0  8 ]
cg::Matrix small_matrix() {
  return {
      3,
      {{0, 0, 4, 1}, {0, 2, -1, 2}, {1, 1, 2, 3}, {2, 0, -1, 2}, {2, 2, 8, 4}}};
}

TEST(CgMatrix, a_block_has_the_rows_of_its_pe) {
  RowBlocks const blocks(3, 2);
  auto const first = cg::rows_of(small_matrix(), blocks, 0);
  EXPECT_EQ(first.begin, (std::vector<std::size_t>{0, 2}));
  EXPECT_EQ(first.column, (std::vector<int>{0, 2}));
  EXPECT_EQ(first.value, (std::vector<double>{4, -1}));
  auto const second = cg::rows_of(small_matrix(), blocks, 1);
  EXPECT_EQ(second.first_row, 1);
  EXPECT_EQ(second.begin, (std::vector<std::size_t>{0, 1, 3}));
  EXPECT_EQ(second.column, (std::vector<int>{1, 0, 2}));
  EXPECT_EQ(second.value, (std::vector<double>{2, -1, 8}));
  EXPECT_EQ(cg::inverse_diagonal(second), (std::vector<double>{0.5, 0.125}));

  EXPECT_EQ(cg::rows_of(small_matrix(), RowBlocks(3, 4), 0).count(), 0);
}

TEST(CgMatrix, the_right_hand_side_is_the_matrix_times_the_solution) {
  auto const x = cg::exact_solution(0, 3);
  auto const b =
      cg::right_hand_side(cg::rows_of(small_matrix(), RowBlocks(3, 2), 1));
  ASSERT_EQ(b.size(), 2U);
  EXPECT_DOUBLE_EQ(b[0], 2 * x[1]);
  EXPECT_DOUBLE_EQ(b[1], -x[0] + 8 * x[2]);
}

TEST(CgMatrix, the_solution_is_another_number_in_every_row) {
  auto const x = cg::exact_solution(5, 1000);
  EXPECT_EQ(x[1], cg::exact_solution(6));
  EXPECT_EQ(std::set<double>(x.begin(), x.end()).size(), x.size());
  for (double const number : x) EXPECT_LE(std::abs(number), 1);
  EXPECT_GT(*std::max_element(x.begin(), x.end()), 0.9);
  EXPECT_LT(*std::min_element(x.begin(), x.end()), -0.9);
}

}  // namespace
