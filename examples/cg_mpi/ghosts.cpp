// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

#include <algorithm>
#include <cg_mpi/ghosts.hpp>
#include <cstddef>
#include <set>
#include <utility>

namespace cg {
namespace {

/// Adds the next element of a list to the exchange with `pe`.
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
  int const first = blocks.first(pe);
  int const end   = blocks.first(pe + 1);

  std::set<int> needed;                        // columns of other PEs
  std::set<std::pair<int, int>> needed_of_me;  // PE, my row
  for (int row = 0; row < rows.count(); ++row) {
    auto const n = static_cast<std::size_t>(row);
    for (std::size_t e = rows.begin[n]; e < rows.begin[n + 1]; ++e) {
      int const c = rows.column[e];
      if (c >= first && c < end) continue;
      needed.insert(c);
      needed_of_me.insert({blocks.owner(c), row});
    }
  }

  for (int const c : needed) extend(receives, blocks.owner(c));
  for (auto const& [to, row] : needed_of_me) {
    extend(sends, to);
    sent.push_back(row);
  }
  n_ghosts = static_cast<int>(needed.size());

  std::vector<int> const ghosts(needed.begin(), needed.end());
  column.reserve(rows.column.size());
  for (int const c : rows.column) {
    bool const own   = c >= first && c < end;
    auto const ghost = std::lower_bound(ghosts.begin(), ghosts.end(), c);
    column.push_back(own ? c - first
                         : end - first +
                               static_cast<int>(ghost - ghosts.begin()));
  }
}

}  // namespace cg
