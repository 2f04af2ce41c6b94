// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#include <Kokkos_SymmetricSpace_Edge.hpp>

#include "../../runtime/collectives/CollectiveCall.hpp"
#include "../../runtime/job/Runtime.hpp"
#include "../../runtime/pes/PeTeamMemory.hpp"
#include "../../runtime/pes/Rendezvous.hpp"
#include "../../runtime/pes/RuntimeCall.hpp"
#include "../../runtime/symm_atomics.hpp"
#include "../../runtime/symm_errors.hpp"
#include "../../runtime/waiting/HostWait.hpp"
#include "../../runtime/waiting/PeWait.hpp"

namespace symm::Impl {

static_assert(max_teams == PeTeamMemory::max_teams);

void throw_first_failure(char const* call,
                         std::optional<Failure> const& failure) {
  auto& rendezvous = Runtime::instance(call).rendezvous();
  std::optional<PeFailure> first;
  rendezvous.run(RuntimeCall::agree,
                 [&] { first = rendezvous.agree(failure); });
  auto const& first_failure = first.value();
  throw_failure(
      {first_failure.failure.kind, Text(call, ": PE ", first_failure.pe, ": ",
                                        first_failure.failure.message)});
}

WordsOfPes::WordsOfPes(PeTeam const& team, char const* call, std::uint64_t kind,
                       std::uint64_t mine)
    : m_team(team), m_epoch(pass_to_all(team, call, kind, mine)) {}

std::uint64_t WordsOfPes::of(Pe pe) const {
  auto const words = m_team.words();
  return load_relaxed(words.passed(words.map.my_pe, pe, m_epoch, 1));
}

void wait_and_serve(char const* call, FunctionRef<bool> is_done,
                    FunctionRef<bool> serve, FunctionRef<Text> waits_for) {
  while (!is_done()) {
    if (serve()) continue;
    HostWait wait(call);
    while (true) {
      if (is_done()) return;
      if (serve()) break;
      if (!wait.pause()) continue;
      auto const why = wait.reason_to_give_up();
      if (is_done()) return;  // a lost PE may have made is_done() true
      if (serve()) break;
      if (wait.must_report(why)) wait.report(why, "", waits_for());
    }
  }
}

void wait_for_peer(char const* call, Pe pe, FunctionRef<bool> has_come,
                   std::uint64_t other_call, FunctionRef<Text> refusal) {
  wait_for_pe(
      call, pe, [] { return Text(); }, has_come,
      [&](Rendezvous const& rendezvous) {
        if (other_call != 0 &&
            rendezvous.is_in_object_call(pe, other_call,
                                         HostWait::time_to_answer, call))
          throw UsageError(refusal());
      });
}

MetCalls::MetCalls(char const* call)
    : m_rendezvous(&Runtime::instance(call).rendezvous()) {}

std::uint64_t MetCalls::n() const { return m_rendezvous->n_met(); }

Nodes const& nodes_of_job(char const* call) {
  return Runtime::instance(call).nodes();
}

bool has_host_heap(char const* call) {
  return Runtime::instance(call).find_heap(MemoryKind::host) != nullptr;
}

std::uint64_t number_of_start(char const* call) {
  return Runtime::instance(call).number();
}

}  // namespace symm::Impl
