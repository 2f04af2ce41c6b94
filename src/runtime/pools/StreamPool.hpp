// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_POOLS_STREAM_POOL_HPP
#define SYMM_POOLS_STREAM_POOL_HPP

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "../heap/ChunkSource.hpp"
#include "../heap/HeapBlocks.hpp"
#include "../heap/OffsetMap.hpp"
#include "../memory/HeapMap.hpp"
#include "../symm_pools.hpp"
#include "LocalHeap.hpp"
#include "Pool.hpp"
#include "StreamOrder.hpp"

namespace symm::Impl {

/// The memory of one pool, and the order in which streams may use it.
///
/// Free memory is in *arenas*: a common one for every stream, and one for each
/// stream, which only work put into that stream from now on may use. free()
/// puts a block into the queue of its stream. A stream that needs memory gets
/// the block into its arena if the order of streams shows that the two uses
/// cannot overlap in time (H02). When all PEs have waited for all their
/// streams, everything returns to the common arena.
///
/// Decisions depend on the sequence of calls alone, so that they are the same
/// on all PEs of a symmetric pool. A local pool also looks which streams are
/// idle (H54). One thread at a time.
class StreamPool final : public Pool {
 public:
  using Number   = StreamOrder::Number;
  using Position = StreamOrder::Position;

  /// Alignment of blocks; their sizes are multiples of it.
  static constexpr std::size_t alignment = 256;

  /// A live block.
  struct Block {
    HeapBlocks* arena = nullptr;
    HeapBlocks::Id id = HeapBlocks::none;
    Number stream     = 0;  // the block was allocated on it
    std::array<char, 44> label{};
  };

  /// \param heap  of all PEs; for a local pool, of this PE alone.
  /// \param order of the streams that use pools of this kind.
  /// \param own   the same heap, if it is the pool's own (H80).
  StreamPool(std::uint64_t number, MemPoolProperties const& properties,
             ChunkSource& heap, StreamOrder& order,
             std::unique_ptr<LocalHeap> own = nullptr)
      : Pool(number, properties),
        m_own_heap(std::move(own)),
        m_heap(heap),
        m_map(heap.map()),
        m_order(order),
        m_common(m_map) {}

  /// The parts of the heap that its blocks are in.
  [[nodiscard]] HeapMap const& map() const { return m_map; }

  /// Allocates a block for `stream` without growth. Returns null if there is no
  /// room that the stream may use, or be made to wait for (H55).
  /// \param phase as in HeapBlocks::Request.
  /// \throws SystemError on this PE.
  [[nodiscard]] char* take(Number stream, std::size_t bytes, std::size_t phase,
                           char const* label);

  /// Collective for a symmetric pool: waits for the kernels, and grows. It does
  /// not grow if half of the pool is unused, or the pool is at its limit, and
  /// there is room for the request then.
  /// \throws OutOfMemory, SystemError on every PE; UsageError on every PE, if a
  ///         PE is in another call.
  void grow(std::size_t bytes, std::size_t phase, char const* label = "");

  /// The block that starts at `address`; null, if none does.
  [[nodiscard]] Block const* find(void const* address) const {
    auto const slot = m_live.find(m_map.offset_of(address));
    return slot == OffsetMap::none ? nullptr : &m_blocks[slot];
  }
  [[nodiscard]] std::size_t bytes_of(Block const& block) const {
    return block.arena->bytes_of(block.id);
  }

  /// Precondition: a block starts at `address`.
  /// \param is_over whether this PE's uses have ended already, not only in the
  ///        order of the stream.
  void free(Number stream, void* address, bool is_over);

  /// Gets the private memory for collect() and release(): they do not throw
  /// then, so no PE comes to differ from the others.
  void prepare_to_collect();
  /// Makes all memory free for every stream, when all work has ended on all PEs
  /// (for a local pool: on this PE).
  void collect();

  /// Takes all memory that the pool may have, as one descriptor must cover it.
  /// The pool keeps it to its end, and takes no more.
  /// Precondition: it has a heap of its own, and no memory yet.
  /// \throws OutOfMemory, SystemError on this PE.
  void take_all();

  /// Collective for a symmetric pool: trim().
  void trim_to(std::size_t min_bytes_to_hold);
  /// A step of a collective call whose PEs have met, after collect(): gives
  /// back memory above the threshold; all, if the pool is to end.
  void release();

  /// A bit for each stream that has live blocks, or freed ones in its queue.
  [[nodiscard]] std::uint64_t streams_in_use() const;
  /// A bit for each stream with memory that others may use if it is idle.
  [[nodiscard]] std::uint64_t streams_to_watch() const;

  [[nodiscard]] std::size_t n_live() const { return m_live.count(); }
  /// Keeps the memory of a heap of its own mapped until the process ends.
  void abandon() noexcept {
    if (m_own_heap != nullptr) m_own_heap->heap().abandon();
  }
  /// Appends label and size of each live block.
  void list_blocks(std::vector<std::string>& list) const;

