// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_PERF_SPREAD_HPP
#define SYMM_PERF_SPREAD_HPP

#include <cstddef>
#include <cstdint>

#include "kernels/Ring.hpp"  // PERF_FUNCTION

namespace perf {

/// A table that is distributed over all PEs, and the word in it that a random
/// number selects.
struct Spread {
  std::uint64_t n_pes;
  std::uint64_t words_per_pe;  ///< a power of two, up to 2^32

  /// Selects all PEs with equal probability, for any number of PEs, without a
  /// division.
  PERF_FUNCTION int pe_of(std::uint64_t random) const {
    return static_cast<int>((random >> 32U) * n_pes >> 32U);
  }
  /// The index in that PE's part, from other bits of the number.
  PERF_FUNCTION std::size_t word_of(std::uint64_t random) const {
    return random & (words_per_pe - 1);
  }
};

}  // namespace perf

#endif
