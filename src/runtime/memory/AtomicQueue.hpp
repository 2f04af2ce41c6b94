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

/// The host side of an AtomicBoard. If other kernels keep the library's kernel
/// from starting in time, the queue offers the batch to waiting GPU threads.
/// Not thread-safe.
///
/// Any call may throw SystemError because of an error in an earlier kernel.
class AtomicQueue {
 public:
  /// \param provider the provider of the GPU's memory; must outlive this
  /// object.
  /// \param stores a CopyQueue queue that no kernel can block; must outlive
  ///        this object.
  AtomicQueue(MemoryProvider& provider, void* stores);
  ~AtomicQueue();
  AtomicQueue(AtomicQueue const&)            = delete;
  AtomicQueue& operator=(AtomicQueue const&) = delete;

  /// The board, in GPU memory. Waiting GPU threads claim parts of a batch on
  /// it.
  [[nodiscard]] AtomicBoard* board() const { return m_board; }

  /// Adds an operation that returns no result. Operations added between two
  /// calls to finish() may be performed in any order.
  void add(void* word, AtomicOp op, WordType type, std::uint64_t value);
  void flush();
  /// Posts all operations and waits until they are done.
  void finish();
  /// Calls finish(), then performs one operation and waits for it. \returns the
  /// old value of the word.
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
  PinnedMemory m_memory;  // the operations, followed by a word for m_finished
  GpuAtomic* m_changes;
  std::uint64_t* m_finished;
  void* m_queue        = nullptr;
  AtomicBoard* m_board = nullptr;

  AtomicBatch m_run{0};     // the most recent batch
  std::size_t m_first = 0;  // operations [m_first, m_end) are not yet posted
  std::size_t m_end   = 0;
  // Whether a kernel for an earlier batch may still be waiting to start.
  bool m_is_occupied = false;
  int m_n_launched   = 0;  // kernels launched since m_queue was last idle
};

}  // namespace symm::Impl

#endif
