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

/// A symmetric heap. All PEs allocate each block collectively, at the same
/// offset in their parts of a single address range. Every PE can access every
/// PE's copy.
///
/// All PEs must make the same collective calls with equal arguments. Only one
/// thread per PE may be in such a call at a time. If a second thread makes such
/// a call, the call throws UsageError immediately, on this PE only. Meanwhile,
/// any number of threads may call contains(), map(), memory(), is_mapped(),
/// stats(), can_register() and retire().
///
/// A collective call waits for this PE's kernels. The call is also a
/// rendezvous: a barrier and a check that the arguments are equal. If arguments
/// differ, or if any PE cannot complete its part, the call throws on every PE.
/// The error message then names the PEs and values, and the heap is unchanged
/// (M27-M30, M34, M48).
class SymmetricHeap final : public ChunkSource {
 public:
  /// The minimum alignment of every allocation (M03, M04).
  static constexpr std::size_t default_alignment = OffsetAllocator::granule;
  /// The maximum alignment: the alignment of each PE's part.
  static constexpr std::size_t max_alignment = HeapChunks::alignment;

  /// Collective.
  /// \throws OutOfMemory, SystemError, UsageError on every PE.
  SymmetricHeap(MemoryProvider& provider, FdExchange& exchange,
                Bootstrap& bootstrap, Rendezvous& rendezvous,
                HeapOptions const& options);
  SymmetricHeap(SymmetricHeap const&)            = delete;
  SymmetricHeap& operator=(SymmetricHeap const&) = delete;

  /// Collective, with a barrier on exit. When the call returns on any PE, every
  /// PE has the block, so a put may follow immediately (M22, M26). The contents
  /// are indeterminate.
  ///
  /// \param bytes If 0, returns nullptr without a barrier (M06-M08).
  /// \throws OutOfMemory, UsageError, SystemError on every PE.
  [[nodiscard]] void* malloc(std::size_t bytes);

  /// Like malloc(), but with a given alignment.
  ///
  /// \param alignment In bytes; a power of two, a multiple of sizeof(void*),
  ///        and at most max_alignment (M09-M14).
  [[nodiscard]] void* align(std::size_t alignment, std::size_t bytes);

  /// Like malloc(), but all bits are zero on every PE when the call returns on
  /// any PE (C01-C15).
  ///
  /// \param count, size The number of objects, and the size of each in bytes.
  ///        If either is 0, returns nullptr without a barrier.
  [[nodiscard]] void* calloc(std::size_t count, std::size_t size);

  /// Collective. Changes the size of a block, which may move the block. The
  /// contents are preserved up to the smaller of the two sizes (S01-S10).
  ///
  /// \param address If nullptr, the call acts like malloc(bytes).
  /// \param bytes If 0, the call acts like free(address) and returns nullptr.
  /// \throws on every PE whatever malloc() and free() throw. In that case, the
  ///         block is unchanged.
  void* realloc(void* address, std::size_t bytes);

  /// Collective, with a barrier on entry: no PE's copy is reused before all PEs
  /// have called free() (M24). If `address` is nullptr, does nothing and has no
  /// barrier (M16, M17).
  ///
  /// \throws UsageError on every PE if `address` was not returned by an
  ///         allocation, was freed already, or belongs to a View. In that case,
  ///         nothing is freed.
  void free(void* address);

  /// Like align(), but for a View's memory. retire() frees the memory.
  ///
  /// \param label The View's label, for error messages.
  /// \param bytes The total size of the header and the data. Error messages
  ///        show only the data size.
  /// \param header The number of bytes before the View's data, a multiple of
  ///        default_alignment. The alignment applies to the data, not to the
  ///        header.
  [[nodiscard]] void* allocate_view(char const* label, std::size_t bytes,
                                    std::size_t alignment, std::size_t header);

