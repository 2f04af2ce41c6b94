// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_EXCHANGE_MIGRATION_ON_HOST_HPP
#define SYMM_EXCHANGE_MIGRATION_ON_HOST_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <vector>

#include <Kokkos_Core.hpp>

#include <Kokkos_SymmetricSpace_Edge.hpp>

#include "../../runtime/symm_atomics.hpp"
#include "../../runtime/symm_job.hpp"
#include "../../runtime/symm_signals.hpp"
#include "../base/RunKernel.hpp"
#include "BlockPlaces.hpp"
#include "CopyChunks.hpp"
#include "ExchangeBuffers.hpp"
#include "FieldGroups.hpp"
#include "Fields.hpp"
#include "MigrationStep.hpp"
#include "PlanBlocks.hpp"

namespace symm::Impl {

/// Alternately packs leaving elements and unpacks arriving elements on the
/// host, chunk by chunk, in the order of their positions in the Views. With two
/// PEs, the elements just packed are still in cache when the host unpacks into
/// their memory.
///
/// A sender's signal has the value Buffers::steps plus the number of that
/// sender's elements that have arrived. Sender `pe`'s signal is element `pe` of
/// Buffers::near_signals. PEs send whole blocks to far PEs, and fence() keeps
/// these blocks in order.
template <class Exec, class Fields>
class MigrationOnHost {
 public:
  MigrationOnHost(Exec const& exec, char const* call, Buffers const& buffers,
                  MigrationStep& step, Fields const& fields)
      : m_exec(exec),
        m_call(call),
        m_buffers(buffers),
        m_sent(step.sent),
        m_received(step.received),
        m_order(step.order),
        m_fields(fields) {}

  void operator()() {
    // With several threads, handle several chunks per thread at a time.
    auto const threads   = static_cast<std::size_t>(m_exec.concurrency());
    auto const at_a_time = threads == 1 ? 1 : 8 * threads;
    auto const n_chunks  = m_order.sent.size();
    for (std::size_t c = 0; c < n_chunks; c += at_a_time)
      pack_and_unpack(c, std::min(c + at_a_time, n_chunks));
    for (std::size_t b = 0; b < m_order.ends.size(); ++b) unpack_rest_of(b);
  }

 private:
  static constexpr auto all_are_free = std::numeric_limits<ElementIndex>::max();

  /// Packs chunks `first` to `end` - 1 and signals their receivers. Then
  /// unpacks into the View elements that have become free.
  void pack_and_unpack(std::size_t first, std::size_t end) {
    copy<CopyWay::to_block>(m_sent, m_order.sent.data() + first, end - first);
    for (auto k = first; k < end; ++k)
      tell(m_sent.chunks.on_host()[m_order.sent[k]]);
    unpack(end < m_order.sent.size()
               ? m_sent.chunks.on_host()[m_order.sent[end]].start
               : all_are_free);
  }
  /// Waits and unpacks until all chunks of received block `b` are unpacked.
  void unpack_rest_of(std::size_t b) {
    while (m_order.next[b] < m_order.ends[b]) {
      PollOne<Signal> poll{{signal_of(b), 1, nullptr, Compare::ge,
                            value_of_received(m_order.next[b])}};
      wait_for(m_call, poll);
      unpack(all_are_free);
    }
  }

  [[nodiscard]] Signal const* signal_of(std::size_t received_block) const {
    return m_buffers.near_signals +
           m_received.blocks.on_host()[received_block].pe;
  }
  /// The value of the sender's signal once `chunk` has arrived.
  /// \param before for each block, the number of elements in earlier blocks
  ///        between the same two PEs.
  [[nodiscard]] Signal value_of(Chunk const& chunk,
                                std::vector<ElementIndex> const& before) const {
    return m_buffers.steps[0] + before[chunk.block] + chunk.first + chunk.count;
  }
  [[nodiscard]] Signal value_of_received(std::size_t chunk) const {
    return value_of(m_received.chunks.on_host()[chunk],
                    m_order.received_before);
  }
  template <CopyWay way>
  void copy(PlanSide const& side, std::uint32_t const* chunks,
            std::size_t count) const {
    Impl::for_each_group(m_fields, [&](auto const& group,
                                       std::size_t bytes_before) {
      auto const copy_chunk = Impl::copier_of_chunks<way>(
          m_buffers, side, group, PlacesOfPlan{m_fields.bytes()}, bytes_before);
      Impl::run(m_exec, m_call, count,
                [=](std::size_t i) { copy_chunk(chunks[i]); });
    });
    m_exec.fence(m_call);
  }

  /// For a near PE, signals that the chunk has arrived. For a far PE, sends the
  /// block if this is its last chunk.
  void tell(Chunk const& chunk) const {
    symm::fence();
    auto const& block  = m_sent.blocks.on_host()[chunk.block];
    auto* const signal = m_buffers.near_signals + my_pe();
    auto const value   = value_of(chunk, m_order.sent_before);
    if (block.is_near) {
      signal_op(signal, value, SignalOp::set, block.pe);
    } else if (chunk.first + chunk.count == block.count) {
      auto const bytes      = m_fields.bytes();
      auto const last_bytes = m_fields.bytes_of_last();
      put_signal(
          m_buffers.near_inbox + block.there * bytes,
          m_buffers.outbox + block.here * bytes,
          block.padded() * (bytes - last_bytes) + block.count * last_bytes,
          signal, value, SignalOp::set, block.pe);
    }
  }

  /// Unpacks the chunks that have arrived and whose elements all belong before
  /// index `end`.
  void unpack(ElementIndex end) {
    m_order.ready.clear();
    while (m_first < m_order.ends.size() &&
           m_order.next[m_first] == m_order.ends[m_first])
      ++m_first;
    for (auto b = m_first; b < m_order.ends.size(); ++b) {
      auto const next = m_order.next[b];
      if (next == m_order.ends[b]) continue;
      if (last_place(next) >= end) break;
      list_ready(b, end);
    }
    if (m_order.ready.empty()) return;
    for (auto const chunk : m_order.ready)
      check::seen(signal_of(m_received.chunks.on_host()[chunk].block));
    copy<CopyWay::from_block>(m_received, m_order.ready.data(),
                              m_order.ready.size());
  }
  /// Appends to the ready list the chunks of received block `b` that have
  /// arrived and whose elements all belong before index `end`.
  void list_ready(std::size_t b, ElementIndex end) {
    auto& next        = m_order.next[b];
    auto const signal = poll(signal_of(b));
    while (next < m_order.ends[b] && last_place(next) < end &&
           value_of_received(next) <= signal)
      m_order.ready.push_back(static_cast<std::uint32_t>(next++));
  }
  [[nodiscard]] ElementIndex last_place(std::size_t received_chunk) const {
    auto const& chunk = m_received.chunks.on_host()[received_chunk];
    return m_received.elements(chunk.listed + chunk.count - 1);
  }

  Exec const& m_exec;
  char const* m_call;
  Buffers const& m_buffers;
  PlanSide const& m_sent;
  PlanSide const& m_received;
  HostOrder& m_order;
  Fields const& m_fields;
  std::size_t m_first = 0;  // all blocks before this one are unpacked
};

}  // namespace symm::Impl

#endif
