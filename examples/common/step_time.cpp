// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

#include <algorithm>
#include <common/step_time.hpp>
#include <cstdio>

namespace examples {

std::string step_time_text(double seconds, int steps) {
  char text[80];
  std::snprintf(text, sizeof text, "time: %.3f s, %.4g us a step", seconds,
                1e6 * seconds / std::max(steps, 1));
  return text;
}

}  // namespace examples
