// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_PERF_RING_HPP
#define SYMM_PERF_RING_HPP

#include <cstddef>
#include <cstdint>

#ifdef __CUDACC__
#define PERF_FUNCTION __host__ __device__
#else
#define PERF_FUNCTION
#endif

namespace perf::ring {

// Words in GPU memory that are used in turn. With a single word, the result
// would also depend on how far away that word happens to be on the chip: up to
// a tenth of a round trip between two GPUs.

constexpr std::size_t n_used = std::size_t{1} << 10U;
/// In words; no two words that are used share a cache line.
constexpr std::size_t apart   = 32;
constexpr std::size_t n_words = n_used * apart;

/// The index of the word whose turn is number `n`.
PERF_FUNCTION constexpr std::size_t index(std::uint64_t n) {
  return n % n_used * apart;
}

}  // namespace perf::ring

#endif
