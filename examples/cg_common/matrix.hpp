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

/// A matrix that this program cannot handle, or a file that it cannot read.
class MatrixError : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// One PE's rows, on the host, as compressed sparse rows. Row n of the block
/// has the entries begin[n] <= e < begin[n + 1], in ascending order of columns.
struct Rows {
  int first_row = 0;
  std::vector<std::size_t> begin{0};
  std::vector<int> column;  ///< column in the whole matrix
  std::vector<double> value;

  int count() const { return static_cast<int>(begin.size()) - 1; }
};

/// One entry of a matrix, along with its position in the file.
struct Entry {
  int row;
  int column;
  double value;
  std::size_t line;
};

/// A square matrix. Entries are sorted by row, then by column, and include both
/// triangles.
struct Matrix {
  int n_rows = 0;
  std::vector<Entry> entries;
};

/// Reads a matrix in Matrix Market format: "coordinate", "real" or "integer",
/// "general" or "symmetric". Checks necessary conditions for the matrix to be
/// positive definite: it must be square and symmetric and have a positive
/// diagonal.
/// \param name the name of the file, for error messages.
/// \throws MatrixError with the line number, if there is one.
Matrix read_matrix_market(std::istream& file, std::string const& name);

/// Like the function above, but opens the file `name`.
/// \throws MatrixError in the same cases, and also if there is no such file.
Matrix read_matrix_market(std::string const& name);

/// The block of rows of `pe`.
Rows rows_of(Matrix const& matrix, RowBlocks const& blocks, int pe);

/// The block of rows of `pe` in the 27-point problem on grid^3 points: 26 on
/// the diagonal, and -1 for each of the up to 26 neighbors of the row's point.
Rows grid_rows(int grid, RowBlocks const& blocks, int pe);

/// The known solution at `row`: a pseudorandom number from -1 to 1, so that
/// swapped entries of a vector are detected.
double exact_solution(int row);

/// The known solution at rows first <= row < first + count.
std::vector<double> exact_solution(int first, int count);

/// The right-hand side: the rows times the known solution. Each PE computes the
/// right-hand side on its own, independently of the solver.
std::vector<double> right_hand_side(Rows const& rows);

/// One over the diagonal of the rows.
std::vector<double> inverse_diagonal(Rows const& rows);

/// The columns in the rows of `pe` that belong to other PEs, in ascending
/// order.
std::vector<int> columns_of_others(Rows const& rows, RowBlocks const& blocks,
                                   int pe);

/// The columns in the rows of `pe`, as indices into a vector that has the
/// entries of `pe` followed by the entries of the columns `ghosts`. `ghosts`
/// must be in ascending order and include all of columns_of_others().
std::vector<int> columns_with_ghosts(Rows const& rows, RowBlocks const& blocks,
                                     int pe, std::vector<int> const& ghosts);

}  // namespace cg

#endif
