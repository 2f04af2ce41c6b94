// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_PERF_TRANSFERS_HPP
#define SYMM_PERF_TRANSFERS_HPP

#include <cstddef>

#include "harness/Session.hpp"

namespace perf {

/// Measures puts and gets by PE 0 through registered memory of PE 1, compared
/// with the same through heap memory, of `bytes` bytes and of 8 bytes.
///
/// Both are Views of the same type that begin at a granule, so the code is the
/// same, down to the instructions. The other end is the same private memory of
/// PE 0: with separate memory for each, equal copies differed by up to 5 % on
/// CPUs. The same through other heap memory ("again") shows how accurate the
/// comparison is. The copies are done by a kernel with a global_view, a kernel
/// with a peer_view, and deep_copy; kernels copy one element per thread.
///
/// For 8 bytes with a kernel, one thread puts words into a ring, on GPUs with a
/// fence after each. It gets words in a walk through a random cycle of indices,
/// in which each load returns the index of the next.
///
/// Collective. \throws std::exception
void measure_transfers(Session& session, std::size_t bytes);

}  // namespace perf

#endif
