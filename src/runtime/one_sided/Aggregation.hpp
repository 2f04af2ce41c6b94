// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_ONE_SIDED_AGGREGATION_HPP
#define SYMM_ONE_SIDED_AGGREGATION_HPP

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <type_traits>

#include "../access/PeOperations.hpp"
#include "../base/Observer.hpp"
#include "../base/Types.hpp"
#include "../memory/AtomicOp.hpp"
#include "../memory/HeapMap.hpp"
#include "../transport/Updates.hpp"

namespace symm::Impl {

class Channel;
class NodeBins;

/// The pending updates of a Context with ContextOptions::aggregate. Used by one
/// thread at a time. Updates to near PEs are performed in call order, one block
/// at a time, while the words that they change are prefetched into the cache.
/// Updates to far PEs are passed on in blocks, either to the batches of the
/// context's channel, which is locked once per block, or to the target nodes'
/// bins.
class Aggregation {
 public:
  /// Number of updates in a block. A full block is delivered.
  static constexpr std::size_t block = 256;

  /// \param life Runtime::number() of the current runtime.
  explicit Aggregation(std::uint64_t life);
  Aggregation(Aggregation const&)            = delete;
  Aggregation& operator=(Aggregation const&) = delete;
  /// Delivers the pending updates if the runtime has not ended.
  ~Aggregation();

  /// Sets the channel for updates to far PEs; null in a one-node job.
  /// \param bins if null, updates are sent to each PE directly.
  void set_channel(Channel* channel, std::unique_ptr<NodeBins> bins);
  /// Whether another PE on the target's node may perform an update. If so,
  /// updates are ordered only by quiet().
  [[nodiscard]] bool is_by_nodes() const { return m_bins != nullptr; }

  /// Queues an atomic operation that returns nothing. May also deliver the
  /// pending updates.
  /// \returns false if the caller must perform the operation itself, because it
  ///          is observed, in GPU memory, or misaligned.
  /// \throws UsageError on this PE like heap_to_access(), and also if the
  ///         runtime has ended. If the pending updates cannot be delivered,
  ///         throws what the channel throws; they remain pending, and this
  ///         operation is not queued.
  template <class T>
  [[gnu::always_inline]] bool keep(T* address, Pe pe, char const* call,
                                   AtomicOp op, std::type_identity_t<T> value) {
    auto const at = reinterpret_cast<std::size_t>(address) - m_begin;
    bool const is_known =
        at < m_bytes && sizeof(T) <= m_bytes - at && at % sizeof(T) == 0 &&
        static_cast<unsigned>(pe) < static_cast<unsigned>(m_map.n_pes) &&
        !is_observed();
    if (!is_known && !find(address, sizeof(T), pe, call)) [[unlikely]] {
      return false;
    }
    auto const bits     = std::uint64_t{std::bit_cast<BitsOfWord<T>>(value)};
    constexpr auto type = word_type_of<T>();
    if (m_map.is_near(pe)) {
      auto* const word = reinterpret_cast<char*>(m_map.peer_ptr(address, pe));
      __builtin_prefetch(word, 1);
      m_near[m_n_near]  = {word, bits};
      m_kinds[m_n_near] = {op, type};
      if (++m_n_near == block) [[unlikely]] {
        deliver_near(call);
      }
    } else {
      m_far[m_n_far] = {
          {pe, Segment::host_heap, m_map.offset_of(address)}, op, type, bits};
      if (++m_n_far == block) [[unlikely]] {
        deliver_full_far(call);
      }
    }
    return true;
  }

  /// Performs the pending updates to near PEs, and begins the pending updates
  /// to far PEs.
  /// \throws UsageError on this PE if the runtime has ended, in which case the
  ///         pending updates are dropped. Otherwise, throws what the channel
  ///         throws; updates that have not begun remain pending.
  void deliver(char const* call) {
    if (m_n_near != 0) deliver_near(call);
    if (m_n_far != 0) deliver_far(call);
    if (m_bins) deliver_bins(call);
  }

 private:
  struct Kind {
    AtomicOp op;
    WordType type;
    bool operator==(Kind const&) const = default;
  };

  /// Looks up the mapped memory around the word so that keep() need not do so
  /// for the next updates. Returns false in the same cases as keep().
  bool find(void const* address, std::size_t bytes, Pe pe, char const* call);
  void check_life(char const* call);
  void deliver_near(char const* call);
  void deliver_far(char const* call);
  /// Delivers a full block. If this function throws, it has removed the last
  /// update from the block.
  void deliver_full_far(char const* call);
  void deliver_bins(char const* call);

  Channel* m_channel = nullptr;
  std::unique_ptr<NodeBins> m_bins;
  std::uint64_t m_life;
  // The mapped range of this PE's part that find() found most recently; m_bytes
  // is 0 if there is none. Reset when a block of updates is delivered. The
  // range is valid until then, because only collective calls unmap memory, and
  // programs must call quiet() before they free memory.
  std::size_t m_begin = 0;
  std::size_t m_bytes = 0;
  HeapMap m_map{};
  std::size_t m_n_near = 0;
  std::size_t m_n_far  = 0;
  std::array<WordChange, block> m_near;
  std::array<Kind, block> m_kinds;
  std::array<FarAtomic, block> m_far;
};

}  // namespace symm::Impl

#endif
