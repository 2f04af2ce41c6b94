// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_EXCHANGE_NEIGHBORS_HPP
#define SYMM_EXCHANGE_NEIGHBORS_HPP

#include <cstdint>
#include <optional>

#include "../../runtime/symm_job.hpp"
#include "ExchangeBuffers.hpp"
#include "Fields.hpp"
#include "PlanBlocks.hpp"

namespace symm::Impl {

/// A neighbor that passed elements of a different shape to the exchange.
struct OtherShape {
  Pe pe;
  std::uint32_t shape;
};

/// Waits on the host for the blocks from all neighbors of one side and counts
/// these blocks. On return, the exchange has ended.
/// \returns a neighbor whose elements have a different shape, if there is one.
/// \throws UsageError on this PE if a neighbor is enlarging its buffers for
///         larger elements in the same exchange. In that case, the exchange
///         cannot end.
[[nodiscard]] std::optional<OtherShape> await_neighbors(char const* call,
                                                        Buffers const& buffers,
                                                        PlanSide const& side,
                                                        ElementShape shape);

/// Reports that a neighbor passed elements of a different shape.
/// \throws UsageError on this PE.
[[noreturn]] void throw_other_shape(char const* call, ElementShape mine,
                                    OtherShape const& other);

}  // namespace symm::Impl

#endif
