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

/// One pool's memory, and the order in which streams may use that memory.
///
/// Free memory is kept in *arenas*. The common arena serves every stream. Each
/// stream also has its own arena, which only later work on this stream may use.
/// free() appends a block to the queue of the stream passed to it. A stream
/// that needs memory may move a freed block into its own arena, but only if the
/// stream order shows that the two uses cannot overlap in time (H02). Once all
/// PEs have waited for all of their streams, all free memory returns to the
/// common arena.
///
/// In a symmetric pool, decisions depend only on the sequence of calls, so all
/// PEs make the same decisions. A local pool also checks which streams are idle
/// (H54). Not thread-safe.
class StreamPool final : public Pool {
 public:
  using Number   = StreamOrder::Number;
  using Position = StreamOrder::Position;

  /// The alignment of blocks. Block sizes are multiples of this value.
  static constexpr std::size_t alignment = 256;

  /// A live block.
  struct Block {
    HeapBlocks* arena = nullptr;
    HeapBlocks::Id id = HeapBlocks::none;
    Number stream     = 0;  // stream on which the block was allocated
    std::array<char, 44> label{};
  };

  /// \param heap Shared by all PEs or, for a local pool, owned by this PE
  ///        alone.
  /// \param order The order of the streams that use this kind of pool.
  /// \param own Owns `heap` if no other pool uses the heap (H80); otherwise
  ///        null.
  StreamPool(std::uint64_t number, MemPoolProperties const& properties,
             ChunkSource& heap, StreamOrder& order,
             std::unique_ptr<LocalHeap> own = nullptr)
      : Pool(number, properties),
        m_own_heap(std::move(own)),
        m_heap(heap),
        m_map(heap.map()),
        m_order(order),
        m_common(m_map) {}

  /// The map of the heap that contains the pool's blocks.
  [[nodiscard]] HeapMap const& map() const { return m_map; }

  /// Allocates a block for `stream` without growing the pool. Returns null if
  /// there is no memory that the stream may use now or after waiting for other
  /// streams (H55).
  /// \param phase See HeapBlocks::Request.
  /// \throws SystemError on this PE.
  [[nodiscard]] char* take(Number stream, std::size_t bytes, std::size_t phase,
                           char const* label);

  /// Collective for a symmetric pool. Waits for this PE's kernels, then grows
  /// the pool. If at least half of the pool is unused or the pool is at its
  /// limit, and the request fits in existing memory, the pool does not grow.
  /// \throws OutOfMemory, SystemError on every PE.
  /// \throws UsageError on every PE if any PE is in another call.
  void grow(std::size_t bytes, std::size_t phase, char const* label = "");

  /// Returns the block that starts at `address`; null if there is none.
  [[nodiscard]] Block const* find(void const* address) const {
    auto const slot = m_live.find(m_map.offset_of(address));
    return slot == OffsetMap::none ? nullptr : &m_blocks[slot];
  }
  [[nodiscard]] std::size_t bytes_of(Block const& block) const {
    return block.arena->bytes_of(block.id);
  }

  /// Precondition: a block starts at `address`.
  /// \param is_over Whether this PE's uses of the block have already completed.
  ///        If false, they are only ordered on the stream.
  void free(Number stream, void* address, bool is_over);

  /// Allocates private memory so that collect() and release() cannot throw. If
  /// one of them threw, this PE's state could differ from the other PEs' state.
  void prepare_to_collect();
  /// Makes freed memory available to every stream if all uses of that memory
  /// have completed on all PEs (for a local pool: on this PE).
  void collect();

  /// Allocates the pool's maximum memory in one step, because a single
  /// descriptor must cover all of it. The pool keeps this memory until it is
  /// destroyed, and never grows. Precondition: the pool has its own heap and no
  /// memory yet.
  /// \throws OutOfMemory, SystemError on this PE.
  void take_all();

  /// Collective for a symmetric pool. Waits for this PE's kernels, then
  /// releases unused memory, but keeps at least `min_bytes_to_hold` bytes.
  void trim_to(std::size_t min_bytes_to_hold);
  /// A step of a collective call in which the PEs have already synchronized.
  /// Must be called after collect(). Releases memory above the release
  /// threshold, or all memory if the pool has been destroyed.
  void release();

  /// One bit for each stream. The bit is set if the stream has live blocks, or
  /// freed blocks in its queue.
  [[nodiscard]] std::uint64_t streams_in_use() const;
  /// One bit for each stream. The bit is set if other streams may use the
  /// stream's memory once the stream is idle.
  [[nodiscard]] std::uint64_t streams_to_watch() const;

