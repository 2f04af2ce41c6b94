// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_SYMMETRIC_HEAP_HPP
#define SYMM_SYMMETRIC_HEAP_HPP

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "../base/Snapshot.hpp"
#include "../bootstrap/Bootstrap.hpp"
#include "../bootstrap/FdExchange.hpp"
#include "../memory/HeapMap.hpp"
#include "../memory/MemoryProvider.hpp"
#include "../pes/Rendezvous.hpp"
#include "ChunkSource.hpp"
#include "HeapBlocks.hpp"
#include "HeapChunks.hpp"
#include "HeapOptions.hpp"
#include "HeapStats.hpp"
#include "OffsetAllocator.hpp"
#include "RegisteredMemory.hpp"
#include "RetiredViews.hpp"
#include "ViewInfo.hpp"

namespace symm::Impl {

/// A symmetric heap: all PEs allocate each block together, at the same offset
/// of their parts of one address range, and every PE reaches every copy.
///
/// All PEs make the same collective calls with equal arguments. One thread of a
/// PE at a time makes them: a second one gets a UsageError, alone and at once.
/// Any number of threads may meanwhile call contains(), map(), memory(),
/// is_mapped(), stats(), can_register() and retire(). A collective call waits
/// for the kernels of this PE and is a rendezvous: a barrier, and a check of
/// the arguments. If they differ, or any PE cannot do its part, the call throws
/// on every PE, the message names PEs and values, and the heap is as before
/// (M27-M30, M34, M48).
class SymmetricHeap final : public ChunkSource {
 public:
  /// Least alignment of every allocation (M03, M04).
  static constexpr std::size_t default_alignment = OffsetAllocator::granule;
  /// Largest alignment: that of the PEs' parts.
  static constexpr std::size_t max_alignment = HeapChunks::alignment;

  /// Collective.
  /// \throws OutOfMemory, SystemError, UsageError on every PE.
  SymmetricHeap(MemoryProvider& provider, FdExchange& exchange,
                Bootstrap& bootstrap, Rendezvous& rendezvous,
                HeapOptions const& options);
  SymmetricHeap(SymmetricHeap const&)            = delete;
  SymmetricHeap& operator=(SymmetricHeap const&) = delete;

  /// Collective, with a barrier on exit: every PE has the block when the call
  /// returns on any PE, so a put may follow at once (M22, M26). Contents are
  /// indeterminate.
  ///
  /// \param bytes 0 gives nullptr, without a barrier (M06-M08).
  /// \throws OutOfMemory, UsageError, SystemError on every PE.
  [[nodiscard]] void* malloc(std::size_t bytes);

  /// As malloc().
  ///
  /// \param alignment in bytes; a power of two, a multiple of sizeof(void*),
  ///        at most max_alignment (M09-M14).
  [[nodiscard]] void* align(std::size_t alignment, std::size_t bytes);

  /// As malloc(), all bits zero on every PE when it returns on any (C01-C15).
  ///
  /// \param count, size number of objects and bytes of each; if either is 0,
  ///        nullptr without a barrier.
  [[nodiscard]] void* calloc(std::size_t count, std::size_t size);

  /// Collective. Changes the size of a block, which may move; its contents up
  /// to the smaller size are kept (S01-S10).
  ///
  /// \param address nullptr: as malloc(bytes).
  /// \param bytes   0: as free(address), returns nullptr.
  /// \throws as malloc() and free(), on every PE; the block is unchanged.
  void* realloc(void* address, std::size_t bytes);

  /// Collective, with a barrier on entry: no PE's copy is reused before all PEs
  /// have called (M24). nullptr does nothing, without a barrier (M16, M17).
  ///
  /// \throws UsageError on every PE if `address` is not what an allocation
  ///         returned, was freed already, or belongs to a View; nothing is
  ///         freed.
  void free(void* address);

  /// As align(), for the memory of a View: retire() gives it back.
  ///
  /// \param label  of the View, for messages.
  /// \param bytes  of header and data; messages show those of the data.
  /// \param header bytes before the View's data, a multiple of
  ///        default_alignment. The data are aligned, not the header.
  [[nodiscard]] void* allocate_view(char const* label, std::size_t bytes,
                                    std::size_t alignment, std::size_t header);

