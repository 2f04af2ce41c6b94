// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#include "../symm_teams.hpp"
#include "../access/PeOperations.hpp"
#include "../base/Observer.hpp"
#include "../job/Runtime.hpp"
#include "../pes/PeTeamMemory.hpp"
#include "../symm_job.hpp"
#include "../symm_memory.hpp"
#include "PeTeam.hpp"
#include "TeamSync.hpp"

namespace symm {

namespace {

constexpr int world_slot = 0;
constexpr int node_slot  = 1;
static_assert(Impl::PeTeamMemory::n_fixed_teams == 3);

}  // namespace

PeTeam team_world() {
  return Impl::MakePeTeam::of_all(world_slot, "symm::team_world");
}

PeTeam team_node() {
  return Impl::MakePeTeam::of_node(node_slot, "symm::team_node");
}

Pe team_translate(PeTeam const& from, Pe pe, PeTeam const& to) {
  if (!to.is_valid() || pe < 0 || pe >= from.n_pes()) return -1;
  Pe const in_world = from.world_pe(pe);
  for (Pe other = 0; other < to.n_pes(); ++other) {
    if (to.world_pe(other) == in_world) return other;
  }
  return -1;
}

void* team_ptr(PeTeam const& team, void const* address, Pe pe) noexcept {
  bool const is_member = 0 <= pe && pe < team.n_pes();
  return is_member ? ptr(address, team.world_pe(pe)) : nullptr;
}

void barrier(PeTeam const& team) {
  constexpr char const* call = "symm::barrier";
  Impl::check_team(team, call);
  Impl::Observed const observed([] {
    return Impl::Operation{Impl::OperationKind::barrier, call};
  });
  Impl::quiet_all_contexts(call);
  Impl::meet(call, team, Impl::word_of_barrier);
}

void sync(PeTeam const& team) {
  constexpr char const* call = "symm::sync";
  Impl::check_team(team, call);
  Impl::Observed const observed([] {
    return Impl::Operation{Impl::OperationKind::barrier, call};
  });
  Impl::meet(call, team, Impl::word_of_barrier);
}

void sync_all() { Impl::Runtime::instance("symm::sync_all").barrier_all(); }

}  // namespace symm
