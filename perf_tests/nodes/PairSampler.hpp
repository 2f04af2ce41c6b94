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
  /// The contestant that this one is compared with; empty: none.
  std::string baseline;
  /// PE 0: does it so many times. Only this is timed.
  std::function<void(std::int64_t iterations)> run;
  /// PE 0, behind all of a sample: the target's serve() returns.
  std::function<void()> end;
  /// The target: what it does meanwhile. Where there is no end(), it is called
  /// with each number that run() is called with.
  std::function<void(std::int64_t iterations)> serve;
};

/// Takes samples of what PE 0 does, while its target waits in the same library
/// and the other PEs sleep. (In a benchmark of all PEs, those that have nothing
/// to do wait in MPI: on a core that others need, and in a library that does
/// not answer for the one that is measured.)
///
/// As Session::compare() otherwise: in turn, A B C, B C A, ..., iterations that
/// take some time. Once is done before each sample, so that both are there.
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
