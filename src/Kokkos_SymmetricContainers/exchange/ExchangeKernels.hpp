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

// The kernels of an exchange, in this order: CopyChunks packs, Notify, Await
// (in one kernel with Notify, if nothing is to be done in between), CopyChunks
// (or Combine) unpacks. If kernels of the program have stored all copies
// already (BoxTargets), only sent blocks are unpacked. An inbox has two halves,
// used in turn. A PE packs into a neighbor's inbox, and sends it a signal, in
// each exchange, and ends the exchange with the signals of all neighbors. A
// neighbor's signal of exchange n says that it has unpacked exchange n - 1. So
// this PE, in exchange n + 1, overwrites a half that the neighbor has
// unpacked, and no barrier is needed. For that PEs are neighbors of each
// other, even if blocks go one way.
//
// With gates (PEs share a GPU), no kernel waits: signals are gates
// (PeTeamWords.hpp), at which the queue waits behind Notify, which counts.

namespace symm::Impl {

/// Calls work(n) for each neighbor: the host itself, or a kernel.
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

/// Has the queue of a GPU wait until all neighbors have sent.
template <class Exec>
void wait_at_gates(Exec const& exec, char const* call, Buffers const& buffers,
                   PlanSide const& side) {
  auto const& blocks = side.blocks.on_host();
  wait_in_queue(exec, call, blocks.size(), [&](std::size_t i) {
    return buffers.signal(blocks[i].slot, 0, true);
  });
}

/// Whether an exchange waits for the neighbors as soon as it has sent.
enum class Halves { together, apart };

/// \returns a neighbor with another shape, if the host waits. (Kernels end the
///          job then; with gates, nobody looks.)
/// \throws as await_neighbors().
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

/// Tells the neighbors of a side that their blocks have come, and sends the
/// far ones. Perhaps waits for those of the other side, which has the same
/// neighbors.
/// \param run_data of the View whose runs are sent unpacked, or null.
/// \param stored blocks that are there.
/// \returns, throws as await_blocks().
template <class Exec, class Fields, class Places>
std::optional<OtherShape> tell_blocks(
    Exec const& exec, char const* call, Buffers const& buffers,
    PlanSide const& side, Fields const& fields, Places const& places,
    Halves halves, char const* run_data = nullptr, StoredCopies stored = {}) {
  static_assert(
      Kokkos::SpaceAccessibility<Exec, SymmetricSpace>::accessible,
      "kernels of the execution space must reach symm::SymmetricSpace");
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

/// The only View, if elements that follow each other in a block do so in the
/// View, too; else null.
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

/// Packs and sends the blocks of a side, as tell_blocks().
template <class Exec, class Fields>
std::optional<OtherShape> send_blocks(Exec const& exec, char const* call,
                                      Buffers const& buffers,
                                      PlanSide const& side,
                                      Fields const& fields, Halves halves) {
  if (side.blocks.size() == 0) return {};
  // A far block that is contiguous in the only View goes as it is.
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
