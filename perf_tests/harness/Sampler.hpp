// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_PERF_SAMPLER_HPP
#define SYMM_PERF_SAMPLER_HPP

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace perf {

/// One way of doing what is measured.
struct Contestant {
  std::string name;
  /// The contestant that this one is compared with; empty if none.
  std::string baseline;
  /// Does it `iterations` times. Called on all PEs with the same number; in a
  /// one-sided benchmark, all PEs but one return at once.
  std::function<void(std::int64_t iterations)> run;
  /// Iterations of a sample; if 0, as many as take the plan's time.
  std::int64_t iterations = 0;
  /// Called on all PEs before every sample, and not timed.
  std::function<void()> prepare = [] {};
};

struct SamplingPlan {
  int warm_up           = 3;     ///< samples discarded
  int samples           = 21;    ///< samples kept
  double sample_seconds = 2e-3;  ///< iterations are chosen to take this long
};

/// The times that one contestant took.
struct Series {
  std::string name;
  std::string baseline;
  std::int64_t iterations = 0;  ///< per sample, equal on all PEs
  std::vector<double> seconds;  ///< per iteration, the slowest PE's
};

/// Chooses the number of iterations in a sample for each contestant. The
/// results have no samples yet. Collective over MPI_COMM_WORLD.
[[nodiscard]] std::vector<Series> choose_iterations(
    SamplingPlan const& plan, std::vector<Contestant> const& contestants);

/// Takes one sample of each contestant, starting with contestant number
/// `first`. Collective over MPI_COMM_WORLD.
void take_sample(std::vector<Contestant> const& contestants, std::size_t first,
                 std::vector<Series>& all);

/// Takes samples of all contestants in turn: A B C, B C A, C A B, ... so that a
/// disturbance (another process, a virtual machine that moves to another core)
/// affects all of them, and no contestant always runs after the same other one.
///
/// Collective over MPI_COMM_WORLD: all PEs, with equal plans.
[[nodiscard]] std::vector<Series> take_samples(
    SamplingPlan const& plan, std::vector<Contestant> const& contestants);

/// Keeps the compiler from assuming that memory is unchanged, or unread.
inline void clobber_memory() { asm volatile("" ::: "memory"); }

/// Keeps the compiler from removing the computation of `value`.
template <class T>
inline void keep(T const& value) {
  asm volatile("" : : "r,m"(value) : "memory");
}

}  // namespace perf

#endif
