// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_EXCHANGE_BLOCK_SIGNALS_HPP
#define SYMM_EXCHANGE_BLOCK_SIGNALS_HPP

#include <cstddef>
#include <cstdint>

#include <Kokkos_Core.hpp>
#include <Kokkos_SymmetricSpace_Edge.hpp>

#include "../../runtime/symm_atomics.hpp"
#include "../../runtime/symm_job.hpp"
#include "../../runtime/symm_signals.hpp"
#include "ExchangeBuffers.hpp"
#include "PlanBlocks.hpp"

namespace symm::Impl {

/// Signals to neighbor i that this PE's block has arrived. For a far neighbor,
/// the put with signal also carries the block.
template <class Places>
struct Notify {
  Buffers buffers;
  Block const* blocks;
  Places places;
  std::size_t last_field_bytes;
  char const* run_data;  // data pointer of the View whose runs are sent without
                         // packing, or null
  StoredCopies stored;   // the copies that are already in near PEs' Views
  std::uint32_t shape;
  Pe my_pe;

  KOKKOS_FUNCTION void operator()(std::size_t i) const {
    KOKKOS_IF_ON_DEVICE((symm::fence();))
    auto const& block = blocks[i];
    auto const step   = buffers.steps[i] + 1;
    if (buffers.has_gates) {
      atomic_add(buffers.heap, buffers.signal(block.slot, step, block.is_near),
                 ~Signal{0}, my_pe);
      buffers.steps[i] = step;
    }
    std::size_t const bytes =
        block.is_stored(stored) ? 0 : places.bytes(blocks, i, last_field_bytes);
    char const* const source = run_data != nullptr && block.is_run
                                   ? run_data + places.before(block.start)
                                   : buffers.outbox + places.here(blocks, i);
    put_signal(block.is_near ? buffers.heap : buffers.far_heap,
               buffers.turn(step, block.is_near) + places.there(blocks, i),
               source, bytes,
               buffers.signal(block.slot_there, step, block.is_near),
               buffers.has_gates ? 1 : Buffers::sent(step, shape),
               buffers.has_gates ? SignalOp::add : SignalOp::set, block.pe);
  }
};

/// Waits in a kernel for the block from neighbor i and counts it. (On the host,
/// await_neighbors() does this.)
struct Await {
  Buffers buffers;
  Block const* blocks;
  std::uint32_t shape;

  KOKKOS_FUNCTION void operator()(std::size_t i) const {
    auto const& block = blocks[i];
    auto const step   = buffers.steps[i] + 1;
    PollOne<Signal> poll{{buffers.signal(block.slot, step, block.is_near), 1,
                          nullptr, Compare::ge, Buffers::sent(step, 0)}};
    wait_for("symm::ExchangePlan", poll);
    buffers.steps[i] = step;
    if (Buffers::shape_in(poll.now) != shape) {
      Kokkos::abort(
          "symm::ExchangePlan: PEs have passed Views with different numbers of "
          "bytes per element to one exchange");
    }
  }
};

template <class Places>
struct NotifyAndAwait {
  Notify<Places> notify;
  Await await;

  KOKKOS_FUNCTION void operator()(std::size_t i) const {
    notify(i);
    await(i);
  }
};

}  // namespace symm::Impl

#endif
