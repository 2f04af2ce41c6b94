// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_POOLS_STREAM_HPP
#define SYMM_POOLS_STREAM_HPP

#include <memory>

#include "../memory/CopyQueue.hpp"

namespace symm::Impl {

/// A stream as the pools use it: a queue of a GPU, or an execution space
/// instance of the host, which it keeps alive. All calls are local.
///
/// \throws SystemError on this PE, in all calls, if CUDA refuses.
class Stream {
 public:
  virtual ~Stream() = default;

  /// Whether all work put into it has ended on this PE by now.
  [[nodiscard]] virtual bool is_idle() = 0;
  /// Waits on the host for all work put into it.
  virtual void fence() = 0;
  /// Work put into it from now on begins when all work in `earlier` has ended.
  /// The host does not wait if both are queues of a GPU.
  virtual void wait_for(Stream& earlier) = 0;
  /// Puts a barrier of all PEs into it, of a PE team that only the pools use.
  /// Precondition: has_barrier().
  virtual void barrier() = 0;
  [[nodiscard]] virtual bool has_barrier() const { return true; }
  /// If false, work has ended when the call that puts it into it returns.
  [[nodiscard]] virtual bool is_on_gpu() const { return false; }
};

/// A queue of the heap's GPU; without a GPU, the order of the host's calls.
class QueueStream : public Stream {
 public:
  /// \param gpu null where there is none.
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

/// An execution space instance whose work is done on the host.
class HostStream : public Stream {
 public:
  [[nodiscard]] bool is_idle() override {
    fence();  // kernels of the host have ended when parallel_for() returns
    return true;
  }
  void wait_for(Stream& earlier) override { earlier.fence(); }
  void barrier() override;
};

/// Identifies a stream in calls, and can make its Stream.
struct StreamName {
  /// Unique among the streams that live; not null.
  void const* key;
  /// Makes the Stream from `what`.
  std::unique_ptr<Stream> (*make)(void const* what);
  void const* what;
  /// Whether the stream records a graph instead of doing its work.
  bool (*is_captured)(void const* what);
};

/// StreamName::key of a CUstream.
[[nodiscard]] void const* key_of_queue(void* queue);
/// Names a CUstream; null: the default one, or the order of the host's calls.
[[nodiscard]] StreamName name_of_queue(void* const& queue);
[[nodiscard]] bool is_captured_queue(void* queue);
/// The GPU of the heap in GPU memory; null if there is none.
[[nodiscard]] CopyQueue* gpu_of_streams();

}  // namespace symm::Impl

#endif
