// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#include "TeamSync.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "../base/Text.hpp"
#include "../base/Types.hpp"
#include "../job/Runtime.hpp"
#include "../pes/Rendezvous.hpp"
#include "../symm_errors.hpp"
#include "Group.hpp"
#include "HostWait.hpp"
#include "Synchronise.hpp"

namespace symm::Impl {

namespace {

/// " of the PE team of PEs 0, 2, 4 (here member 1)".
Text of_the_team(PeTeam const& team) {
  constexpr Pe most = 16;
  Text text(" of the PE team of PEs ", team.world_pe(0));
  for (Pe pe = 1; pe < std::min(most, team.n_pes()); ++pe) {
    text.append(", ", team.world_pe(pe));
  }
  if (team.n_pes() > most) {
    text.append(", ... (", team.n_pes(), " in all)");
  }
  text.append(" (here member ", team.my_pe(), ")");
  return text;
}

/// Out of line: a barrier does without the stack for the text.
template <class HasCome>
[[gnu::noinline]] void report_missing(HostWait& wait, Text const& why,
                                      Rendezvous const& rendezvous,
                                      PeTeam const& team,
                                      HasCome const& has_come) {
  BasicText<16383> missing;
  for (Pe member = 0; member < team.n_pes(); ++member) {
    if (has_come(member)) continue;
    missing.append("\n  ", rendezvous.whereabouts(team.world_pe(member)));
  }
  wait.report(why, of_the_team(team), missing);
}

}  // namespace

void wait_for_members(char const* call, PeTeam const& team,
                      std::uint64_t epoch) {
  auto const words        = team.words();
  auto const* const flags = words.flag(words.map.my_pe, 0);
  auto const has_come     = [&](Pe member) {
    return load_acquire(flags + member) >= epoch;
  };
  Pe next                  = 0;  // those before have come
  auto const have_all_come = [&] {
    while (next < team.n_pes() && has_come(next)) ++next;
    return next == team.n_pes();
  };
  if (have_all_come()) return;
  HostWait wait(call);
  while (!have_all_come()) {
    if (!wait.pause()) continue;
    auto const& rendezvous = Runtime::instance(call).rendezvous();
    auto why               = HostWait::who_is_gone();
    for (Pe member = next; member < team.n_pes() && why.empty(); ++member) {
      Pe const pe = team.world_pe(member);
      // What it has stored before counts.
      if (!rendezvous.is_in_finalize(pe) || has_come(member)) continue;
      why = Text("PE ", pe, " waits in symm::finalize()");
    }
    if (have_all_come()) return;
    if (!wait.must_report(why)) continue;
    report_missing(wait, why, rendezvous, team, has_come);
  }
}

std::uint64_t exchange_word_on_host(PeTeam const& team, char const* call,
                                    std::uint64_t word) {
  return synchronise(OneThread{}, team, call, PassWord{team, word});
}

void meet(char const* call, PeTeam const& team, std::uint64_t word) {
  auto const epoch = synchronise(OneThread{}, team, call, PassWord{team, word});
  if (is_equal_on_all(team, epoch, 0, word)) return;
  throw UsageError(Text(call, of_the_team(team),
                        ": the PEs of the team have made different calls"));
}

}  // namespace symm::Impl
