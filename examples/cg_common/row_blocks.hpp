// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

#ifndef SYMM_EXAMPLES_CG_ROW_BLOCKS_HPP
#define SYMM_EXAMPLES_CG_ROW_BLOCKS_HPP

#include <cstdint>

namespace cg {

/// The distribution of rows 0 <= row < n_rows over PEs: contiguous blocks, in
/// order of PE number, whose sizes differ by at most one. With more PEs than
/// rows, some blocks are empty.
class RowBlocks {
 public:
  RowBlocks(int n_rows, int n_pes) : m_n_rows(n_rows), m_n_pes(n_pes) {}

  int n_rows() const { return m_n_rows; }
  int n_pes() const { return m_n_pes; }

  /// The first row of `pe`; for pe = n_pes, the number of rows.
  int first(int pe) const {
    return static_cast<int>(std::int64_t{pe} * m_n_rows / m_n_pes);
  }
  int count(int pe) const { return first(pe + 1) - first(pe); }

  /// The PE that owns `row`.
  int owner(int row) const {
    // The largest pe with pe * n_rows / n_pes <= row.
    return static_cast<int>(((std::int64_t{row} + 1) * m_n_pes - 1) / m_n_rows);
  }

 private:
  int m_n_rows;
  int m_n_pes;
};

}  // namespace cg

#endif
