// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

#ifndef SYMM_EXAMPLES_HEAT3D_TIME_LOOP_HPP
#define SYMM_EXAMPLES_HEAT3D_TIME_LOOP_HPP

#include <Kokkos_Core.hpp>
#include <common/recording.hpp>
#include <heat3d_common/problem.hpp>

namespace heat3d {

/// Runs all time steps of a problem, and shows their progress.
///
/// \param step step() enqueues one time step on `exec`. After an even number of
///        steps, each View must be back in its original role. With CUDA, as
///        many steps as --graph specifies are recorded together.
template <class Step>
void make_steps(Problem const& problem,
                [[maybe_unused]] Kokkos::DefaultExecutionSpace const& exec,
                Step const& step) {
  auto progress    = problem.progress();
  int const steps  = problem.options.steps;
  int done         = 0;
  auto const until = [&](int last) {
    while (done < last) {
      step();
      progress.step_done(++done);
    }
  };
// The race detector waits for each kernel, but a kernel that is being recorded
// does not run.
#if defined(KOKKOS_ENABLE_CUDA) && !defined(SYMM_CHECK)
  int const together = problem.options.graph;
  if (together > 0 && steps >= together + 2) {
    until(2);
    auto const recording = examples::Recording::of(exec, [&] {
      for (int n = 0; n < together; ++n) step();
    });
    while (done + together <= steps) {
      recording.launch();
      progress.step_done(done += together);
    }
  }
#endif
  until(steps);
}

}  // namespace heat3d

#endif
