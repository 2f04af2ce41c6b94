// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_COPY_QUEUE_HPP
#define SYMM_COPY_QUEUE_HPP

#include <cstddef>
#include <cstdint>
#include <functional>

#include "AtomicOp.hpp"

namespace symm::Impl {

/// What moves bytes where a loop of the host may not: copies, fills, and waits.
/// A role of MemoryProvider, for memory of its place. Local calls, on any
/// thread.
///
/// \throws SystemError in all of them, also for what kernels did wrong before.
class CopyQueue {
 public:
  /// Elements at equal distances, all in bytes.
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

  /// Enqueues a copy as copy() makes them, of any memory of the process.
  /// \param queue of the GPU that does it (a CUstream), in whose order it is;
  ///        null for its default one.
  virtual void copy_strided(Strided const& elements, void* /*queue*/) {
    for (std::size_t i = 0; i < elements.count; ++i) {
      copy(elements.to + i * elements.to_stride,
           elements.from + i * elements.from_stride, elements.element_bytes);
    }
  }

  /// Waits for everything that this process has begun and that may access the
  /// memory (kernels).
  virtual void synchronize() = 0;

  // One queue of the GPU (a CUstream; null for its default one). Where there is
  // none, everything has ended when the call that began it returns.

  /// Whether all that was put into it has ended.
  [[nodiscard]] virtual bool is_idle(void* /*queue*/) { return true; }
  /// Waits for that.
  virtual void wait(void* /*queue*/) {}
  /// What is put into `later` from now on begins when what is in `earlier` now
  /// has ended; the host does not wait.
  virtual void make_wait(void* /*later*/, void* /*earlier*/) {}
  /// Whether it records a graph instead of doing its work.
  [[nodiscard]] virtual bool is_captured(void* /*queue*/) { return false; }

  // For what is done while kernels run that may wait for it (SideQueue).

  /// A queue for which no other waits, and which waits for none. Null, if there
  /// are no queues.
  [[nodiscard]] virtual void* make_queue() { return nullptr; }
  virtual void free_queue(void* /*queue*/) noexcept {}

  /// A store of 4 or 8 bytes of the provider's memory, aligned to that.
  struct WordStore {
    void* address;
    std::uint64_t value;
    std::size_t bytes;
  };
  /// Puts some into a queue, in any order, also with what is in front of them.
  virtual void store_words(void* queue, WordStore const* stores, std::size_t n);

  /// A change of a word, and what that was.
  struct WordChange {
    std::uint64_t address;
    std::uint64_t value;
    std::uint64_t compare;
    std::uint64_t was;
  };
  /// Puts into a queue `n` changes of words of the provider's memory, in any
  /// order, each one step for CPUs and GPUs.
  /// \param changes page-locked (ForeignMemory::pin()), until they are done.
  virtual void change_words(void* queue, WordChange* changes, std::size_t n,
                            AtomicOp op, WordType type);

  /// A little memory of the GPU for kernels of this PE; null: none.
  [[nodiscard]] virtual void* allocate(std::size_t /*bytes*/) {
    return nullptr;
  }
  virtual void deallocate(void* /*memory*/) noexcept {}

  /// Calls body() on this thread, where the GPU is the one that functions of
  /// the vendor's runtime are about.
  virtual void run_in_context(std::function<void()> const& body) { body(); }

  /// Whether `address` may be memory that no processor of the host reaches.
  [[nodiscard]] virtual bool is_on_gpu(void const* /*address*/) {
    return false;
  }
};

}  // namespace symm::Impl

#endif
