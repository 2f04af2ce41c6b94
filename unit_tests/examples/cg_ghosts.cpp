// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

#include <gtest/gtest.h>

#include <cg_common/matrix.hpp>
#include <cg_common/row_blocks.hpp>
#include <cg_mpi/ghosts.hpp>
#include <cstddef>
#include <map>
#include <utility>
#include <vector>

namespace {

using cg::Ghosts;
using cg::RowBlocks;

// Exchanges the numbers of the rows as the solver does its vectors: every
// column must then be found where `column` says.
TEST(CgGhosts, every_column_is_where_the_exchange_brings_it) {
  for (int const grid : {1, 2, 3, 4})
    for (int const n_pes : {1, 2, 3, 4, 7, 30}) {
      RowBlocks const blocks(grid * grid * grid, n_pes);
      std::vector<cg::Rows> rows;
      std::vector<Ghosts> ghosts;
      std::map<std::pair<int, int>, std::vector<int>> sent;  // from, to
      for (int pe = 0; pe < n_pes; ++pe) {
        rows.push_back(cg::grid_rows(grid, blocks, pe));
        ghosts.emplace_back(rows.back(), blocks, pe);
        for (auto const& [to, first, count] : ghosts.back().sends)
          for (int n = first; n < first + count; ++n)
            sent[{pe, to}].push_back(
                blocks.first(pe) +
                ghosts.back().sent.at(static_cast<std::size_t>(n)));
      }
      for (int pe = 0; pe < n_pes; ++pe) {
        auto const& mine = ghosts[static_cast<std::size_t>(pe)];
        std::vector<int> p;
        for (int n = 0; n < blocks.count(pe); ++n)
          p.push_back(blocks.first(pe) + n);
        for (auto const& [from, first, count] : mine.receives) {
          auto const& message = sent[{from, pe}];
          EXPECT_EQ(static_cast<int>(message.size()), count);
          EXPECT_EQ(static_cast<int>(p.size()), blocks.count(pe) + first);
          p.insert(p.end(), message.begin(), message.end());
          sent.erase({from, pe});
        }
        EXPECT_EQ(static_cast<int>(p.size()), blocks.count(pe) + mine.n_ghosts);

        std::vector<int> found;
        for (int const n : mine.column)
          found.push_back(p.at(static_cast<std::size_t>(n)));
        EXPECT_EQ(found, rows[static_cast<std::size_t>(pe)].column)
            << "grid " << grid << ", PE " << pe << " of " << n_pes;
      }
      EXPECT_TRUE(sent.empty()) << "messages that nobody receives";
    }
}

}  // namespace
