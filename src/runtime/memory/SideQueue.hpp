// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_MEMORY_SIDEQUEUE_HPP
#define SYMM_MEMORY_SIDEQUEUE_HPP

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "AtomicOp.hpp"
#include "AtomicQueue.hpp"
#include "CopyQueue.hpp"
#include "MemoryProvider.hpp"
#include "PinnedMemory.hpp"

namespace symm::Impl {

/// Lets the host access memory of its GPU while kernels run there that may wait
/// for it: on a queue of its own, in order, through page-locked memory. Kernels
/// see the stores between two calls of finish() in any order. One thread at a
/// time.
///
/// All of it proceeds while a kernel occupies the whole GPU: changes, which a
/// kernel makes, where threads of the other wait for far PEs (AtomicBoard).
///
/// \throws SystemError in all of them, also for errors of earlier kernels.
class SideQueue {
 public:
  /// The most that load() takes; half of the room for stores.
  static constexpr std::size_t max_bytes = std::size_t{64} << 10U;

  enum class Changes : bool { none, some };

  /// \param provider of the GPU's memory; outlives this.
  /// \param changes whether change() and fetch_and_change() are called.
  explicit SideQueue(MemoryProvider& provider, Changes changes = Changes::none);
  ~SideQueue();
  SideQueue(SideQueue const&)            = delete;
  SideQueue& operator=(SideQueue const&) = delete;

  // Stores: done after finish(); their source may change at once. An aligned
  // word of 4 or 8 bytes is one access.

  void store(void* to, void const* from, std::size_t bytes);
  /// \param count elements, contiguous in `from`; max_bytes in all at most.
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
  /// \param bytes at most max_bytes.
  [[nodiscard]] std::span<std::byte const> load(void const* from,
                                                std::size_t bytes);
  /// The same for elements, which are contiguous in the result.
  [[nodiscard]] std::span<std::byte const> load_strided(
      void const* from, std::size_t from_stride, std::size_t element_bytes,
      std::size_t count);

  /// For threads that wait; null without changes.
  [[nodiscard]] AtomicBoard* board() const {
    return m_changes == nullptr ? nullptr : m_changes->board();
  }

  // Copies of any memory of the process; `from` must stay until finish().

  void begin_copy(CopyQueue::Strided const& copy);
  [[nodiscard]] bool is_idle();

 private:
  [[nodiscard]] std::byte* room_for(std::size_t bytes);
  void add_store(CopyQueue::WordStore const& store);
  void flush();
  void wait();

  MemoryProvider& m_provider;
  PinnedMemory m_memory;  // for stores, for loads
  void* m_queue;
  std::size_t m_used = 0;  // bytes of the part for stores
  std::array<CopyQueue::WordStore, 256> m_stores;
  std::size_t m_n_stores = 0;
  std::unique_ptr<AtomicQueue> m_changes;
};

}  // namespace symm::Impl

#endif
