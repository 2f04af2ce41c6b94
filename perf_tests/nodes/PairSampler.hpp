// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_PERF_PAIR_SAMPLER_HPP
#define SYMM_PERF_PAIR_SAMPLER_HPP

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "harness/Session.hpp"

namespace perf {

/// One way in which PE 0 does something with the memory of a target.
struct PairContestant {
  std::string name;
  /// The contestant that this one is compared with; empty if none.
  std::string baseline;
  /// On PE 0: does it `iterations` times. Only this is timed.
  std::function<void(std::int64_t iterations)> run;
  /// On PE 0, after all iterations of a sample: makes the target's serve()
  /// return.
  std::function<void()> end;
  /// On the target: what it does meanwhile. If there is no end(), serve() is
  /// called with each number that run() is called with.
  std::function<void(std::int64_t iterations)> serve;
};

/// Takes samples of what PE 0 does while its target waits in the same library
/// and the other PEs sleep. (In a benchmark of all PEs, idle PEs wait in MPI:
/// on a core that others need, and in a library that makes no progress for the
/// one that is measured.)
///
/// Otherwise like Session::compare(): contestants take turns (A B C, B C A,
/// ...), with as many iterations as take the plan's time. One iteration is done
/// before each sample, so that both PEs are ready.
class PairSampler {
 public:
  PairSampler(Session& session, int target)
      : m_session(session), m_target(target) {}

  [[nodiscard]] int target() const { return m_target; }
  [[nodiscard]] bool is_active() const { return m_session.my_pe() == 0; }
  [[nodiscard]] bool is_target() const { return m_session.my_pe() == m_target; }

  /// Collective.
  void compare(Case const& measured,
               std::vector<PairContestant> const& contestants,
               SamplingPlan const& plan) const;

 private:
  [[nodiscard]] double time_once(PairContestant const& contestant,
                                 std::int64_t iterations) const;
  [[nodiscard]] std::int64_t iterations_for(PairContestant const& contestant,
                                            double seconds) const;
  void meet() const;

  Session& m_session;
  int m_target;
};

}  // namespace perf

#endif
