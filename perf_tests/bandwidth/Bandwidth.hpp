// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_PERF_BANDWIDTH_HPP
#define SYMM_PERF_BANDWIDTH_HPP

#include "bandwidth/Route.hpp"
#include "harness/Session.hpp"

namespace perf {

/// Measures copies of 8 B to 64 MiB from private memory of PE 0 to PE 1 (put)
/// or in the other direction (get), compared with the same copy between two
/// private blocks.
///
/// PE 1 does not use its memory meanwhile, so that both copies find the caches
/// in the same state. All blocks are page-aligned, have been written before,
/// and have the same kind of pages, unless the kernel uses huge pages unasked
/// (the reported environment says so). Which physical pages a process gets
/// determines how much of its data the caches can hold. The same copy between
/// two other private blocks ("again") shows how much equal copies differ.
void measure_bandwidth(Session& session, Direction direction);

}  // namespace perf

#endif