  /// Collective, with a barrier on exit. Completes the construction of a View.
  /// When the call returns on any PE, all PEs have initialized the View.
  ///
  /// \param failure The reason why this PE could not construct the View, or
  ///        nullopt on success. If any PE passes a failure, all PEs throw it.
  /// \throws UsageError on every PE if any PE is in another call. Even if this
  ///         function throws, the memory still belongs to the View.
  void finish_view(char const* label, std::optional<Failure> const& failure);

  /// Declares that this PE no longer needs a View's memory. Local; callable
  /// from any thread at any time. The PEs may retire the memory in any order.
  /// Once all of them have done so, a later collective call detects this, and
  /// the heap reuses the memory.
  void retire(void* address) noexcept;

  /// Collective: free() for a View's memory.
  void free_view(void* address);

  /// Collective, with a barrier on exit. Registers the program's own memory as
  /// part of the heap. The same physical memory is then also mapped at the
  /// returned symmetric address. All PEs can use that address like an address
  /// from malloc() (R01-R03). The program's own address remains valid.
  ///
  /// \param memory The start of a single shareable allocation made with the
  ///        virtual memory management API. The memory must be of the same kind
  ///        and in the same location as this heap's memory (R05, R06, R15).
  ///        Each PE passes its own allocation.
  /// \param bytes The size of `memory`. It must be the same on all PEs, and a
  ///        multiple of the recommended granularity (R12).
  /// \param flags Must be 0 (R04).
  /// \throws OutOfMemory, UsageError, SystemError on every PE. In that case, no
  ///         PE has mapped the memory.
  [[nodiscard]] void* register_memory(void* memory, std::size_t bytes,
                                      int flags = 0);

  /// Collective, with a barrier on entry and exit. Removes registered memory
  /// from the heap on all PEs (R18-R23).
  ///
  /// \param address The address that register_memory() returned.
  /// \param bytes The size that was passed to register_memory().
  /// \throws UsageError on every PE if any PE passes other values. In that
  ///         case, nothing changes.
  /// \throws SystemError on every PE if a PE cannot unmap the memory.
  void unregister_memory(void* address, std::size_t bytes);

  /// Like register_memory(), but for the memory that contains a View's data.
  /// After all PEs have called retire(), a later collective call removes the
  /// memory from the heap.
  ///
  /// \param bytes The size of the View; must be positive.
  /// \param before The reason why this PE cannot take part, or nullopt if it
  ///        can. If any PE passes a failure, all PEs throw it.
  /// \returns the symmetric address of `data`. The offset of `data` in its
  ///          allocation must be equal on all PEs.
  [[nodiscard]] void* register_view(char const* label, void const* data,
                                    std::size_t bytes,
                                    std::optional<Failure> const& before = {});

  /// Whether `address` is in memory of a type that register_memory() can
  /// accept. Local.
  [[nodiscard]] bool can_register(void const* address) const {
    return m_provider.find_mapping(address).has_value();
  }

  /// Collective. Returns chunks that contain no allocated block to the system,
  /// on all PEs.
  ///
  /// \returns the number of bytes released per PE; 0 for a static heap.
  /// \throws UsageError, SystemError on every PE. If a PE cannot unmap a chunk,
  ///         the chunk's addresses are never used again. The other chunks are
  ///         still released.
  std::size_t trim();

  // Overrides of ChunkSource functions, which provide chunks for the blocks of
  // memory pools.

  void grow(Rendezvous::Call& call, HeapBlocks& blocks,
            HeapBlocks::Request const& request, std::size_t max_bytes,
            std::function<bool()> const& is_enough) override;
  std::size_t trim(Rendezvous::Call& call, HeapBlocks& blocks,
                   std::function<std::size_t()> const& max_bytes) override;
  void prepare_to_trim(HeapBlocks& blocks, std::size_t n_ranges) override;
  std::size_t trim_step(HeapBlocks& blocks, std::size_t max_bytes) override;

