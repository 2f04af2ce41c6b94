// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

#include <gtest/gtest.h>

#include <algorithm>
#include <heat3d_common/decomposition.hpp>
#include <heat3d_common/options.hpp>
#include <map>
#include <vector>

namespace {

using heat3d::Decomposition;
using heat3d::to_string;
using heat3d::Triple;

struct Case {
  Triple size;
  Triple pe_grid;
};

std::vector<Case> const cases = {{{1, 1, 1}, {1, 1, 1}},
                                 {{17, 13, 11}, {2, 2, 2}},
                                 {{5, 4, 3}, {5, 4, 3}},
                                 {{7, 8, 9}, {1, 3, 2}},
                                 {{64, 64, 64}, {4, 1, 1}}};

TEST(HeatDecomposition, every_cell_is_in_one_box) {
  for (auto const& [size, pe_grid] : cases) {
    Decomposition const decomposition(size, pe_grid);
    std::vector<int> owners(
        static_cast<std::size_t>(size[0] * size[1] * size[2]));
    for (int pe = 0; pe < decomposition.n_pes(); ++pe) {
      auto const [begin, extent] = decomposition.box(pe);
      for (int i = begin[0]; i < begin[0] + extent[0]; ++i)
        for (int j = begin[1]; j < begin[1] + extent[1]; ++j)
          for (int k = begin[2]; k < begin[2] + extent[2]; ++k)
            ++owners.at(
                static_cast<std::size_t>((i * size[1] + j) * size[2] + k));
    }
    EXPECT_EQ(owners, std::vector<int>(owners.size(), 1));
  }
}

TEST(HeatDecomposition, the_largest_view_holds_every_box_and_is_no_larger) {
  for (auto const& [size, pe_grid] : cases) {
    Decomposition const decomposition(size, pe_grid);
    Triple largest = {0, 0, 0};
    for (int pe = 0; pe < decomposition.n_pes(); ++pe)
      for (int axis = 0; axis < 3; ++axis)
        largest[axis] =
            std::max(largest[axis], decomposition.view_of(pe)[axis]);
    EXPECT_EQ(to_string(decomposition.largest_view()), to_string(largest));
  }
}

// A layer lands in the neighbor's ghost cells that stand for the same cells
// of the global grid, and those are where the neighbor expects them.
TEST(HeatDecomposition, a_layer_and_the_neighbors_ghosts_are_the_same_cells) {
  for (auto const& [size, pe_grid] : cases) {
    Decomposition const decomposition(size, pe_grid);
    std::map<int, int> faces_of;
    for (int pe = 0; pe < decomposition.n_pes(); ++pe)
      for (auto const& face : decomposition.faces(pe)) {
        ++faces_of[pe];
        int n_found = 0;
        for (auto const& back : decomposition.faces(face.pe)) {
          if (back.pe != pe) continue;
          ++n_found;
          for (int axis = 0; axis < 3; ++axis) {
            EXPECT_EQ(face.cells.extent(axis), back.ghosts.extent(axis));
            EXPECT_EQ(
                decomposition.box(pe).begin[axis] + face.cells.begin[axis],
                decomposition.box(face.pe).begin[axis] +
                    back.ghosts.begin[axis]);
          }
        }
        EXPECT_EQ(n_found, 1) << "PE " << pe << " and PE " << face.pe;
      }
    int n_faces = 0;
    for (auto const& [pe, count] : faces_of) n_faces += count;
    int const x = pe_grid[0];
    int const y = pe_grid[1];
    int const z = pe_grid[2];
    EXPECT_EQ(n_faces,
              2 * ((x - 1) * y * z + x * (y - 1) * z + x * y * (z - 1)));
  }
}

TEST(HeatDecomposition, the_chosen_pe_grid_has_the_fewest_halo_cells) {
  EXPECT_EQ(to_string(heat3d::choose_pe_grid({64, 64, 64}, 8)), "2x2x2");
  EXPECT_EQ(to_string(heat3d::choose_pe_grid({100, 100, 10}, 4)), "2x2x1");
  EXPECT_EQ(to_string(heat3d::choose_pe_grid({10, 10, 1000}, 3)), "1x1x3");
  EXPECT_EQ(to_string(heat3d::choose_pe_grid({64, 64, 64}, 2)), "2x1x1");
}

TEST(HeatDecomposition, a_pe_without_cells_is_refused) {
  EXPECT_THROW(Decomposition({3, 8, 8}, {4, 1, 1}), heat3d::UsageError);
  EXPECT_THROW(heat3d::choose_pe_grid({2, 1, 1}, 3), heat3d::UsageError);
}

TEST(HeatDecomposition, more_cells_than_int_indices_reach_are_refused) {
  EXPECT_THROW(Decomposition({1300, 1300, 1300}, {1, 1, 1}),
               heat3d::UsageError);
  EXPECT_THROW(
      Decomposition({999'999'999, 999'999'999, 999'999'999}, {1, 1, 1}),
      heat3d::UsageError);
  EXPECT_NO_THROW(Decomposition({1300, 1300, 1300}, {2, 1, 1}));
}

}  // namespace
