// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_POOLS_STREAM_HPP
#define SYMM_POOLS_STREAM_HPP

#include <memory>

#include "../memory/CopyQueue.hpp"

namespace symm::Impl {

/// A stream as the pools see it: a GPU queue, or an execution space instance
/// that runs on the host. The Stream keeps the instance alive. All calls are
/// local.
///
/// Every function throws SystemError on this PE if CUDA reports an error.
class Stream {
 public:
  virtual ~Stream() = default;

  /// Whether all work enqueued so far has completed on this PE.
  [[nodiscard]] virtual bool is_idle() = 0;
  /// Waits on the host for all work enqueued so far.
  virtual void fence() = 0;
  /// Makes later work on this stream wait for all work already enqueued on
  /// `earlier`. The host does not wait if both streams are GPU queues.
  virtual void wait_for(Stream& earlier) = 0;
  /// Enqueues a barrier over all PEs, on a PE team reserved for pools.
  /// Precondition: has_barrier().
  virtual void barrier() = 0;
  [[nodiscard]] virtual bool has_barrier() const { return true; }
  /// Whether work runs asynchronously on a GPU. If not, the work has completed
  /// when the call that enqueues it returns.
  [[nodiscard]] virtual bool is_on_gpu() const { return false; }
};

/// A queue on the heap's GPU. Without a GPU, work runs on the host during the
/// calls, in call order.
class QueueStream : public Stream {
 public:
  /// \param gpu Null if there is none.
  QueueStream(CopyQueue* gpu, void* queue) : m_gpu(gpu), m_queue(queue) {}

  [[nodiscard]] bool is_idle() override {
    return m_gpu == nullptr || m_gpu->is_idle(m_queue);
  }
  void fence() override {
    if (m_gpu != nullptr) m_gpu->wait(m_queue);
  }
  void wait_for(Stream& earlier) override;
  void barrier() override;
  [[nodiscard]] bool has_barrier() const override;
  [[nodiscard]] bool is_on_gpu() const override { return m_gpu != nullptr; }

  [[nodiscard]] void* queue() const { return m_queue; }

 private:
  CopyQueue* m_gpu;
  void* m_queue;
};

/// An execution space instance that runs its work on the host.
class HostStream : public Stream {
 public:
  [[nodiscard]] bool is_idle() override {
    fence();  // host kernels have completed when parallel_for() returns
    return true;
  }
  void wait_for(Stream& earlier) override { earlier.fence(); }
  void barrier() override;
};

/// Identifies a stream in a call, and contains a function that creates the
/// corresponding Stream.
struct StreamName {
  /// A key that is unique among live streams; not null.
  void const* key;
  /// Creates the Stream from `what`.
  std::unique_ptr<Stream> (*make)(void const* what);
  void const* what;
  /// Whether the stream is capturing work into a graph instead of running it.
  bool (*is_captured)(void const* what);
};

/// Returns the StreamName::key for a CUstream.
[[nodiscard]] void const* key_of_queue(void* queue);
/// Returns the name of a CUstream. Null means the default stream or, without a
/// GPU, the sequence of calls on the host.
[[nodiscard]] StreamName name_of_queue(void* const& queue);
[[nodiscard]] bool is_captured_queue(void* queue);
/// The interface to the GPU whose memory contains the symmetric heap. Null if
/// there is no GPU.
[[nodiscard]] CopyQueue* gpu_of_streams();

}  // namespace symm::Impl

#endif
