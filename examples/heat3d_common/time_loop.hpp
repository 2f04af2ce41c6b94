// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

#ifndef SYMM_EXAMPLES_HEAT3D_TIME_LOOP_HPP
#define SYMM_EXAMPLES_HEAT3D_TIME_LOOP_HPP

#include <Kokkos_Core.hpp>
#include <heat3d_common/problem.hpp>
#include <stdexcept>
#include <string>

namespace heat3d {

#ifdef KOKKOS_ENABLE_CUDA
/// What is enqueued on `exec`, recorded once and then launched as a whole: the
/// host takes less than to enqueue it anew, and the GPU less from one kernel to
/// the next.
class Recording {
 public:
  /// \param enqueue  enqueues, and neither waits nor allocates. All kernels
  ///                 have run before: loading one is no part of a recording.
  /// \throws std::runtime_error if CUDA refuses.
  template <class Enqueue>
  Recording(Kokkos::Cuda const& exec, Enqueue const& enqueue) : m_exec(exec) {
    cudaGraph_t graph = nullptr;
    check(cudaStreamBeginCapture(exec.cuda_stream(),
                                 cudaStreamCaptureModeThreadLocal));
    enqueue();
    check(cudaStreamEndCapture(exec.cuda_stream(), &graph));
    check(cudaGraphInstantiate(&m_graph, graph, 0));
    check(cudaGraphDestroy(graph));
  }
  ~Recording() {
    m_exec.fence("heat3d: recorded steps");
    static_cast<void>(cudaGraphExecDestroy(m_graph));
  }
  Recording(Recording const&)            = delete;
  Recording& operator=(Recording const&) = delete;

  void launch() const { check(cudaGraphLaunch(m_graph, m_exec.cuda_stream())); }

 private:
  static void check(cudaError_t error) {
    if (error != cudaSuccess)
      throw std::runtime_error(std::string("recording steps: ") +
                               cudaGetErrorString(error));
  }

  Kokkos::Cuda m_exec;
  cudaGraphExec_t m_graph = nullptr;
};
#endif

/// Makes all time steps of a problem, and shows their progress.
///
/// \param step    step() enqueues a time step on `exec`, after an even number
///                of which the same Views are in the same places. On GPUs steps
///                are recorded, as many as --graph says.
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
#ifdef KOKKOS_ENABLE_CUDA
  int const together = problem.options.graph;
  if (together > 0 && steps >= together + 2) {
    until(2);
    Recording const recording(exec, [&] {
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