  /// Whether the pool is to end, and has neither blocks nor memory.
  [[nodiscard]] bool has_ended() const {
    return m_is_ending && m_live.count() == 0 && m_reserved.current == 0;
  }

 private:
  /// A block that was freed.
  struct Freed {
    HeapBlocks* arena = nullptr;
    HeapBlocks::Id id = HeapBlocks::none;
    Position at       = 0;
  };
  /// Whether no other PE uses the blocks.
  [[nodiscard]] bool is_alone() const { return m_map.n_pes == 1; }

  /// The pool's part for one stream.
  struct PerStream {
    std::unique_ptr<HeapBlocks> arena;
    Position latest = 0;  // when memory was last moved into the arena
    std::vector<Freed> freed;
    std::size_t n_reused = 0;  // so many of the first have been reused
    std::uint32_t n_live = 0;  // blocks allocated on it

    [[nodiscard]] std::size_t n_freed() const {
      return freed.size() - n_reused;
    }
    [[nodiscard]] bool has_freed() const { return n_freed() > 0; }
    /// Drops reused blocks, once they are no fewer than the rest, which moves.
    void forget_reused() {
      if (n_reused < n_freed()) return;
      freed.erase(freed.begin(),
                  freed.begin() + static_cast<std::ptrdiff_t>(n_reused));
      n_reused = 0;
    }
  };

  PerStream& per_stream(Number stream) {
    if (stream >= m_streams.size()) m_streams.resize(stream + 1);
    return m_streams[stream];
  }
  [[nodiscard]] HeapBlocks& arena_of(PerStream& its);
  [[nodiscard]] HeapBlocks::Request request_of(std::size_t bytes,
                                               std::size_t phase) const;
  // `follows`: dependencies between different streams count.
  [[nodiscard]] bool may_reuse(Number from, Position at, Number to,
                               bool follows) const;
  [[nodiscard]] bool may_take_over(Number from, Number to, bool follows) const;
  /// A block for a request.
  struct Taken {
    HeapBlocks* arena = nullptr;
    HeapBlocks::Id id = HeapBlocks::none;
  };
  /// Takes the last or the first block in the stream's queue, if it has just
  /// the request's size: the requests of a loop need no arena.
  [[nodiscard]] Taken take_waiting(Number stream,
                                   HeapBlocks::Request const& request);
  /// Takes memory that the stream has not used: of other streams, of none, of
  /// several arenas joined, of streams that are idle, or after a dependency.
  [[nodiscard]] Taken take_of_others(Number stream,
                                     HeapBlocks::Request const& request);
  /// Moves blocks that `to` may use from the queue of `from` to `to`'s arena.
  void move_freed(Number from, Number to, bool follows);
  /// Moves free memory between arenas, if `to` may use it: room for the request
  /// and half of the rest, so that streams do not take all from each other in
  /// turn. Moves everything if there is no such room.
  void move_arena(Number from, Number to, HeapBlocks::Request const& request,
                  bool follows);
  /// Whether there is probably room in the arena: alignment may take some.
  [[nodiscard]] static bool has_room_of_its_own(
      PerStream const& its, HeapBlocks::Request const& request) {
    return its.arena != nullptr &&
           its.arena->largest_free_bytes() >= request.bytes;
  }
  [[nodiscard]] bool could_serve(PerStream const& its,
                                 HeapBlocks::Request const& request) const;
  /// Takes a block of a stream's arena, or of what that and the common one have
  /// together: pieces of both may lie beside each other.
  [[nodiscard]] HeapBlocks::Id take_joined(HeapBlocks& arena,
                                           HeapBlocks::Request const& request);
  [[nodiscard]] HeapBlocks::Id take_with_dependency(
      Number stream, HeapBlocks::Request const& request);
  [[nodiscard]] HeapBlocks::Id take_when_idle(
      Number stream, HeapBlocks::Request const& request);
  /// Whether at least half of the pool's memory is in queues or in arenas of
  /// other streams: reusing it is better than growth.
  [[nodiscard]] bool has_much_to_reuse(Number stream) const;
  /// Bytes that the pool gives back only when it is to end.
  [[nodiscard]] std::size_t least_bytes() const {
    return m_own_heap != nullptr ? m_properties.max_bytes : 0;
  }
  /// Whether the common arena has room.
  [[nodiscard]] bool has_room(HeapBlocks::Request const& request);
  [[nodiscard]] bool is_at_its_limit(std::size_t bytes) const {
    return m_properties.max_bytes != 0 &&
           m_reserved.current + bytes > m_properties.max_bytes;
  }

  std::unique_ptr<LocalHeap> m_own_heap;
  ChunkSource& m_heap;
  HeapMap m_map;
  StreamOrder& m_order;
  HeapBlocks m_common;
  std::vector<PerStream> m_streams;
  std::vector<Block> m_blocks;          // slots
  std::vector<std::uint32_t> m_unused;  // free slots
  OffsetMap m_live;                     // from offsets to slots
};

}  // namespace symm::Impl

#endif
