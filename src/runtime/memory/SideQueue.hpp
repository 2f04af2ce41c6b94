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

/// Page-locked memory of the host, which a GPU's copies and kernels reach at
/// the same address.
class PinnedMemory {
 public:
  /// Zeroes the memory. \throws OutOfMemory, SystemError on this PE.
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

/// Lets the host access memory of its GPU while kernels run there that may wait
/// for it: on a queue of its own, in order, through page-locked memory. Kernels
/// see the stores between two calls of finish() in any order. One thread at a
/// time.
///
/// Stores and copies proceed while a kernel occupies the whole GPU. Changes do
/// not, as a kernel makes them.
///
/// \throws SystemError in all of them, also for errors of earlier kernels.
class SideQueue {
 public:
  /// The most that load() takes; half of the room for stores.
  static constexpr std::size_t most_bytes = std::size_t{64} << 10U;

  /// \param provider of the GPU's memory; outlives this.
  explicit SideQueue(MemoryProvider& provider);
  ~SideQueue();
  SideQueue(SideQueue const&)            = delete;
  SideQueue& operator=(SideQueue const&) = delete;

  // Stores: done after finish(); their source may change at once. An aligned
  // word of 4 or 8 bytes is one access.

  void store(void* to, void const* from, std::size_t bytes);
  /// \param count elements, contiguous in `from`; most_bytes in all at most.
  void store_strided(void* to, std::size_t to_stride, void const* from,
                     std::size_t element_bytes, std::size_t count);
  /// An atomic operation without a result. \param op, type for is_atomic().
  void change(void* word, AtomicOp op, WordType type, std::uint64_t value);
  void finish();

  // These come after all stores, and wait.

  /// \returns what the word was. \param op, type for which is_atomic().
  [[nodiscard]] std::uint64_t fetch_and_change(void* word, AtomicOp op,
                                               WordType type,
                                               std::uint64_t value,
                                               std::uint64_t compare);
  /// \returns the bytes, in page-locked memory that the next call overwrites.
  /// \param bytes at most most_bytes.
  [[nodiscard]] std::span<std::byte const> load(void const* from,
                                                std::size_t bytes);
  /// The same for elements, which are contiguous in the result.
  [[nodiscard]] std::span<std::byte const> load_strided(
      void const* from, std::size_t from_stride, std::size_t element_bytes,
      std::size_t count);

  // Copies of any memory of the process; `from` must stay until finish().

  void begin_copy(CopyQueue::Strided const& copy);
  [[nodiscard]] bool is_idle();

 private:
  using Change                              = CopyQueue::WordChange;
  static constexpr std::size_t most_changes = 4096;  // a batch of messages

  [[nodiscard]] std::byte* room_for(std::size_t bytes);
  void add_store(CopyQueue::WordStore const& store);
  void flush();
  void flush_changes();
  void wait();

  MemoryProvider& m_provider;
  PinnedMemory m_memory;  // for stores, for loads, for changes
  void* m_queue;
  std::size_t m_used = 0;  // bytes of the part for stores
  // [m_first_change, m_end_changes) are not enqueued yet, all of one kind.
  std::size_t m_first_change = 0;
  std::size_t m_end_changes  = 0;
  std::array<CopyQueue::WordStore, 256> m_stores;
  std::size_t m_n_stores = 0;
  AtomicOp m_op{};
  WordType m_type{};
};

}  // namespace symm::Impl

#endif
