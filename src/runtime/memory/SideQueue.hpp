// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_MEMORY_SIDEQUEUE_HPP
#define SYMM_MEMORY_SIDEQUEUE_HPP

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <span>

#include "AtomicOp.hpp"
#include "CopyQueue.hpp"
#include "MemoryProvider.hpp"

namespace symm::Impl {

/// Page-locked memory of the host, which copies of a GPU and its kernels reach
/// at the same address.
class PinnedMemory {
 public:
  /// Zeros. \throws OutOfMemory, SystemError on this PE.
  PinnedMemory(MemoryProvider& provider, std::size_t bytes);
  ~PinnedMemory();
  PinnedMemory(PinnedMemory const&)            = delete;
  PinnedMemory& operator=(PinnedMemory const&) = delete;

  [[nodiscard]] std::byte* data() const { return m_memory.get(); }
  [[nodiscard]] std::size_t size() const { return m_bytes; }

 private:
  static constexpr std::size_t alignment = 4096;
  struct Free {
    void operator()(std::byte* memory) const {
      ::operator delete(memory, std::align_val_t(alignment));
    }
  };

  MemoryProvider& m_provider;
  std::size_t m_bytes;
  std::unique_ptr<std::byte, Free> m_memory;
  bool m_is_pinned = false;
};

/// What the host does to memory of its GPU while kernels run there that may
/// wait for it: on a queue of its own, in order, through page-locked memory.
/// What is stored between two finish() is seen by kernels in any order. One
/// thread at a time.
///
/// Stores and copies go on while a kernel has all of the GPU. changes do not:
/// they are made by a kernel.
///
/// \throws SystemError in all of them, also for what kernels did wrong before.
class SideQueue {
 public:
  /// Of load(), and twice of that what is stored at once.
  static constexpr std::size_t most_bytes = std::size_t{64} << 10U;

  /// \param provider of the GPU's memory; outlives this.
  explicit SideQueue(MemoryProvider& provider);
  ~SideQueue();
  SideQueue(SideQueue const&)            = delete;
  SideQueue& operator=(SideQueue const&) = delete;

  // Stores; done after finish(), the source may change at once. A word of 4 or
  // 8 bytes, aligned, is one access.

  void store(void* to, void const* from, std::size_t bytes);
  /// \param count elements, next to each other in `from`; most_bytes at most.
  void store_strided(void* to, std::size_t to_stride, void const* from,
                     std::size_t element_bytes, std::size_t count);
  /// An operation without a result, is_atomic().
  void change(void* word, AtomicOp op, WordType type, std::uint64_t value);
  void finish();

  // Behind all stores; wait.

  /// What the word was. \param op is_atomic()
  [[nodiscard]] std::uint64_t fetch_and_change(void* word, AtomicOp op,
                                               WordType type,
                                               std::uint64_t value,
                                               std::uint64_t compare);
  /// In page-locked memory, until the next call.
  /// \param bytes at most most_bytes.
  [[nodiscard]] std::span<std::byte const> load(void const* from,
                                                std::size_t bytes);
  /// Likewise, one behind the other.
  [[nodiscard]] std::span<std::byte const> load_strided(
      void const* from, std::size_t from_stride, std::size_t element_bytes,
      std::size_t count);

  // Copies of any memory of the process; `from` must stay until finish().

  void begin_copy(CopyQueue::Strided const& copy);
  [[nodiscard]] bool is_idle();

 private:
  using Change                              = CopyQueue::WordChange;
  static constexpr std::size_t most_changes = 1024;

  [[nodiscard]] std::byte* room_for(std::size_t bytes);
  void add_store(CopyQueue::WordStore const& store);
  void flush();
  void flush_changes();
  void wait();

  MemoryProvider& m_provider;
  PinnedMemory m_memory;  // for stores, for loads, for changes
  void* m_queue;
  std::size_t m_used = 0;  // of what is for stores
  // Not begun yet, all of one kind; behind those that have been.
  std::size_t m_first_change = 0;
  std::size_t m_end_changes  = 0;
  std::array<CopyQueue::WordStore, 256> m_stores;
  std::size_t m_n_stores = 0;
  AtomicOp m_op{};
  WordType m_type{};
};

}  // namespace symm::Impl

#endif
