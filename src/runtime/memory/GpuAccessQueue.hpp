// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_MEMORY_GPU_ACCESS_QUEUE_HPP
#define SYMM_MEMORY_GPU_ACCESS_QUEUE_HPP

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

/// Lets the host access GPU memory while kernels are running, even while they
/// wait for that access. Uses its own in-order queue and page-locked memory.
/// Kernels may see the stores between two calls to finish() in any order. Not
/// thread-safe.
///
/// All accesses make progress even if a kernel occupies the whole GPU. Atomic
/// operations are performed by a library kernel. If that kernel cannot start,
/// threads that wait for far PEs perform the operations (AtomicBoard).
///
/// Any call may throw SystemError because of an error in an earlier kernel.
class GpuAccessQueue {
 public:
  /// The maximum size of a load() in bytes, and half the size of the store
  /// buffer.
  static constexpr std::size_t max_bytes = std::size_t{64} << 10U;

  enum class Changes : bool { none, some };

  /// \param provider the provider of the GPU's memory; must outlive this
  /// object.
  /// \param changes whether change() and fetch_and_change() will be called.
  explicit GpuAccessQueue(MemoryProvider& provider,
                          Changes changes = Changes::none);
  ~GpuAccessQueue();
  GpuAccessQueue(GpuAccessQueue const&)            = delete;
  GpuAccessQueue& operator=(GpuAccessQueue const&) = delete;

  // The next two functions store to GPU memory. The caller may reuse the source
  // immediately, but the stores are complete only after finish(). An aligned 4-
  // or 8-byte word is stored in one access.

  void store(void* to, void const* from, std::size_t bytes);
  /// \param count number of elements, contiguous in `from`; their total size is
  ///        at most max_bytes.
  void store_strided(void* to, std::size_t to_stride, void const* from,
                     std::size_t element_bytes, std::size_t count);
  /// Adds an atomic operation that returns no result. is_atomic() must hold for
  /// `op` and `type`.
  void change(void* word, AtomicOp op, WordType type, std::uint64_t value);
  void finish();

  // The next three functions first complete all stores, then wait for their
  // result.

  /// \returns the old value of the word. is_atomic() must hold for `op` and
  ///          `type`.
  [[nodiscard]] std::uint64_t fetch_and_change(void* word, AtomicOp op,
                                               WordType type,
                                               std::uint64_t value,
                                               std::uint64_t compare);
  /// \returns a copy of the bytes in page-locked memory. The next call
  ///          overwrites this copy.
  /// \param bytes at most max_bytes.
  [[nodiscard]] std::span<std::byte const> load(void const* from,
                                                std::size_t bytes);
  /// Like load(), but for strided elements, which are contiguous in the result.
  [[nodiscard]] std::span<std::byte const> load_strided(
      void const* from, std::size_t from_stride, std::size_t element_bytes,
      std::size_t count);

  /// The board on which waiting GPU threads claim parts of a batch. Null if
  /// this object was constructed with Changes::none.
  [[nodiscard]] AtomicBoard* board() const {
    return m_changes == nullptr ? nullptr : m_changes->board();
  }

  // Enqueues a copy between any two locations in this process's memory. The
  // source must stay valid until finish().

  void begin_copy(CopyQueue::Strided const& copy);
  [[nodiscard]] bool is_idle();

 private:
  [[nodiscard]] std::byte* room_for(std::size_t bytes);
  void add_store(CopyQueue::WordStore const& store);
  void flush();
  void wait();

  MemoryProvider& m_provider;
  PinnedMemory m_memory;  // a region for stores, then a region for loads
  void* m_queue;
  std::size_t m_used = 0;  // bytes used in the region for stores
  std::array<CopyQueue::WordStore, 256> m_stores;
  std::size_t m_n_stores = 0;
  std::unique_ptr<AtomicQueue> m_changes;
};

}  // namespace symm::Impl

#endif
