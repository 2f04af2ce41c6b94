// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

#include <cg_mpi/ghosts.hpp>
#include <cstddef>
#include <set>
#include <utility>

namespace cg {
namespace {

/// Adds the list's next element to the exchange with `pe`.
void extend(std::vector<Exchange>& exchanges, int pe) {
  if (exchanges.empty() || exchanges.back().pe != pe) {
    int const first =
        exchanges.empty() ? 0 : exchanges.back().first + exchanges.back().count;
    exchanges.push_back({pe, first, 0});
  }
  ++exchanges.back().count;
}

}  // namespace

Ghosts::Ghosts(Rows const& rows, RowBlocks const& blocks, int pe) {
  auto const ghosts = columns_of_others(rows, blocks, pe);
  n_ghosts          = static_cast<int>(ghosts.size());
  column            = columns_with_ghosts(rows, blocks, pe, ghosts);

  std::set<std::pair<int, int>> needed_of_me;  // pairs of a PE and my row
  for (int row = 0; row < rows.count(); ++row) {
    auto const n = static_cast<std::size_t>(row);
    for (std::size_t e = rows.begin[n]; e < rows.begin[n + 1]; ++e) {
      int const owner = blocks.owner(rows.column[e]);
      if (owner != pe) needed_of_me.insert({owner, row});
    }
  }
  for (int const c : ghosts) extend(receives, blocks.owner(c));
  for (auto const& [to, row] : needed_of_me) {
    extend(sends, to);
    sent.push_back(row);
  }
}

}  // namespace cg