  /// Collective, with a barrier on exit: ends the construction of a View. All
  /// PEs have filled the View when the call returns on any PE.
  ///
  /// \param failure why this PE has not constructed the View; all PEs throw it.
  /// \throws UsageError on every PE, if one is in another call. The memory
  ///         stays the View's in any case.
  void finish_view(char const* label, std::optional<Failure> const& failure);

  /// This PE no longer needs the memory of a View. Local; any thread, at any
  /// time. The heap reuses the memory when all PEs have retired it, in any
  /// order: later collective calls find that out.
  void retire(void* address) noexcept;

  /// Collective: free() for the memory of a View.
  void free_view(void* address);

  /// Collective, with a barrier on exit. Makes memory of the program part of
  /// the heap: the same physical memory is then also at the symmetric address
  /// returned, which all PEs use as one that malloc() returned (R01-R03). The
  /// program's own address stays valid.
  ///
  /// \param memory start of one memory of virtual memory management, in the
  ///        place of this heap, that can be shared (R05, R06, R15). Each PE
  ///        passes its own.
  /// \param bytes  its size, equal on all PEs; a multiple of the recommended
  ///        granularity (R12).
  /// \param flags  0 (R04).
  /// \throws OutOfMemory, UsageError, SystemError on every PE; nothing is
  ///         mapped on any.
  [[nodiscard]] void* register_memory(void* memory, std::size_t bytes,
                                      int flags = 0);

  /// Collective, with a barrier on entry and exit. Takes registered memory out
  /// of the heap on all PEs (R18-R23).
  ///
  /// \param address the address that register_memory() returned.
  /// \param bytes   the size that it was given.
  /// \throws UsageError on every PE, if any PE passes something else; nothing
  ///         changes. SystemError on every PE.
  void unregister_memory(void* address, std::size_t bytes);

  /// As register_memory(), for the memory around a View's data. After retire()
  /// on all PEs a later collective call takes it out of the heap.
  ///
  /// \param bytes   of the View; above 0.
  /// \param before  why this PE cannot go on, if it cannot; all PEs throw it.
  /// \returns the symmetric address of `data`, whose distance from the start of
  ///          the memory must be equal on all PEs.
  [[nodiscard]] void* register_view(char const* label, void const* data,
                                    std::size_t bytes,
                                    std::optional<Failure> const& before = {});

  /// Whether `address` is in memory of the program that register_memory() could
  /// take. Local.
  [[nodiscard]] bool can_register(void const* address) const {
    return m_provider.find_mapping(address).has_value();
  }

  /// Collective. Gives the chunks in which nothing is allocated back to the
  /// system, on all PEs.
  ///
  /// \returns bytes released per PE; 0 for a static heap.
  /// \throws UsageError, SystemError on every PE. If a PE cannot unmap a chunk,
  ///         its addresses are not used again; the other chunks are given back
  ///         nevertheless.
  std::size_t trim();

  // Chunks for the blocks of memory pools: ChunkSource.

  void grow(Rendezvous::Call& call, HeapBlocks& blocks,
            HeapBlocks::Request const& request, std::size_t max_bytes,
            std::function<bool()> const& is_enough) override;
  std::size_t trim(Rendezvous::Call& call, HeapBlocks& blocks,
                   std::function<std::size_t()> const& max_bytes) override;
  void prepare_to_trim(HeapBlocks& blocks, std::size_t n_ranges) override;
  std::size_t trim_step(HeapBlocks& blocks, std::size_t max_bytes) override;

  /// Collective; the last call. Returns label and size of each View that this
  /// PE has not destroyed yet. If there are any, the memory stays mapped until
  /// the process ends: their destructors read their headers.
  [[nodiscard]] std::vector<std::string> finalize();

  /// Keeps all memory of the heap and its provider mapped until the process
  /// ends.
  void abandon() noexcept {
    m_chunks.abandon();
    m_provider.abandon();
  }

  /// Whether `address` is in this PE's part.
  [[nodiscard]] bool contains(void const* address) const {
    return map().contains(address);
  }
  [[nodiscard]] HeapMap const& map() const override { return m_chunks.map(); }
  [[nodiscard]] MemoryKind memory() const { return m_chunks.options().memory; }

  /// Whether [address, address + bytes) begins in this PE's part and has
  /// physical memory on all PEs. Local.
  [[nodiscard]] bool is_mapped(void const* address, std::size_t bytes) const {
    auto const offset = map().offset_of(address);
    return offset < map().stride && bytes <= map().stride - offset &&
           m_chunks.places().is_mapped(offset, bytes);
  }