  /// Collective; must be the last call. Returns the label and size of each View
  /// that this PE has not destroyed. If there are any such Views, the memory
  /// remains mapped until the process ends, because the destructors of these
  /// Views read their headers.
  [[nodiscard]] std::vector<std::string> finalize();

  /// Leaves all memory of the heap and its provider mapped until the process
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

  /// The mapped memory around `bytes` bytes at `offset`; 0 bytes if the range
  /// is not mapped. Local; callable from any thread.
  [[nodiscard]] ChunkMap::Mapped mapped_around(std::size_t offset,
                                               std::size_t bytes) const {
    bool const is_inside =
        offset < map().stride && bytes <= map().stride - offset;
    return is_inside ? m_chunks.places().mapped_around(offset, bytes)
                     : ChunkMap::Mapped{};
  }

  /// See HeapChunks::tell_before_removal().
  void tell_before_removal(std::function<void(std::size_t)> told) {
    m_chunks.tell_before_removal(std::move(told));
  }

  /// Returns the heap's state after this PE's latest collective call. Local;
  /// callable from any thread.
  [[nodiscard]] HeapStats stats() const;
  [[nodiscard]] MemoryProvider& provider() { return m_provider; }
  /// The maximum size of the heap, in bytes per PE.
  [[nodiscard]] std::size_t limit_bytes() const {
    return m_chunks.options().limit_bytes;
  }
  /// Rounds `bytes` up to a multiple of the chunk unit.
  [[nodiscard]] std::size_t rounded(std::size_t bytes) const {
    return round_up(bytes,
                    m_provider.granularity(Vmm::Granularity::recommended));
  }

 private:
  using Id = HeapBlocks::Id;

  // Steps of collective calls. The steps are collective, too.

  /// Calls Rendezvous::run(), then publish_stats().
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

  /// Begins a collective call: synchronizes with the other PEs at a barrier,
  /// checks the arguments, and releases the memory of Views that all PEs have
  /// retired.
  void meet(Rendezvous::Call& call);
  /// Repeats meet() as long as any PE has more retired Views than one call can
  /// announce.
  void meet_until_all_retired();
  /// Allocates a block, growing the heap if necessary.
  /// Precondition: the PEs have met.
  Id find_room(Rendezvous::Call const& call,
               HeapBlocks::Request const& request);
  /// Ends a call with a barrier. If the call failed on any PE, frees `block`
  /// and throws.
  void end_step(std::optional<Failure> const& failure, Id block);
  void free_block(void* address, bool is_view);
  /// Calls meet(), then maps the program's memory. Returns its symmetric
  /// address.
  char* add_registered(Rendezvous::Call& call, RegisteredMemory::Entry entry);
  /// Unmaps the registered memory of Views that all PEs have retired.
  void remove_registered_views();

  // The following functions are local.

  void publish_stats() noexcept;
  /// Processes the addresses that were passed to retire().
  void collect_retired_views();
  [[nodiscard]] ViewInfo& view(Id id) {
    return RegisteredMemory::is_registered(id) ? m_registered.view(id)
                                               : m_blocks.view(id);
  }

  // These functions check this PE's arguments. meet() reports a failure to all
  // PEs.

  [[nodiscard]] static std::optional<Failure> check_alignment(
      std::size_t alignment);
  /// \param id Receives the block's number if the check succeeds.
  [[nodiscard]] std::optional<Failure> check_block(void const* address,
                                                   bool is_view, Id& id) const;
  [[nodiscard]] bool is_lent(Id id) const;
  [[nodiscard]] static Failure wrong_address(void const* address,
                                             Text const& complaint);

  [[noreturn]] static void throw_named(Rendezvous::Call const& call,
                                       Failure const& failure);
  [[noreturn]] static void throw_lost(Rendezvous::Call const& call,
                                      PeFailure const& failed);

  // Blocks of a static heap that serve as chunks for memory pools.

  struct Lent {
    HeapBlocks const* to;
    Id id;
  };
  /// Returns whether the heap had room for the request.
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
