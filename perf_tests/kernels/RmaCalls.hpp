// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_PERF_RMA_CALLS_HPP
#define SYMM_PERF_RMA_CALLS_HPP

#include <cstddef>

#ifdef __CUDACC__
#define PERF_RMA_FUNCTION __host__ __device__
#else
#define PERF_RMA_FUNCTION
#endif

namespace perf::rma {

// What kernels that put or get have in common, in our library and in the
// baseline.

/// Who makes a call: one thread, a warp, a team (block) of 512 threads, or each
/// of 32 such teams for its part.
enum class Scope { thread, warp, team, grid };

constexpr int team_threads = 512;
constexpr int grid_teams   = 32;

/// The slots that the calls of a kernel use in turn, in words of 8 bytes.
/// Repeated gets from a single slot would be served by a first-level cache.
struct Slots {
  std::size_t words;   ///< of a call
  std::size_t stride;  ///< from a slot to the next, with a gap between them
  std::size_t count;

  /// The first word of the slot after the one that begins at `at`.
  [[nodiscard]] PERF_RMA_FUNCTION std::size_t next(std::size_t at) const {
    at += stride;
    return at < count * stride ? at : 0;
  }
};

/// The part of a call that one of `teams` teams does, in words. All parts are
/// equal and consist of 16-byte units, so that each can be copied in such
/// units; the last parts may be shorter or empty.
struct Part {
  std::size_t first;
  std::size_t words;

  static PERF_RMA_FUNCTION Part of(std::size_t words, std::size_t team,
                                   std::size_t teams) {
    std::size_t const units = (words + 1) / 2;
    std::size_t const each  = (units + teams - 1) / teams * 2;
    std::size_t const first = team * each;
    if (first >= words) return {0, 0};
    return {first, words - first < each ? words - first : each};
  }
};

}  // namespace perf::rma

#endif
