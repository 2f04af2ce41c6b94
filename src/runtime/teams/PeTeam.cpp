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

/// The stride of the PE numbers; 0 if they do not form an arithmetic sequence.
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
                     ": this PE is not in the team (the PeTeam is invalid)");
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
  text.append(" (this PE is member ", team.my_pe(), ")");
  return text;
}

PeTeam MakePeTeam::of_all(int slot, char const* call) {
  return {slot, call, 0, Runtime::instance(call).n_pes() - 1};
}

PeTeam MakePeTeam::of_node(int slot, char const* call) {
  auto const& nodes = Runtime::instance(call).nodes();
  Pe const first    = nodes.first_near();
  return {slot, call, first, first + nodes.n_near() - 1};
}

PeTeam MakePeTeam::of(int slot, char const* call, std::span<Pe const> members) {
  auto const [lowest, highest] =
      std::minmax_element(members.begin(), members.end());
  PeTeam team(slot, call, *lowest, *highest);
  auto const me = std::find(members.begin(), members.end(),
                            Runtime::instance(call).my_pe());
  team.m_n_pes  = static_cast<int>(members.size());
  team.m_my_pe  = static_cast<Pe>(me - members.begin());
  team.m_first  = members[0];
  team.m_stride = stride_of(members);
  return team;
}

}  // namespace Impl

PeTeam::PeTeam(int slot, char const* call, Pe lowest, Pe highest)
    : m_slot(slot),
      m_n_pes(highest - lowest + 1),
      m_first(lowest),
      m_stride(1) {
  auto& runtime = Impl::Runtime::instance(call);
  m_number      = runtime.team_slots().number(slot);
  m_my_pe       = runtime.my_pe() - lowest;
  m_on_host     = runtime.team_memory(MemoryKind::host)->words(slot);
  if (auto const* const memory = runtime.team_memory(MemoryKind::device)) {
    m_on_device = memory->words(slot);
    m_has_gates = runtime.has_gates();
  }
  auto const& map   = m_on_host.map;
  m_has_far_pes     = !map.is_near(lowest) || !map.is_near(highest);
  m_may_blocks_wait = !m_has_far_pes && runtime.may_blocks_wait() &&
                      m_on_device.n_packets > Impl::PeTeamWords::few_packets;
}

}  // namespace symm
