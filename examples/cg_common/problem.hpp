// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

#ifndef SYMM_EXAMPLES_CG_PROBLEM_HPP
#define SYMM_EXAMPLES_CG_PROBLEM_HPP

#include <cg_common/matrix.hpp>
#include <cg_common/options.hpp>
#include <cg_common/progress.hpp>
#include <cg_common/row_blocks.hpp>
#include <functional>
#include <string>
#include <vector>

namespace cg {

/// The PEs of the job, and the operations over all PEs that the solvers' shared
/// code needs. The functions are collective; the first two have the same result
/// on every PE.
struct Pes {
  int me;
  int count;
  std::function<double(double mine)> sum;
  std::function<double(double mine)> max;
  std::function<double(double mine)> sum_before;  ///< sum over the PEs before
                                                  ///< this one
};

/// The input of a solver.
struct Problem {
  /// Shows the progress of the iterations.
  Progress progress() const;

  Options options;
  Pes pes;
  RowBlocks blocks;
  Rows rows;  ///< this PE's rows
};

/// The output of a solver. Residuals are relative to that of x = 0.
struct Solution {
  std::vector<double> x;  ///< for my rows
  int iterations = 0;
  bool converged = false;  ///< whether the iteration's residual is small
                           ///< enough
  double residual = 0;     ///< recomputed from x
  double seconds  = 0;     ///< for all iterations
  std::string failure;     ///< why the iteration ended early; empty if it did
                           ///< not
};

/// The data that one matrix-vector product moves between PEs.
struct Traffic {
  char const* name;  ///< "received entries", for example
  double mine;       ///< for this PE's rows
};

/// A solver. It stores the amount of data that it moves to `traffic`.
using Solve = Solution (*)(Problem const& problem, Traffic& traffic);

/// A complete program: options, matrix, solver, report, dump.
/// \returns the exit status: 0 only if everything went well on all PEs; 2 for
///          bad options or a bad matrix, which one PE explains.
int run(int argc, char* argv[], Pes const& pes, Solve solve);

}  // namespace cg

#endif
