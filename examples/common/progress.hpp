// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

#ifndef SYMM_EXAMPLES_COMMON_PROGRESS_HPP
#define SYMM_EXAMPLES_COMMON_PROGRESS_HPP

#include <chrono>

namespace examples {

/// Tells on stdout how far a run is, how fast, and how long it will take. On a
/// terminal one line is rewritten twice a second; into a file or pipe go three
/// lines at most, at 25, 50 and 75 % of a run that takes long enough to wait.
class Progress {
 public:
  /// \param cells   cells updated per step, by all PEs; \param unit  their
  /// name,
  ///                in the plural, where they are something else.
  /// \param speaks  false: prints nothing, and costs nothing.
  Progress(int steps, double cells, bool speaks, char const* unit = "cells");
  ~Progress();
  Progress(Progress const&)            = delete;
  Progress& operator=(Progress const&) = delete;

  /// Call after each step, with the number of steps done.
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
