// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

#ifndef SYMM_EXAMPLES_CG_PROGRESS_HPP
#define SYMM_EXAMPLES_CG_PROGRESS_HPP

#include <chrono>

namespace cg {

/// Reports the progress of a run on stdout. It prints a line when the residual
/// has fallen to a thousandth of the residual in the last line, or when ten
/// seconds have passed. Two lines are at least half a second apart.
class Progress {
 public:
  /// \param tolerance the residual at which the run ends.
  /// \param speaks Pass false to print nothing, at no cost.
  Progress(double tolerance, bool speaks);

  /// Call this after each iteration with the number of iterations done and the
  /// residual relative to the first one.
  void iteration_done(int iteration, double residual) {
    if (m_speaks) look(iteration, residual);
  }

 private:
  using Clock = std::chrono::steady_clock;

  void look(int iteration, double residual);

  double m_tolerance;
  bool m_speaks;
  double m_last_residual = 1;
  Clock::time_point m_start;
  Clock::time_point m_last;
};

}  // namespace cg

#endif
