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

/// The memory of one pool, and on which stream it may be used next.
///
/// Free memory is in *arenas*: the common one, which every stream may use, and
/// one for each stream, which only what is put into that stream from now on may
/// use. What free() gets waits in the queue of its stream, until the order of
/// the streams tells that another use cannot overlap with it in time (H02): it
/// goes into the arena of the stream that asks. When all PEs have waited for
/// all their streams, everything goes back into the common one.
///
/// All decisions are made of the sequence of calls alone, so that they are the
/// same on all PEs of a symmetric pool; those of a local one look at the time,
/// too (H54). One thread at a time.
class StreamPool final : public Pool {
 public:
  using Number   = StreamOrder::Number;
  using Position = StreamOrder::Position;

  /// Of blocks, and what their sizes are multiples of.
  static constexpr std::size_t alignment = 256;

  /// A block that lives.
  struct Block {
    HeapBlocks* arena = nullptr;
    HeapBlocks::Id id = HeapBlocks::none;
    Number stream     = 0;  // it was allocated on
    std::array<char, 44> label{};
  };

  /// \param heap  of all PEs, or, for a local pool, of this one alone.
  /// \param order of the streams that use pools of this kind.
  /// \param own   that heap, if it is the pool's own (H80).
  StreamPool(std::uint64_t number, MemPoolProperties const& properties,
             ChunkSource& heap, StreamOrder& order,
             std::unique_ptr<LocalHeap> own = nullptr)
      : Pool(number, properties),
        m_own_heap(std::move(own)),
        m_heap(heap),
        m_map(heap.map()),
        m_order(order),
        m_common(m_map) {}

  /// Where its blocks are.
  [[nodiscard]] HeapMap const& map() const { return m_map; }

  /// A block for `stream`, without growth: its address, or null if there is no
  /// room that the stream may use, or be made to wait for (H55).
  /// \param phase as HeapBlocks::Request has it.
  /// \throws SystemError on this PE.
  [[nodiscard]] char* take(Number stream, std::size_t bytes, std::size_t phase,
                           char const* label);

  /// Collective, of a symmetric pool: waits for the kernels, and grows unless
  /// what waits to be used again is a good part of the pool and has room for
  /// the request.
  /// \throws OutOfMemory, SystemError on every PE; UsageError on every PE, if a
  ///         PE is in another call.
  void grow(Number stream, std::size_t bytes, std::size_t phase,
            char const* label = "");

  /// The block that starts at `address`; null, if none does.
  [[nodiscard]] Block const* find(void const* address) const {
    auto const slot = m_live.find(m_map.offset_of(address));
    return slot == OffsetMap::none ? nullptr : &m_blocks[slot];
  }
  [[nodiscard]] std::size_t bytes_of(Block const& block) const {
    return block.arena->bytes_of(block.id);
  }

  /// Precondition: a block starts at `address`.
  /// \param is_over whether this PE has nothing left to do with it, and not
  ///        only in the order of the stream.
  void free(Number stream, void* address, bool is_over);

  /// Gets the private memory that collect() and release() need behind it: they
  /// do not throw then, and make no PE differ from the others.
  void prepare_to_collect();
  /// Everything has ended on all PEs (of a local pool: here): all that waits is
  /// free for all.
  void collect();

  /// Takes all that the pool may have, of which one descriptor is made; it
  /// keeps that to its end.
  /// Precondition: it has a heap of its own, and takes nothing otherwise.
  /// \throws OutOfMemory, SystemError on this PE.
  void take_all();

  /// Collective, of a symmetric pool: trim().
  void trim_to(std::size_t min_bytes_to_hold);
  /// A step of a collective call whose PEs have met, behind collect(): gives
  /// back what is above the threshold; all, if the pool is to end.
  void release();

  /// Streams that blocks live on, or wait in; a bit each.
  [[nodiscard]] std::uint64_t streams_in_use() const;
  /// Streams whose being idle would help; a bit each.
  [[nodiscard]] std::uint64_t streams_to_watch() const;

  [[nodiscard]] std::size_t n_live() const { return m_live.count(); }
  /// Keeps the memory of a heap of its own mapped until the process ends.
  void abandon() noexcept {
    if (m_own_heap != nullptr) m_own_heap->heap().abandon();
  }
  /// Appends label and size of each.
  void list_blocks(std::vector<std::string>& list) const;

  /// That nothing is left of it.
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

  /// What the pool has of one stream.
  struct PerStream {
    std::unique_ptr<HeapBlocks> arena;
    Position latest = 0;  // of what was put into the arena
    std::vector<Freed> freed;
    std::size_t n_reused = 0;  // the first of them, in which nothing is left
    std::uint32_t n_live = 0;  // blocks allocated on it

    [[nodiscard]] std::size_t n_freed() const {
      return freed.size() - n_reused;
    }
    [[nodiscard]] bool has_freed() const { return n_freed() > 0; }
    /// Drops what was reused; moves no more than it has dropped.
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
  // Where `follows` is set, by what is known of the order of the streams.
  [[nodiscard]] bool may_reuse(Number from, Position at, Number to,
                               bool follows) const;
  [[nodiscard]] bool may_take_over(Number from, Number to, bool follows) const;
  /// A block that a request has got.
  struct Taken {
    HeapBlocks* arena = nullptr;
    HeapBlocks::Id id = HeapBlocks::none;
  };
  /// What the stream has freed last, or waits longest in its queue, if that is
  /// it: what a loop asks for does not go through an arena.
  [[nodiscard]] Taken take_waiting(Number stream,
                                   HeapBlocks::Request const& request);
  /// What `to` may use of what waits in `from`.
  void move_freed(Number from, Number to, bool follows);
  /// What `to` may use of what belongs to `from`: room for the request and half
  /// of the rest, so that they do not take all from each other in turn; all,
  /// where no such room is.
  void move_arena(Number from, Number to, HeapBlocks::Request const& request,
                  bool follows);
  /// Probably: alignment may take some of it.
  [[nodiscard]] static bool has_room_of_its_own(
      PerStream const& its, HeapBlocks::Request const& request) {
    return its.arena != nullptr &&
           its.arena->largest_free_bytes() >= request.bytes;
  }
  [[nodiscard]] bool could_serve(PerStream const& its,
                                 HeapBlocks::Request const& request) const;
  [[nodiscard]] HeapBlocks::Id take_with_dependency(
      Number stream, HeapBlocks::Request const& request);
  [[nodiscard]] HeapBlocks::Id take_when_idle(
      Number stream, HeapBlocks::Request const& request);
  /// Whether so much waits, or is another stream's, that it is better used than
  /// the pool enlarged.
  [[nodiscard]] bool has_much_to_reuse(Number stream) const;
  /// What it never gives back while it is not to end.
  [[nodiscard]] std::size_t least_bytes() const {
    return m_own_heap != nullptr ? m_properties.max_bytes : 0;
  }
  /// In the common arena.
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
  std::vector<std::uint32_t> m_unused;  // of them
  OffsetMap m_live;                     // from offsets to slots
};

}  // namespace symm::Impl

#endif
