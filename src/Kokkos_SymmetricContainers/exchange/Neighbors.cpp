// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#include "Neighbors.hpp"

#include <optional>

#include <Kokkos_SymmetricSpace_Edge.hpp>

#include "../../runtime/symm_errors.hpp"
#include "../../runtime/symm_job.hpp"
#include "../../runtime/symm_signals.hpp"

namespace symm::Impl {

namespace {

Text message(char const* call, Pe pe, ElementShape mine, Text const& theirs) {
  return Text(call, ": PE ", my_pe(), ": elements have ",
              ElementShape::text_of(mine.bits()), " here, but ", theirs,
              " on PE ", pe,
              "; pass Views with equal bytes per element on all PEs");
}

/// Waits for the block from neighbor i and counts it.
/// \returns the shape of the neighbor's elements.
std::uint32_t await(char const* call, Buffers const& buffers,
                    PlanSide const& side, std::size_t i, ElementShape shape) {
  auto const& block        = side.blocks.on_host()[i];
  auto const step          = buffers.steps[i] + 1;
  auto const* const signal = buffers.signal(block.slot, step, block.is_near);
  Signal now               = 0;
  auto const has_come      = [&] {
    now = poll(signal);
    return now >= Buffers::sent(step, 0);
  };
  wait_for_peer(call, block.pe, has_come, side.room_key, [&] {
    return message(call, block.pe, shape,
                   "more than there is room for (the exchange cannot complete; "
                   "make the plan again)");
  });
  check::seen(signal);
  buffers.steps[i] = step;
  return Buffers::shape_in(now);
}

}  // namespace

std::optional<OtherShape> await_neighbors(char const* call,
                                          Buffers const& buffers,
                                          PlanSide const& side,
                                          ElementShape shape) {
  [[maybe_unused]] check::Call const its_call(call);
  poll_far();
  std::optional<OtherShape> other;
  for (std::size_t i = 0; i < side.blocks.size(); ++i) {
    auto const its_shape = await(call, buffers, side, i, shape);
    if (its_shape != shape.bits())
      other = {side.blocks.on_host()[i].pe, its_shape};
  }
  return other;
}

void throw_other_shape(char const* call, ElementShape mine,
                       OtherShape const& other) {
  auto const theirs = ElementShape::text_of(other.shape);
  bool const is_sum = theirs == ElementShape::text_of(mine.bits());
  throw UsageError(message(call, other.pe, mine,
                           is_sum ? "the same bytes in other parts" : theirs));
}

}  // namespace symm::Impl
