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

/// Signals to neighbor i that the block for it has arrived. For a far neighbor,
/// the same put carries the block.
template <class Places>
struct Notify {
  Buffers buffers;
  Block const* blocks;
  Places places;
  std::size_t last_field_bytes;
  char const* run_data;  // data of the View whose runs are sent unpacked, or
                         // null
  StoredCopies stored;   // which near blocks are already in place
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

/// Waits in a kernel for block number `step` from neighbor i. (On the host,
/// await_neighbors() does this.)
struct AwaitStep {
  Buffers buffers;
  Block const* blocks;
  std::uint32_t shape;

  KOKKOS_FUNCTION void operator()(std::size_t i, Signal step) const {
    auto const& block = blocks[i];
    PollOne<Signal> poll{{buffers.signal(block.slot, step, block.is_near), 1,
                          nullptr, Compare::ge, Buffers::sent(step, 0)}};
    wait_for("symm::ExchangePlan", poll);
    if (Buffers::shape_in(poll.now) != shape) {
      Kokkos::abort(
          "symm::ExchangePlan: PEs have passed Views with different numbers of "
          "bytes per element to one exchange");
    }
  }
};

/// Waits for the next block from neighbor i, and counts it.
struct Await {
  AwaitStep await;

  KOKKOS_FUNCTION void operator()(std::size_t i) const {
    auto& step = await.buffers.steps[i];
    await(i, step + 1);
    ++step;
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

// In two kernels, if all neighbors are near (ExchangeKernels.hpp). The first
// kernel counts the blocks of this exchange, even though they have not arrived.

/// Signals to near neighbor i that the block for it has arrived.
struct NotifyNear {
  Buffers buffers;
  Block const* blocks;
  std::uint32_t shape;

  KOKKOS_FUNCTION void operator()(std::size_t i) const {
    auto const& block = blocks[i];
    auto const step   = ++buffers.steps[i];
    store_release(buffers.heap.peer_ptr(
                      buffers.signal(block.slot_there, step, true), block.pe),
                  Buffers::sent(step, shape));
  }
};

/// Notifies all neighbors, at the end of a kernel that packs their blocks.
struct NotifyAtEnd {
  NotifyNear notify;
  std::size_t n_neighbors;

  template <Group Threads>
  KOKKOS_FUNCTION void operator()([[maybe_unused]] Threads const& group,
                                  [[maybe_unused]] std::size_t n_blocks) const {
#ifdef SYMM_FOR_DEVICE
    if (!ends_last(group, notify.buffers.n_done, n_blocks)) return;
    group.for_each(n_neighbors, [&](std::size_t i) { notify(i); });
#endif
  }
};

/// Waits for all neighbors, in each thread block of a kernel that unpacks their
/// blocks.
struct AwaitFirst {
  AwaitStep await;
  std::size_t n_neighbors;

  template <Group Threads>
  KOKKOS_FUNCTION void operator()(Threads const& group, std::size_t) const {
    group.for_each(n_neighbors,
                   [&](std::size_t i) { await(i, await.buffers.steps[i]); });
    group.barrier();
  }
};

/// The same for neighbor i, in a kernel of its own.
struct AwaitCounted {
  AwaitStep await;

  KOKKOS_FUNCTION void operator()(std::size_t i) const {
    await(i, await.buffers.steps[i]);
  }
};

}  // namespace symm::Impl

#endif
