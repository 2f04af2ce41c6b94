// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

#ifndef SYMM_EXAMPLES_CG_GHOSTS_HPP
#define SYMM_EXAMPLES_CG_GHOSTS_HPP

#include <cg_common/matrix.hpp>
#include <cg_common/row_blocks.hpp>
#include <vector>

namespace cg {

/// The entries that a PE exchanges with another PE: a range in a list.
struct Exchange {
  int pe;
  int first;
  int count;
};

/// The entries of a vector that a PE's rows need from other PEs. Copies of
/// these entries, the ghosts, come after the PE's own entries, in column order.
struct Ghosts {
  /// \param rows the rows of `pe`. The sparsity pattern of the matrix must be
  ///        symmetric: if my row has a column of another PE, that PE's row has
  ///        my column. So every PE knows which entries the others need, without
  ///        communication.
  Ghosts(Rows const& rows, RowBlocks const& blocks, int pe);

  std::vector<int> column;         ///< for each matrix entry, an own index or a
                                   ///< ghost's
  std::vector<int> sent;           ///< own indices, sorted by receiver
  std::vector<Exchange> sends;     ///< ranges of `sent`
  std::vector<Exchange> receives;  ///< ranges of the ghosts
  int n_ghosts = 0;
};

}  // namespace cg

#endif
