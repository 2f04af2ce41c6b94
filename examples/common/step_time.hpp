// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

#ifndef SYMM_EXAMPLES_COMMON_STEP_TIME_HPP
#define SYMM_EXAMPLES_COMMON_STEP_TIME_HPP

#include <string>

namespace examples {

/// "time: 0.123 s, 41.02 us a step": how long a run took. All programs that are
/// compared with each other say it in these words, which perf_tests/run.py
/// reads (STEP_TIME in perf_tests/driver/programs.py).
///
/// \param steps  steps of time, or iterations, made in the time.
std::string step_time_text(double seconds, int steps);

}  // namespace examples

#endif
