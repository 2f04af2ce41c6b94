// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_COPY_QUEUE_HPP
#define SYMM_COPY_QUEUE_HPP

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>

namespace symm::Impl {

struct AtomicBoard;

/// Copies and fills memory that loops of the host cannot reach, and waits for
/// work on it. A role of MemoryProvider, for memory of its place. Local calls,
/// on any thread.
///
/// \throws SystemError in all of them, also for errors of earlier kernels.
class CopyQueue {
 public:
  /// Elements at equal distances; strides in bytes.
  struct Strided {
    char* to;
    char const* from;
    std::size_t to_stride;  // the elements do not overlap
    std::size_t from_stride;
    std::size_t element_bytes;
    std::size_t count;  // 1 or more
  };

  virtual ~CopyQueue() = default;

  /// Fills mapped memory with zeros. Done when it returns.
  virtual void zero(char* address, std::size_t bytes) = 0;

  /// Copies within mapped memory, and between it and host memory. Done when it
  /// returns; the ranges do not overlap.
  virtual void copy(void* to, void const* from, std::size_t bytes) = 0;

  /// Enqueues a copy of any memory of the process, in the order of `queue`.
  /// \param queue of the GPU that copies (a CUstream); null: its default one.
  virtual void copy_strided(Strided const& elements, void* /*queue*/) {
    for (std::size_t i = 0; i < elements.count; ++i) {
      copy(elements.to + i * elements.to_stride,
           elements.from + i * elements.from_stride, elements.element_bytes);
    }
  }

  /// Waits for everything that this process has begun and that may access the
  /// memory, such as kernels.
  virtual void synchronize() = 0;

  // Calls on one queue of the GPU (a CUstream; null for its default one). A
  // provider without queues has completed everything when a call returns.

  /// Whether all work in `queue` has ended.
  [[nodiscard]] virtual bool is_idle(void* /*queue*/) { return true; }
  /// Waits until all work in `queue` has ended.
  virtual void wait(void* /*queue*/) {}
  /// Work enqueued in `later` from now on begins when the work in `earlier` so
  /// far has ended. The host does not wait.
  virtual void make_wait(void* /*later*/, void* /*earlier*/) {}
  /// Whether `queue` records a graph instead of doing its work.
  [[nodiscard]] virtual bool is_captured(void* /*queue*/) { return false; }

  /// A comparison of a word of 4 or 8 bytes, aligned to its size.
  struct WordWait {
    void const* address;
    std::uint64_t value;
    std::size_t bytes = sizeof(std::uint64_t);
    /// False: the word is not below `value`. Numbers are on a circle: a word is
    /// below by less than half of its range.
    bool is_equal = false;
  };
  /// Work enqueued in `queue` from now on begins when all `n` comparisons have
  /// been true, and sees what was written before. No kernel waits: processes
  /// that share the GPU go on. The host does not wait.
  virtual void wait_for_words(void* queue, WordWait const* waits,
                              std::size_t n);
  /// The same of the comparisons at(i), i < n.
  template <class At>
  void wait_for_all(void* queue, std::size_t n, At const& at) {
    std::array<WordWait, 32> waits;
    for (std::size_t done = 0; done < n; done += waits.size()) {
      auto const count = std::min(n - done, waits.size());
      for (std::size_t i = 0; i < count; ++i) waits[i] = at(done + i);
      wait_for_words(queue, waits.data(), count);
    }
  }

  // For SideQueue, whose work is done while kernels run that may wait for it.

  /// A queue that waits for no other one, nor others for it. Null, if the
  /// provider has no queues.
  [[nodiscard]] virtual void* make_queue() { return nullptr; }
  virtual void free_queue(void* /*queue*/) noexcept {}

  /// A store of 4 or 8 bytes to the provider's memory, aligned to its size.
  struct WordStore {
    void* address;
    std::uint64_t value;
    std::size_t bytes;
  };
  /// Enqueues `n` stores, done in any order, also with earlier work in `queue`.
  virtual void store_words(void* queue, WordStore const* stores, std::size_t n);

  /// Enqueues a kernel that carries out what is left of a run.
  /// \param run its AtomicBatch::word(); 0: of no changes.
  virtual void begin_changes(void* queue, AtomicBoard* board,
                             std::uint64_t run);

  /// A little memory of the GPU for kernels of this PE; null without a GPU.
  [[nodiscard]] virtual void* allocate(std::size_t /*bytes*/) {
    return nullptr;
  }
  virtual void deallocate(void* /*memory*/) noexcept {}

  /// Calls body() on this thread, with the GPU as the current one of the
  /// vendor's runtime.
  virtual void run_in_context(std::function<void()> const& body) { body(); }

  /// Whether `address` may be in memory that no CPU reaches.
  [[nodiscard]] virtual bool is_on_gpu(void const* /*address*/) {
    return false;
  }
};

}  // namespace symm::Impl

#endif
