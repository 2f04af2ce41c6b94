// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_TEST_FAKE_CUDA_WORK_QUEUE_HPP
#define SYMM_TEST_FAKE_CUDA_WORK_QUEUE_HPP

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <mutex>

namespace fake_cuda {

/// The work of a stream, which runs in order on a separate thread. Lives as
/// long as the process.
class WorkQueue {
 public:
  using Work = std::function<void()>;

  void push(Work work);
  /// How many pieces of work have been pushed.
  [[nodiscard]] std::uint64_t position() const;
  [[nodiscard]] bool is_idle() const;
  /// Waits until all work that was pushed before this call has run.
  void wait() { wait_for(position()); }
  /// Waits until all work that had been pushed at `position` has run.
  void wait_for(std::uint64_t position);

 private:
  void run();

  mutable std::mutex m_mutex;
  std::condition_variable m_changed;
  std::deque<Work> m_work;
  std::uint64_t m_n_pushed = 0;
  std::uint64_t m_n_done   = 0;
  bool m_has_thread        = false;
};

}  // namespace fake_cuda

#endif
