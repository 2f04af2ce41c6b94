// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#include "nodes/PairSampler.hpp"

#include <mpi.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <thread>

#include "harness/MpiCheck.hpp"

namespace perf {

namespace {

/// How long those without a part sleep: each look into MPI takes 20 us of a
/// core that PE 0 may need.
constexpr std::chrono::milliseconds nap{3};

}  // namespace

/// All PEs have come.
void PairSampler::meet() const {
  MPI_Request request = MPI_REQUEST_NULL;
  check_mpi(MPI_Ibarrier(MPI_COMM_WORLD, &request), "MPI_Ibarrier");
  for (int is_done = 0; is_done == 0;) {
    check_mpi(MPI_Test(&request, &is_done, MPI_STATUS_IGNORE), "MPI_Test");
    if (is_done == 0 && !is_active() && !is_target())
      std::this_thread::sleep_for(nap);
  }
}

double PairSampler::time_once(PairContestant const& contestant,
                              std::int64_t iterations) const {
  using Clock    = std::chrono::steady_clock;
  double seconds = 0;
  meet();
  if (is_active()) {
    contestant.run(1);
    auto const start = Clock::now();
    contestant.run(iterations);
    seconds = std::chrono::duration<double>(Clock::now() - start).count();
    if (contestant.end) contestant.end();
  } else if (is_target()) {
    if (!contestant.end) contestant.serve(1);
    contestant.serve(iterations);
  }
  meet();
  check_mpi(MPI_Bcast(&seconds, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD), "MPI_Bcast");
  return seconds;
}

std::int64_t PairSampler::iterations_for(PairContestant const& contestant,
                                         double wanted) const {
  constexpr std::int64_t most = std::int64_t{1} << 24;
  for (std::int64_t iterations = 1;; iterations *= 4) {
    double const seconds = std::min(time_once(contestant, iterations),
                                    time_once(contestant, iterations));
    if (seconds < wanted / 8 && iterations < most / 4) continue;
    return static_cast<std::int64_t>(
        std::clamp(wanted / seconds * static_cast<double>(iterations), 1.0,
                   static_cast<double>(most)));
  }
}

void PairSampler::compare(Case const& measured,
                          std::vector<PairContestant> const& contestants,
                          SamplingPlan const& plan) const {
  std::vector<Series> all;
  all.reserve(contestants.size());
  for (auto const& contestant : contestants)
    all.push_back({contestant.name,
                   contestant.baseline,
                   iterations_for(contestant, plan.sample_seconds),
                   {}});
  for (int sample = -plan.warm_up; sample < plan.samples; ++sample) {
    for (std::size_t turn = 0; turn < contestants.size(); ++turn) {
      auto const first = static_cast<std::size_t>(sample + plan.warm_up);
      auto const who   = (first + turn) % contestants.size();
      auto const n     = all[who].iterations;
      auto const time  = time_once(contestants[who], n);
      if (sample >= 0)
        all[who].seconds.push_back(time / static_cast<double>(n));
    }
  }
  m_session.report().comparison(measured, all);
}

}  // namespace perf
