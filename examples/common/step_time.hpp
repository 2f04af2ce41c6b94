// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

#ifndef SYMM_EXAMPLES_COMMON_STEP_TIME_HPP
#define SYMM_EXAMPLES_COMMON_STEP_TIME_HPP

#include <string>

namespace examples {

/// States how long a run took: "time: 0.123 s, 41.02 us a step", for example.
/// All programs that are compared with each other use this format, which
/// perf_tests/run.py parses (STEP_TIME in perf_tests/driver/programs.py).
///
/// \param steps the number of time steps or iterations in that time.
std::string step_time_text(double seconds, int steps);

}  // namespace examples

#endif
