// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

#ifndef SYMM_EXAMPLES_CG_GHOSTS_HPP
#define SYMM_EXAMPLES_CG_GHOSTS_HPP

#include <cg_common/matrix.hpp>
#include <cg_common/row_blocks.hpp>
#include <vector>

namespace cg {

/// What one PE exchanges with another one: a range of a list.
struct Exchange {
  int pe;
  int first;
  int count;
};

/// The entries of a vector that a PE's rows need of other PEs. Copies of them,
/// the ghosts, come after the PE's own entries, in the order of the columns.
struct Ghosts {
  /// \param rows  those of `pe`. The pattern of the matrix is symmetric: a PE
  ///              that has a column of my row has my column in its row. So who
  ///              needs what is known without asking.
  Ghosts(Rows const& rows, RowBlocks const& blocks, int pe);

  std::vector<int> column;  ///< of each matrix entry: an own index or a ghost's
  std::vector<int> sent;    ///< own indices, in the order of the receivers
  std::vector<Exchange> sends;     ///< ranges of `sent`
  std::vector<Exchange> receives;  ///< ranges of the ghosts
  int n_ghosts = 0;
};

}  // namespace cg

#endif
