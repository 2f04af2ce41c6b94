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

/// The PEs of the job, and what the code that both solvers share needs of them
/// all. The functions are collective, with the same result on every PE.
struct Pes {
  int me;
  int count;
  double (*sum)(double mine);
  double (*max)(double mine);
};

/// What a solver is given.
struct Problem {
  /// \throws UsageError, on every PE, for options that do not fit the PEs.
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

/// What a solver gives back.
struct Solution {
  double seconds;     ///< for all time steps
  Errors continuous;  ///< of my cells, against the heat equation
  Errors discrete;    ///< of my cells, against exact arithmetic
  FetchPlanes fetch_planes;
};

/// Compares the solver's last field with the exact ones.
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

/// A whole program: options, solver, report, files.
/// \returns the exit status, 0 only if all went well on all PEs; 2 for bad
///          options, which PE 0 explains.
int run(int argc, char* argv[], Pes const& pes,
        Solution (*solve)(Problem const& problem));

}  // namespace heat3d

#endif
