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

/// Copies and fills memory that the host cannot load from or store to, and
/// waits for work that uses such memory. This interface is part of
/// MemoryProvider and works on memory in the provider's location. All calls are
/// local and may be made from any thread.
///
/// Any call may throw SystemError because of an error in an earlier kernel.
class CopyQueue {
 public:
  /// Describes strided elements. Strides are in bytes.
  struct Strided {
    char* to;
    char const* from;
    std::size_t to_stride;  // large enough that elements do not overlap
    std::size_t from_stride;
    std::size_t element_bytes;
    std::size_t count;  // 1 or more
  };

  virtual ~CopyQueue() = default;

  /// Fills mapped memory with zeros. Returns when the memory is zeroed.
  virtual void zero(char* address, std::size_t bytes) = 0;

  /// Copies within mapped memory, or between mapped memory and host memory.
  /// Returns when the copy is done. The ranges must not overlap.
  virtual void copy(void* to, void const* from, std::size_t bytes) = 0;

  /// Enqueues a copy between any two locations in this process's memory.
  /// \param queue a queue (CUstream) on the GPU that makes the copy; null means
  ///        that GPU's default stream.
  virtual void copy_strided(Strided const& elements, void* /*queue*/) {
    for (std::size_t i = 0; i < elements.count; ++i) {
      copy(elements.to + i * elements.to_stride,
           elements.from + i * elements.from_stride, elements.element_bytes);
    }
  }

  /// Waits for all of this process's work, such as kernels, that may access the
  /// memory.
  virtual void synchronize() = 0;

  // The functions below operate on GPU queues (CUstream; null means the default
  // stream). In a provider without queues, every call completes its work before
  // it returns.

  /// Whether all work in `queue` has ended.
  [[nodiscard]] virtual bool is_idle(void* /*queue*/) { return true; }
  /// Waits until all work in `queue` has ended.
  virtual void wait(void* /*queue*/) {}
  /// Work enqueued on `later` after this call does not start until all work
  /// already enqueued on `earlier` has ended. The host does not wait.
  virtual void make_wait(void* /*later*/, void* /*earlier*/) {}
  /// Whether `queue` is capturing work into a graph instead of running it.
  [[nodiscard]] virtual bool is_captured(void* /*queue*/) { return false; }

  /// A condition on a 4- or 8-byte word that is aligned to its size.
  struct WordWait {
    void const* address;
    std::uint64_t value;
    std::size_t bytes = sizeof(std::uint64_t);
    /// If true, the word must equal `value`; if false, the word must not be
    /// below `value`. Numbers wrap around: a word is below `value` if the
    /// distance from the word up to `value` is nonzero and at most half of the
    /// range. (With HIP, not tried on AMD GPUs: every word with its highest bit
    /// set is below `value`, and wait_for_words() throws UsageError if `value`
    /// has its highest bit set.)
    bool is_equal = false;
  };
  /// Work enqueued on `queue` after this call does not start until each of the
  /// `n` conditions has been true. That work then sees everything that the
  /// writers of the words wrote earlier. CUDA needs no kernel for the wait, so
  /// processes that share the GPU make progress. (According to ROCm's sources,
  /// HIP waits in a kernel. Nobody has tried it.) The host does not wait.
  virtual void wait_for_words(void* queue, WordWait const* waits,
                              std::size_t n);
  /// Like wait_for_words(), but for the conditions at(0) to at(n - 1).
  template <class At>
  void wait_for_all(void* queue, std::size_t n, At const& at) {
    std::array<WordWait, 32> waits;
    for (std::size_t done = 0; done < n; done += waits.size()) {
      auto const count = std::min(n - done, waits.size());
      for (std::size_t i = 0; i < count; ++i) waits[i] = at(done + i);
      wait_for_words(queue, waits.data(), count);
    }
  }

  // The functions below are for GpuAccessQueue, whose work must proceed even
  // while kernels wait for that work.

  /// Creates a queue that neither waits for other queues nor blocks them.
  /// Returns null if the provider has no queues.
  [[nodiscard]] virtual void* make_queue() { return nullptr; }
  virtual void free_queue(void* /*queue*/) noexcept {}

  /// A 4- or 8-byte store to the provider's memory, aligned to its size.
  struct WordStore {
    void* address;
    std::uint64_t value;
    std::size_t bytes;
  };
  /// Enqueues `n` stores. They may run in any order, even relative to earlier
  /// work on `queue`.
  virtual void store_words(void* queue, WordStore const* stores, std::size_t n);

  /// Enqueues a kernel that performs the parts of a batch that no thread has
  /// claimed.
  /// \param run the batch as AtomicBatch::word(); 0 for an empty batch.
  virtual void begin_changes(void* queue, AtomicBoard* board,
                             std::uint64_t run);

  /// Allocates a small amount of GPU memory for this PE's kernels. Returns null
  /// if there is no GPU.
  [[nodiscard]] virtual void* allocate(std::size_t /*bytes*/) {
    return nullptr;
  }
  virtual void deallocate(void* /*memory*/) noexcept {}

  /// Calls body() on this thread, with this GPU as the GPU runtime's current
  /// device.
  virtual void run_in_context(std::function<void()> const& body) { body(); }

  /// Whether `address` may be in memory that no CPU can access.
  [[nodiscard]] virtual bool is_on_gpu(void const* /*address*/) {
    return false;
  }
};

}  // namespace symm::Impl

#endif
