// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

#include <cg_common/progress.hpp>
#include <cmath>
#include <cstdio>

namespace cg {

Progress::Progress(double tolerance, bool speaks)
    : m_tolerance(tolerance), m_speaks(speaks) {
  m_start = m_last = Clock::now();
}

void Progress::look(int iteration, double residual) {
  if (residual <= m_tolerance) return;
  auto const now = Clock::now();
  if (now - m_last < std::chrono::milliseconds(500)) return;
  if (residual > 1e-3 * m_last_residual &&
      now - m_last < std::chrono::seconds(10))
    return;
  m_last          = now;
  m_last_residual = residual;

  // Assumes that the residual falls by about the same factor every second.
  double const seconds = std::chrono::duration<double>(now - m_start).count();
  double const done    = std::log(residual) / std::log(m_tolerance);
  std::printf("iteration %d: residual %.1e", iteration, residual);
  if (done > 0)
    std::printf(", about %.0f s left", std::ceil(seconds * (1 / done - 1)));
  std::printf("\n");
  std::fflush(stdout);
}

}  // namespace cg
