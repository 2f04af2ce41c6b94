// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

#ifndef SYMM_EXAMPLES_RECORDING_HPP
#define SYMM_EXAMPLES_RECORDING_HPP

#include <Kokkos_Core.hpp>

#ifdef KOKKOS_ENABLE_CUDA

#include <stdexcept>
#include <string>
#include <utility>

namespace examples {

/// Ends the loop in a graph, or lets the loop continue. (This is a template so
/// that it can be in a header.)
template <class Handle>
__global__ void go_on_unless(bool const* is_over, Handle handle) {
  cudaGraphSetConditional(handle, *is_over ? 0 : 1);
}

/// A CUDA graph: work that was enqueued once is launched as a whole. This takes
/// the host less time than enqueuing the work again, and the GPU goes from one
/// kernel to the next faster.
///
/// The function `enqueue` passed to of() and of_loop() must enqueue work on
/// `exec`, without waiting or allocating. All of its kernels must have run
/// before, because loading a kernel cannot be recorded. Any work that enqueue()
/// does on the host happens only once. Both functions wait for work enqueued
/// earlier: CUDA allocates memory for a graph, and may therefore wait for
/// kernels, which may in turn wait for PEs on other nodes.
class Recording {
 public:
  /// \throws std::runtime_error if CUDA reports an error; also whatever
  ///         enqueue() throws.
  template <class Enqueue>
  static Recording of(Kokkos::Cuda const& exec, Enqueue const& enqueue) {
    Recording recording(exec);
    check(cudaStreamBeginCapture(exec.cuda_stream(),
                                 cudaStreamCaptureModeThreadLocal));
    recording.capture(enqueue);
    recording.instantiate();
    return recording;
  }

  /// Makes the GPU repeat the work until `is_over`, which the recorded kernels
  /// set, is true at the end of an iteration, so that a whole loop is a single
  /// launch. Each launch performs the work at least once. Requires CUDA 12.4 or
  /// later.
  /// \param is_over a flag in GPU memory.
  /// \throws std::runtime_error if CUDA reports an error, as it does for work
  ///         that is not allowed in a graph's loop; also whatever enqueue()
  ///         throws.
  template <class Enqueue>
  static Recording of_loop(Kokkos::Cuda const& exec, Enqueue const& enqueue,
                           bool const* is_over) {
    Recording recording(exec);
    check(cudaGraphCreate(&recording.m_graph, 0));
    cudaGraphConditionalHandle handle{};
    check(cudaGraphConditionalHandleCreate(&handle, recording.m_graph, 1,
                                           cudaGraphCondAssignDefault));
    cudaGraphNodeParams loop{};
    loop.type               = cudaGraphNodeTypeConditional;
    loop.conditional.handle = handle;
    loop.conditional.type   = cudaGraphCondTypeWhile;
    loop.conditional.size   = 1;
    cudaGraphNode_t node    = nullptr;
#if CUDART_VERSION >= 13000
    check(
        cudaGraphAddNode(&node, recording.m_graph, nullptr, nullptr, 0, &loop));
#else
    check(cudaGraphAddNode(&node, recording.m_graph, nullptr, 0, &loop));
#endif
    check(cudaStreamBeginCaptureToGraph(
        exec.cuda_stream(), loop.conditional.phGraph_out[0], nullptr, nullptr,
        0, cudaStreamCaptureModeThreadLocal));
    try {
      recording.capture([&] {
        enqueue();
        go_on_unless<<<1, 1, 0, exec.cuda_stream()>>>(is_over, handle);
      });
    } catch (...) {
      // The driver of CUDA 13 may crash when it destroys a graph whose loop
      // could not be recorded.
      recording.m_graph = nullptr;
      throw;
    }
    recording.instantiate();
    return recording;
  }

  Recording(Recording&& other) noexcept
      : m_exec(other.m_exec),
        m_graph(std::exchange(other.m_graph, nullptr)),
        m_launched(std::exchange(other.m_launched, nullptr)) {}
  Recording& operator=(Recording&&) = delete;
  ~Recording() {
    if (m_launched != nullptr) {
      m_exec.fence("recorded work");
      static_cast<void>(cudaGraphExecDestroy(m_launched));
    }
    if (m_graph != nullptr) static_cast<void>(cudaGraphDestroy(m_graph));
  }

  void launch() const {
    check(cudaGraphLaunch(m_launched, m_exec.cuda_stream()));
  }

 private:
  explicit Recording(Kokkos::Cuda const& exec) : m_exec(exec) {
    m_exec.fence("before recording");
  }

  /// Calls enqueue() while the stream captures, and then ends the capture, even
  /// if enqueue() throws.
  template <class Enqueue>
  void capture(Enqueue const& enqueue) {
    cudaGraph_t graph = nullptr;
    try {
      enqueue();
    } catch (...) {
      static_cast<void>(cudaStreamEndCapture(m_exec.cuda_stream(), &graph));
      static_cast<void>(cudaGetLastError());
      throw;
    }
    check(cudaStreamEndCapture(m_exec.cuda_stream(), &graph));
    if (m_graph == nullptr) m_graph = graph;
  }
  void instantiate() { check(cudaGraphInstantiate(&m_launched, m_graph, 0)); }
  static void check(cudaError_t error) {
    if (error == cudaSuccess) return;
    static_cast<void>(cudaGetLastError());
    throw std::runtime_error(std::string("recording a CUDA graph: ") +
                             cudaGetErrorString(error));
  }

  Kokkos::Cuda m_exec;
  cudaGraph_t m_graph        = nullptr;
  cudaGraphExec_t m_launched = nullptr;
};

}  // namespace examples

#endif
#endif
