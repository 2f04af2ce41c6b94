// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#include "PeTeam.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "../base/Text.hpp"
#include "../job/Runtime.hpp"
#include "../pes/PeTeamMemory.hpp"
#include "../symm_errors.hpp"

namespace symm {

namespace Impl {

namespace {

/// 0, if the numbers are no arithmetic sequence.
int stride_of(std::span<Pe const> members) {
  if (members.size() == 1) return 1;
  int const stride = members[1] - members[0];
  for (std::size_t i = 1; i < members.size(); ++i) {
    if (members[i] - members[i - 1] != stride) return 0;
  }
  return stride;
}

}  // namespace

void check_team(PeTeam const& team, char const* call) {
  auto const& slots = Runtime::instance(call).team_slots();
  if (!team.is_valid()) {
    throw UsageError(std::string(call) +
                     ": this PE is not in the team (it is none)");
  }
  if (slots.number(team.slot()) != team.number()) {
    throw UsageError(std::string(call) + ": the team has been destroyed");
  }
}

Text text_of(PeTeam const& team) {
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

}  // namespace Impl

PeTeam PeTeam::make_of_all(int slot, char const* call) {
  auto& runtime = Impl::Runtime::instance(call);
  PeTeam team;
  team.m_number  = runtime.team_slots().number(slot);
  team.m_slot    = slot;
  team.m_n_pes   = runtime.n_pes();
  team.m_my_pe   = runtime.my_pe();
  team.m_stride  = 1;
  team.m_on_host = runtime.team_memory(MemoryKind::host)->words(slot);
  if (auto const* const memory = runtime.team_memory(MemoryKind::device)) {
    team.m_on_device = memory->words(slot);
  }
  team.m_has_far_pes = team.m_on_host.map.n_near < team.m_n_pes;
  return team;
}

PeTeam PeTeam::make_of_node(int slot, char const* call) {
  auto team          = make_of_all(slot, call);
  auto const& map    = team.m_on_host.map;
  team.m_n_pes       = std::min(map.n_near, team.m_n_pes);
  team.m_my_pe       = team.m_my_pe - map.first_near;
  team.m_first       = map.first_near;
  team.m_has_far_pes = false;
  return team;
}

PeTeam PeTeam::make(int slot, std::span<Pe const> members) {
  auto team          = make_of_all(slot, "symm::PeTeam::make");
  auto const me      = std::find(members.begin(), members.end(), team.m_my_pe);
  team.m_n_pes       = static_cast<int>(members.size());
  team.m_my_pe       = static_cast<Pe>(me - members.begin());
  team.m_first       = members[0];
  team.m_stride      = Impl::stride_of(members);
  team.m_has_far_pes = std::any_of(
      members.begin(), members.end(),
      [&](Pe member) { return !team.m_on_host.map.is_near(member); });
  return team;
}

}  // namespace symm
