// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

#ifndef SYMM_EXAMPLES_HEAT3D_PROBLEM_HPP
#define SYMM_EXAMPLES_HEAT3D_PROBLEM_HPP

#include <common/progress.hpp>
#include <heat3d_common/decomposition.hpp>
#include <heat3d_common/options.hpp>
#include <heat3d_common/output.hpp>
#include <heat3d_common/sine_mode.hpp>
#include <heat3d_common/stencil.hpp>
#include <vector>

namespace heat3d {

/// The PEs of the job, and the operations over all PEs that the solvers' shared
/// code needs. The functions are collective, with the same result on every PE.
struct Pes {
  int me;
  int count;
  double (*sum)(double mine);
  double (*max)(double mine);
};

/// The input of a solver.
struct Problem {
  /// \throws UsageError on every PE if the options do not fit the number of
  ///         PEs.
  Problem(Options const& options, Pes const& pes);

  /// Shows the progress of the time steps.
  examples::Progress progress() const;

  Options options;
  Pes pes;
  Decomposition decomposition;
  Cells own;                ///< my cells, without ghost layers
  std::vector<Face> faces;  ///< my faces that have a neighbor
  SineMode mode;
  SineTable sine;
};

/// The output of a solver.
struct Solution {
  double seconds;     ///< for all time steps
  Errors continuous;  ///< of my cells, relative to the heat equation
  Errors discrete;    ///< of my cells, relative to exact arithmetic
  FetchPlanes fetch_planes;
};

/// Compares the solver's final field with the exact ones.
template <class Field>
Solution solution(Problem const& problem, Field const& u, double seconds,
                  FetchPlanes const& fetch_planes) {
  int const steps  = problem.options.steps;
  auto const& mode = problem.mode;
  return {
      seconds,
      errors_of(u, problem.sine, mode.continuous_amplitude(steps), problem.own),
      errors_of(u, problem.sine, mode.discrete_amplitude(steps), problem.own),
      fetch_planes};
}

/// A complete program: options, solver, report, files.
/// \returns the exit status: 0 only if everything went well on all PEs; 2 for
///          bad options, which PE 0 explains.
int run(int argc, char* argv[], Pes const& pes,
        Solution (*solve)(Problem const& problem));

}  // namespace heat3d

#endif
