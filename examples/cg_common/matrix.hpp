// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

#ifndef SYMM_EXAMPLES_CG_MATRIX_HPP
#define SYMM_EXAMPLES_CG_MATRIX_HPP

#include <cg_common/options.hpp>
#include <cg_common/row_blocks.hpp>
#include <cstddef>
#include <iosfwd>
#include <stdexcept>
#include <string>
#include <vector>

namespace cg {

/// A matrix that this program cannot solve with, or a file that it cannot read.
class MatrixError : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// The rows of one PE, on the host: compressed sparse rows. Row n of the block
/// has the entries begin[n] <= e < begin[n + 1]; their columns ascend.
struct Rows {
  int first_row = 0;
  std::vector<std::size_t> begin{0};
  std::vector<int> column;  ///< of the whole matrix
  std::vector<double> value;

  int count() const { return static_cast<int>(begin.size()) - 1; }
};

/// One entry of a matrix, with where it stands in the file.
struct Entry {
  int row;
  int column;
  double value;
  std::size_t line;
};

/// A square matrix; entries ordered by row, then column, both triangles.
struct Matrix {
  int n_rows = 0;
  std::vector<Entry> entries;
};

/// Reads a matrix in Matrix Market format, "coordinate", "real" or "integer",
/// "general" or "symmetric", and looks whether it can be positive definite: it
/// is square and symmetric and has a positive diagonal.
/// \param name  of the file, for messages.
/// \throws MatrixError  with the number of the line, where there is one.
Matrix read_matrix_market(std::istream& file, std::string const& name);

/// The same, from the file `name`.
/// \throws MatrixError, also if there is no such file.
Matrix read_matrix_market(std::string const& name);

/// The block of `pe`.
Rows rows_of(Matrix const& matrix, RowBlocks const& blocks, int pe);

/// The block of `pe` of the 27-point problem on grid^3 points: 26 on the
/// diagonal, -1 for each of the up to 26 neighbors of the row's point.
Rows grid_rows(int grid, RowBlocks const& blocks, int pe);

/// The known solution at `row`: a number from -1 to 1 that looks random, so
/// that no entry of a vector can stand for another one unnoticed.
double exact_solution(int row);

/// The known solution at the rows first <= row < first + count.
std::vector<double> exact_solution(int first, int count);

/// The right-hand side: the rows times the known solution. No PE needs another
/// one for this, so it is right whatever the solver does.
std::vector<double> right_hand_side(Rows const& rows);

/// One over the diagonal of the rows.
std::vector<double> inverse_diagonal(Rows const& rows);

/// The columns of the rows of `pe` that other PEs have, ascending.
std::vector<int> columns_of_others(Rows const& rows, RowBlocks const& blocks,
                                   int pe);

/// The columns of the rows of `pe` as indices to a vector that has the entries
/// of `pe` and, behind these, those of the columns `ghosts`, which ascend and
/// have all of columns_of_others().
std::vector<int> columns_with_ghosts(Rows const& rows, RowBlocks const& blocks,
                                     int pe, std::vector<int> const& ghosts);

}  // namespace cg

#endif
