// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#include "CollectiveClock.hpp"

#include <array>
#include <atomic>
#include <cstddef>

#include <Kokkos_SymmetricSpace_Edge.hpp>

#include "../../runtime/symm_atomics.hpp"
#include "../../runtime/symm_teams.hpp"

namespace symm::Impl {

namespace {

std::atomic<std::uint64_t> s_n_world_calls{0};

/// The call counter of the PE team's slot. (Counts may differ between PEs
/// because earlier PE teams have used the same slot; see m_n_before.)
std::atomic<std::uint64_t>& n_team_calls(TeamMembers const& members) {
  static std::array<std::atomic<std::uint64_t>, max_teams> s_n{};
  return s_n[static_cast<std::size_t>(members.team().slot())];
}

}  // namespace

CollectiveClock::CollectiveClock(char const* call, TeamMembers const& members)
    : m_met(call), m_epoch(team_world().words().epoch()) {
  if (members.are_world() || members.n() == 0) return;
  m_n_calls  = &n_team_calls(members);
  m_n_before = m_n_calls->load(std::memory_order_relaxed);
}

std::uint64_t CollectiveClock::now() const {
  auto const of_team =
      m_n_calls == nullptr
          ? 0
          : m_n_calls->load(std::memory_order_relaxed) - m_n_before;
  return m_met.n() + load_relaxed(m_epoch) + of_team +
         s_n_world_calls.load(std::memory_order_relaxed);
}

void CollectiveClock::end_call(TeamMembers const& members) noexcept {
  auto& n = members.are_world() ? s_n_world_calls : n_team_calls(members);
  n.fetch_add(1, std::memory_order_relaxed);
}

}  // namespace symm::Impl
