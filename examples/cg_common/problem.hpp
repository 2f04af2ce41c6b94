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

/// The PEs of the job, and what the code that both solvers share needs of them
/// all. The functions are collective, those with the same result on every PE
/// first.
struct Pes {
  int me;
  int count;
  std::function<double(double mine)> sum;
  std::function<double(double mine)> max;
  std::function<double(double mine)> sum_before;  ///< of PEs before this one
};

/// The input of a solver.
struct Problem {
  /// Shows the progress of the iterations.
  Progress progress() const;

  Options options;
  Pes pes;
  RowBlocks blocks;
  Rows rows;  ///< mine
};

/// What a solver gives back. Residuals are relative to the one of x = 0.
struct Solution {
  std::vector<double> x;  ///< at my rows
  int iterations  = 0;
  bool converged  = false;  ///< whether the residual of the iteration is low
  double residual = 0;      ///< computed anew from x
  double seconds  = 0;      ///< for all iterations
  std::string failure;      ///< why it ended early; empty: it did not
};

/// What one product of the matrix and a vector moves between PEs.
struct Traffic {
  char const* name;  ///< "received entries"
  double mine;       ///< for this PE's rows
};

/// A solver: what it moves goes to `traffic`.
using Solve = Solution (*)(Problem const& problem, Traffic& traffic);

/// A complete program: options, matrix, solver, report, dump.
/// \returns the exit status: 0 only if everything went well on all PEs; 2 for
///          bad options or a bad matrix, which one PE explains.
int run(int argc, char* argv[], Pes const& pes, Solve solve);

}  // namespace cg

#endif
