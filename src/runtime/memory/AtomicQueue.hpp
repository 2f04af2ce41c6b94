// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_MEMORY_ATOMICQUEUE_HPP
#define SYMM_MEMORY_ATOMICQUEUE_HPP

#include <chrono>
#include <cstddef>
#include <cstdint>

#include "AtomicBatch.hpp"
#include "AtomicOp.hpp"
#include "CopyQueue.hpp"
#include "MemoryProvider.hpp"
#include "PinnedMemory.hpp"

namespace symm::Impl {

/// The host's side of a AtomicBoard. A run that the library's kernel does not
/// begin in time, as others occupy the GPU, is offered to threads that wait.
/// One thread at a time.
///
/// \throws SystemError in all of them, also for errors of earlier kernels.
class AtomicQueue {
 public:
  /// \param provider of the GPU's memory; outlives this.
  /// \param stores a queue (CopyQueue) that waits for no kernel; outlives this.
  AtomicQueue(MemoryProvider& provider, void* stores);
  ~AtomicQueue();
  AtomicQueue(AtomicQueue const&)            = delete;
  AtomicQueue& operator=(AtomicQueue const&) = delete;

  /// For threads that wait, in memory of the GPU.
  [[nodiscard]] AtomicBoard* board() const { return m_board; }

  /// Without a result. Those between two calls of finish() are done in any
  /// order.
  void add(void* word, AtomicOp op, WordType type, std::uint64_t value);
  void flush();
  /// All are done.
  void finish();
  /// After finish(), and waits. \returns what the word was.
  [[nodiscard]] std::uint64_t fetch(void* word, AtomicOp op, WordType type,
                                    std::uint64_t value, std::uint64_t compare);

 private:
  using Clock = std::chrono::steady_clock;

  void post(std::size_t first, std::size_t count);
  void launch();
  [[nodiscard]] bool is_idle();
  void wait_for_run();
  void ask_threads();

  MemoryProvider& m_provider;
  void* m_stores;
  PinnedMemory m_memory;  // the changes, and a word behind them
  GpuAtomic* m_changes;
  std::uint64_t* m_finished;
  void* m_queue        = nullptr;
  AtomicBoard* m_board = nullptr;

  AtomicBatch m_run{0};     // the latest
  std::size_t m_first = 0;  // [m_first, m_end) are not posted
  std::size_t m_end   = 0;
  bool m_is_occupied  = false;  // a kernel of an earlier run may not have begun
  int m_n_launched    = 0;      // since the queue was last seen to be idle
};

}  // namespace symm::Impl

#endif
