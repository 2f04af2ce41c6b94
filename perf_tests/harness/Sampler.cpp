// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#include "harness/Sampler.hpp"

#include <mpi.h>

#include <algorithm>
#include <chrono>
#include <cstddef>

#include "harness/MpiCheck.hpp"

namespace perf {
namespace {

constexpr std::int64_t max_iterations = std::int64_t{1} << 28;

/// Seconds that `iterations` of the contestant took on the slowest PE.
double time_once(Contestant const& contestant, std::int64_t iterations) {
  using Clock = std::chrono::steady_clock;
  contestant.prepare();
  check_mpi(MPI_Barrier(MPI_COMM_WORLD), "MPI_Barrier");
  auto const start = Clock::now();
  contestant.run(iterations);
  std::chrono::duration<double> const elapsed = Clock::now() - start;
  double const mine                           = elapsed.count();
  double slowest                              = 0;
  check_mpi(
      MPI_Allreduce(&mine, &slowest, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD),
      "MPI_Allreduce");
  return slowest;
}

/// Every PE computes the same number, because time_once() returns the same.
std::int64_t iterations_for(Contestant const& contestant,
                            double sample_seconds) {
  if (contestant.iterations != 0) return contestant.iterations;
  static_cast<void>(time_once(contestant, 1));
  for (std::int64_t iterations = 1;; iterations *= 4) {
    double seconds = time_once(contestant, iterations);
    // A disturbance must not pass for a slow contestant.
    for (int again = 0; again < 2 && seconds >= sample_seconds / 8; ++again)
      seconds = std::min(seconds, time_once(contestant, iterations));
    if (seconds < sample_seconds / 8 && iterations < max_iterations / 4)
      continue;
    double const wanted =
        sample_seconds / seconds * static_cast<double>(iterations);
    return static_cast<std::int64_t>(
        std::clamp(wanted, 1.0, static_cast<double>(max_iterations)));
  }
}

}  // namespace

std::vector<Series> choose_iterations(
    SamplingPlan const& plan, std::vector<Contestant> const& contestants) {
  std::vector<Series> all;
  all.reserve(contestants.size());
  for (auto const& contestant : contestants)
    all.push_back({contestant.name,
                   contestant.baseline,
                   iterations_for(contestant, plan.sample_seconds),
                   {}});
  return all;
}

void take_sample(std::vector<Contestant> const& contestants, std::size_t first,
                 std::vector<Series>& all) {
  for (std::size_t turn = 0; turn < contestants.size(); ++turn) {
    std::size_t const who = (first + turn) % contestants.size();
    std::int64_t const n  = all[who].iterations;
    all[who].seconds.push_back(time_once(contestants[who], n) /
                               static_cast<double>(n));
  }
}

std::vector<Series> take_samples(SamplingPlan const& plan,
                                 std::vector<Contestant> const& contestants) {
  auto all          = choose_iterations(plan, contestants);
  std::size_t first = 0;
  for (int sample = 0; sample < plan.warm_up; ++sample)
    take_sample(contestants, first++, all);
  for (auto& series : all) series.seconds.clear();
  for (int sample = 0; sample < plan.samples; ++sample)
    take_sample(contestants, first++, all);
  return all;
}

}  // namespace perf