  /// All memory around `bytes` from `offset` that is_mapped(); 0 bytes, if
  /// they are not. Local; any thread.
  [[nodiscard]] ChunkMap::Mapped mapped_around(std::size_t offset,
                                               std::size_t bytes) const {
    bool const is_inside =
        offset < map().stride && bytes <= map().stride - offset;
    return is_inside ? m_chunks.places().mapped_around(offset, bytes)
                     : ChunkMap::Mapped{};
  }

  /// As HeapChunks::tell_before_removal().
  void tell_before_removal(std::function<void(std::size_t)> told) {
    m_chunks.tell_before_removal(std::move(told));
  }

  /// The state after this PE's latest collective call. Local; any thread.
  [[nodiscard]] HeapStats stats() const;
  [[nodiscard]] MemoryProvider& provider() { return m_provider; }
  /// Bytes per PE that the heap can grow to.
  [[nodiscard]] std::size_t limit_bytes() const {
    return m_chunks.options().limit_bytes;
  }
  /// Rounds up to a multiple of the chunks' unit.
  [[nodiscard]] std::size_t rounded(std::size_t bytes) const {
    return round_up(bytes,
                    m_provider.granularity(Vmm::Granularity::recommended));
  }

 private:
  using Id = HeapBlocks::Id;

  // Parts of collective calls; collective.

  /// Rendezvous::run(), and then publish_stats().
  template <class Body>
  decltype(auto) run(RuntimeCall operation, Body const& body) {
    return m_rendezvous.run(operation, [&]() -> decltype(body()) {
      struct End {
        ~End() { heap.publish_stats(); }
        SymmetricHeap& heap;
      } const end{*this};
      return body();
    });
  }

  /// Begins a call: the barrier, the check of the arguments, and the end of
  /// Views that all PEs have retired.
  void meet(Rendezvous::Call& call);
  /// Meets again while PEs have more retired Views than one call can carry.
  void meet_until_all_retired();
  /// Takes a new block; the heap grows if it must.
  /// Precondition: the PEs have met.
  Id find_room(Rendezvous::Call const& call,
               HeapBlocks::Request const& request);
  /// Ends a call with a barrier; gives `block` back and throws if a PE failed.
  void end_step(std::optional<Failure> const& failure, Id block);
  void free_block(void* address, bool is_view);
  /// Meets, and maps memory of the program; returns the symmetric address.
  char* add_registered(Rendezvous::Call& call, RegisteredMemory::Entry entry);
  /// Unmaps registered memory of Views that have ended on all PEs.
  void remove_registered_views();

  // Local.

  void publish_stats() noexcept;
  /// Takes over the addresses given to retire().
  void collect_retired_views();
  [[nodiscard]] ViewInfo& view(Id id) {
    return RegisteredMemory::is_registered(id) ? m_registered.view(id)
                                               : m_blocks.view(id);
  }

  // Checks of this PE's arguments; meet() tells all PEs of a failure.

  [[nodiscard]] static std::optional<Failure> check_alignment(
      std::size_t alignment);
  /// \param id becomes the block's number, if nothing is wrong.
  [[nodiscard]] std::optional<Failure> check_block(void const* address,
                                                   bool is_view, Id& id) const;
  [[nodiscard]] bool is_lent(Id id) const;
  [[nodiscard]] static Failure wrong_address(void const* address,
                                             Text const& complaint);

  [[noreturn]] static void throw_named(Rendezvous::Call const& call,
                                       Failure const& failure);
  [[noreturn]] static void throw_lost(Rendezvous::Call const& call,
                                      PeFailure const& failed);

  // Blocks of a static heap that pools use as chunks.

  struct Lent {
    HeapBlocks const* to;
    Id id;
  };
  /// Returns whether the heap had such a block.
  bool lend(HeapBlocks& blocks, HeapBlocks::Request const& request,
            std::size_t max_bytes);
  /// Returns the number of bytes taken back.
  std::size_t take_back(HeapBlocks& blocks, std::size_t max_bytes);

  Rendezvous& m_rendezvous;
  MemoryProvider& m_provider;
  HeapChunks m_chunks;
  HeapBlocks m_blocks;
  std::vector<Lent> m_lent;
  RegisteredMemory m_registered;
  RetiredViews m_retired;
  Snapshot<HeapStats> m_stats;
};

}  // namespace symm::Impl

#endif
