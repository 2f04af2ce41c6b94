// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

#ifndef SYMM_EXAMPLES_COMMON_PROGRESS_HPP
#define SYMM_EXAMPLES_COMMON_PROGRESS_HPP

#include <chrono>

namespace examples {

/// Reports the progress, the speed and the remaining time of a run on stdout.
/// On a terminal, a single line is rewritten twice a second. A file or pipe
/// gets at most three lines, at 25, 50 and 75 % of a run that takes long enough
/// to wait for.
class Progress {
 public:
  /// \param cells the number of cells that all PEs together update per step.
  /// \param speaks Pass false to print nothing, at no cost.
  /// \param unit the plural noun for the updated items, if they are not cells.
  Progress(int steps, double cells, bool speaks, char const* unit = "cells");
  ~Progress();
  Progress(Progress const&)            = delete;
  Progress& operator=(Progress const&) = delete;

  /// Call this after each step with the number of steps done so far.
  void step_done(int step) {
    if (m_speaks) look(step);
  }

 private:
  using Clock = std::chrono::steady_clock;

  void look(int step);

  int m_steps;
  double m_cells;
  bool m_speaks;
  char const* m_unit;
  bool m_on_terminal  = false;
  bool m_line_is_open = false;
  int m_quarter       = 0;
  Clock::time_point m_start;
  Clock::time_point m_last;
};

}  // namespace examples

#endif
