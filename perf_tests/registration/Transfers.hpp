// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_PERF_TRANSFERS_HPP
#define SYMM_PERF_TRANSFERS_HPP

#include <cstddef>

#include "harness/Session.hpp"

namespace perf {

/// Puts and gets of PE 0 through registered memory of PE 1, against the same
/// through heap memory, of so many bytes and of 8.
///
/// Both are a View of the same type that begins at a granule, so the code is
/// the same, down to the instructions, and the other end is the same private
/// memory of PE 0: with one for each, equal things differed by up to 5 % on
/// CPUs. The same through other heap memory ("again") shows how exact the
/// comparison is. Ways are a kernel with a global_view, one with a peer_view,
/// and deep_copy; a kernel copies an element per thread.
///
/// 8 bytes by a kernel: one thread puts words into a ring of them, on GPUs with
/// a fence after each; it gets words by a walk through a random cycle of
/// indices, in which each load gives the index of the next one.
///
/// Collective. \throws std::exception
void measure_transfers(Session& session, std::size_t bytes);

}  // namespace perf

#endif
