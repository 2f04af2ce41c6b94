// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_EXCHANGE_KERNELS_HPP
#define SYMM_EXCHANGE_KERNELS_HPP

#include <cstddef>
#include <optional>

#include <Kokkos_Core.hpp>
#include <Kokkos_SymmetricSpace_Edge.hpp>

#include "../../runtime/symm_atomics.hpp"
#include "../../runtime/symm_job.hpp"
#include "../../runtime/symm_signals.hpp"
#include "BlockPlaces.hpp"
#include "BlockSignals.hpp"
#include "CopyChunks.hpp"
#include "ExchangeBuffers.hpp"
#include "FieldGroups.hpp"
#include "Fields.hpp"
#include "Neighbors.hpp"
#include "PlanBlocks.hpp"

// The kernels of an exchange, in this order:
// - CopyChunks packs the blocks.
// - Notify signals the neighbors, and Await waits for them. Without gates, they
//   run in a single kernel unless the exchange is split into two halves.
// - CopyChunks or Combine unpacks the blocks. If the program's kernels have
//   already stored all copies (BoxTargets), only blocks that were sent are
//   unpacked.
//
// An inbox has two halves, which are used alternately, so no barrier is needed.
// In each exchange, a PE fills one half of each neighbor's inbox and sends the
// neighbor a signal. The exchange ends when the signals from all neighbors have
// arrived. A neighbor's signal in exchange n implies that the neighbor has
// unpacked the blocks of exchange n - 1. Therefore, in exchange n + 1, this PE
// overwrites a half that the neighbor has already unpacked. This requires
// neighbors to signal each other even if blocks are sent in only one direction.
//
// With gates (when PEs share a GPU), no kernel waits. Instead, the signals are
// gates (PeTeamWords.hpp), and the queue waits at them after Notify. Notify
// also counts the steps.

namespace symm::Impl {

/// Calls work(i) for each neighbor i of a side, on the host or in a kernel.
template <class Exec, class Work>
void for_each_neighbor(Exec const& exec, char const* call, PlanSide const& side,
                       Work const& work) {
  auto const n = side.blocks.size();
  if constexpr (runs_on_host_v<Exec>) {
    for (std::size_t i = 0; i < n; ++i) work(i);
  } else {
    enqueue_for_each(exec, call, n, work);
  }
}

/// Makes the GPU's queue wait until all neighbors have sent their blocks.
template <class Exec>
void wait_at_gates(Exec const& exec, char const* call, Buffers const& buffers,
                   PlanSide const& side) {
  auto const& blocks = side.blocks.on_host();
  wait_in_queue(exec, call, blocks.size(), [&](std::size_t i) {
    return buffers.signal(blocks[i].slot, 0, true);
  });
}

/// Whether an exchange waits for its neighbors immediately after sending
/// (`together`) or in a separate call (`apart`).
enum class Halves { together, apart };

/// Waits for the blocks from all neighbors of a side, on the host or on the
/// GPU.
/// \returns a neighbor whose elements have a different shape; empty if there is
///          none, or if the host does not wait. (Waiting kernels abort the job
///          instead; with gates, shapes are not compared.)
/// \throws the same errors as await_neighbors().
template <class Exec>
std::optional<OtherShape> await_blocks(Exec const& exec, char const* call,
                                       Buffers const& buffers,
                                       PlanSide const& side,
                                       ElementShape shape) {
  if constexpr (runs_on_host_v<Exec>) {
    return await_neighbors(call, buffers, side, shape);
  } else if (buffers.has_gates) {
    wait_at_gates(exec, call, buffers, side);
  } else {
    for_each_neighbor(exec, call, side,
                      Await{buffers, side.blocks.data(), shape.bits()});
  }
  return {};
}

/// Sends the blocks to a side's far neighbors and signals to all the side's
/// neighbors that the blocks have arrived. With Halves::together, waits for the
/// blocks on the other side, which has the same neighbors.
/// \param run_data the data pointer of the View whose runs are sent without
///        packing, or null.
/// \param stored the copies that kernels have already stored on near PEs and
///        that need no put.
/// \returns the same as await_blocks().
/// \throws the same errors as await_blocks().
template <class Exec, class Fields, class Places>
std::optional<OtherShape> tell_blocks(
    Exec const& exec, char const* call, Buffers const& buffers,
    PlanSide const& side, Fields const& fields, Places const& places,
    Halves halves, char const* run_data = nullptr, StoredCopies stored = {}) {
  static_assert(
      Kokkos::SpaceAccessibility<Exec, SymmetricSpace>::accessible,
      "the execution space must be able to access symm::SymmetricSpace");
  ElementShape const shape(fields);
  Notify<Places> const notify{
      buffers, side.blocks.data(), places, fields.bytes_of_last(), run_data,
      stored,  shape.bits(),       my_pe()};
  if constexpr (runs_on_host_v<Exec>) {
    exec.fence(call);
    symm::fence();
  } else if (halves == Halves::together && !buffers.has_gates) {
    for_each_neighbor(
        exec, call, side,
        NotifyAndAwait<Places>{
            notify, Await{buffers, side.blocks.data(), shape.bits()}});
    return {};
  }
  for_each_neighbor(exec, call, side, notify);
  if (halves == Halves::apart) return {};
  return await_blocks(exec, call, buffers, side, shape);
}

/// The View's data if there is only one View and its elements are contiguous;
/// otherwise null.
template <class... Fields>
char const* run_data_of(FieldList<Fields...> const& fields) {
  auto const& first = fields.first;
  bool const is_one = decltype(fields.others)::is_empty && first.is_plain &&
                      first.elements.stride[0] ==
                          static_cast<std::ptrdiff_t>(first.n_components);
  return is_one ? reinterpret_cast<char const*>(first.data) : nullptr;
}
template <class... Items>
char const* run_data_of(FieldGroups<Items...> const&) {
  return nullptr;
}

/// Packs and sends the blocks on one side.
/// \returns the same as tell_blocks().
template <class Exec, class Fields>
std::optional<OtherShape> send_blocks(Exec const& exec, char const* call,
                                      Buffers const& buffers,
                                      PlanSide const& side,
                                      Fields const& fields, Halves halves) {
  if (side.blocks.size() == 0) return {};
  // If there is only one View and a far block is contiguous in it, the block is
  // sent directly from the View.
  char const* const run_data =
      buffers.uses_host ? nullptr : run_data_of(fields);
  PlacesOfPlan const places{fields.bytes()};
  copy_chunks<CopyWay::to_block>(exec, call, buffers, side, fields, places,
                                 run_data != nullptr);
  return tell_blocks(exec, call, buffers, side, fields, places, halves,
                     run_data);
}

}  // namespace symm::Impl

#endif