  [[nodiscard]] std::size_t n_live() const { return m_live.count(); }
  /// Leaves the pool's own heap memory mapped until the process ends.
  void abandon() noexcept {
    if (m_own_heap != nullptr) m_own_heap->heap().abandon();
  }
  /// Appends the label and size of each live block.
  void list_blocks(std::vector<std::string>& list) const;

  /// Whether the pool has been destroyed and has neither blocks nor memory.
  [[nodiscard]] bool has_ended() const {
    return m_is_ending && m_live.count() == 0 && m_reserved.current == 0;
  }

 private:
  /// A freed block that is still in a stream's queue.
  struct Freed {
    HeapBlocks* arena = nullptr;
    HeapBlocks::Id id = HeapBlocks::none;
    Position at       = 0;
  };
  /// Whether no other PE can access the blocks.
  [[nodiscard]] bool is_alone() const { return m_map.n_pes == 1; }

  /// The pool's state for one stream.
  struct PerStream {
    std::unique_ptr<HeapBlocks> arena;
    Position latest = 0;  // position of the latest move into the arena
    std::vector<Freed> freed;
    std::size_t n_reused = 0;  // leading entries of `freed` already reused
    std::uint32_t n_live = 0;  // live blocks from this stream

    [[nodiscard]] std::size_t n_freed() const {
      return freed.size() - n_reused;
    }
    [[nodiscard]] bool has_freed() const { return n_freed() > 0; }
    /// Erases the reused entries of `freed` if they make up at least half of
    /// it.
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
  [[nodiscard]] HeapBlocks& arena_of(PerStream& state);
  [[nodiscard]] HeapBlocks::Request request_of(std::size_t bytes,
                                               std::size_t phase) const;
  // `follows`: whether to take dependencies between different streams into
  // account.
  [[nodiscard]] bool may_reuse(Number from, Position at, Number to,
                               bool follows) const;
  [[nodiscard]] bool may_take_over(Number from, Number to, bool follows) const;
  /// A block for a request; `id` is `none` if no block was found.
  struct Taken {
    HeapBlocks* arena = nullptr;
    HeapBlocks::Id id = HeapBlocks::none;
  };
  /// Takes the last or the first block in the stream's queue if that block has
  /// exactly the requested size. As a result, allocations in a loop need no
  /// arena.
  [[nodiscard]] Taken take_waiting(Number stream,
                                   HeapBlocks::Request const& request);
  /// Finds memory outside the stream's own queue and arena. Tries the following
  /// in order: other streams' memory, the common arena, the stream's arena
  /// joined with the common arena, idle streams, and a new dependency.
  [[nodiscard]] Taken take_of_others(Number stream,
                                     HeapBlocks::Request const& request);
  /// Moves the blocks that `to` may use from the queue of `from` to the arena
  /// of `to`.
  void move_freed(Number from, Number to, bool follows);
  /// If `to` may use the free memory in the arena of `from`, moves enough
  /// memory for the request plus half of the rest to the arena of `to`. If it
  /// moved everything, two streams could repeatedly take all memory from each
  /// other. If the request does not fit, everything is moved.
  void move_arena(Number from, Number to, HeapBlocks::Request const& request,
                  bool follows);
  /// Whether the stream's own arena probably has room. (Alignment may make some
  /// of its memory unusable.)
  [[nodiscard]] static bool has_room_of_its_own(
      PerStream const& state, HeapBlocks::Request const& request) {
    return state.arena != nullptr &&
           state.arena->largest_free_bytes() >= request.bytes;
  }
  [[nodiscard]] bool could_serve(PerStream const& state,
                                 HeapBlocks::Request const& request) const;
  /// Takes a block from a stream's arena, or from that arena joined with the
  /// common arena, because free pieces of the two may be adjacent.
  [[nodiscard]] HeapBlocks::Id take_joined(HeapBlocks& arena,
                                           HeapBlocks::Request const& request);
  [[nodiscard]] HeapBlocks::Id take_with_dependency(
      Number stream, HeapBlocks::Request const& request);
  [[nodiscard]] HeapBlocks::Id take_when_idle(
      Number stream, HeapBlocks::Request const& request);
  /// Whether at least half of the pool's memory is in queues or in other
  /// streams' arenas. In that case, reuse is better than growth.
  [[nodiscard]] bool has_much_to_reuse(Number stream) const;
  /// The number of bytes that the pool holds at all times until it is
  /// destroyed.
  [[nodiscard]] std::size_t least_bytes() const {
    return m_own_heap != nullptr ? m_properties.max_bytes : 0;
  }
  /// Whether the request fits in the common arena.
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
  std::vector<Block> m_blocks;          // indexed by slot
  std::vector<std::uint32_t> m_unused;  // free slots
  OffsetMap m_live;                     // maps offsets to slots
};

}  // namespace symm::Impl

#endif
