// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_EXCHANGE_BUFFERS_HPP
#define SYMM_EXCHANGE_BUFFERS_HPP

#include <Kokkos_SymmetricSpace_Space.hpp>

#include "../base/BlockBuffers.hpp"

namespace symm::Impl {

/// The execution space in which exchange kernels run, and its memory space.
using ExchangeSpace  = SymmetricSpace::execution_space;
using ExchangeMemory = ExchangeSpace::memory_space;

/// The number of turns in an inbox: blocks of odd and even steps use different
/// halves.
inline constexpr unsigned exchange_turns = 2;
using BlockMemory                        = BlocksInMemory<exchange_turns>;
using Buffers                            = BlocksOnTheirWay<exchange_turns>;
using ExchangeBuffers = BlockBuffers<SymmetricSpace, exchange_turns>;

}  // namespace symm::Impl

#endif
