// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_PERF_BANDWIDTH_HPP
#define SYMM_PERF_BANDWIDTH_HPP

#include "bandwidth/Route.hpp"
#include "harness/Session.hpp"

namespace perf {

/// Copies of 8 B to 64 MiB from private memory of PE 0 to PE 1 (put) or the
/// other way (get), against the same copy between two private blocks.
///
/// PE 1 does not use its memory meanwhile, so that both copies find the same
/// state of the caches. All blocks start at a page, have been written before,
/// and have the same kind of pages unless the kernel gives huge pages unasked
/// (the environment says). Which physical pages a process gets decides how much
/// of its data the caches can hold: the same copy between two other private
/// blocks ("again") shows by how much equal things differ.
void measure_bandwidth(Session& session, Direction direction);

}  // namespace perf

#endif
