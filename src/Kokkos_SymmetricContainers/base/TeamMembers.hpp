// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_BASE_TEAM_MEMBERS_HPP
#define SYMM_BASE_TEAM_MEMBERS_HPP

#include <cstdint>
#include <optional>

#include <Kokkos_SymmetricSpace_Edge.hpp>

#include "../../runtime/symm_job.hpp"
#include "../../runtime/symm_teams.hpp"

namespace symm::Impl {

/// The PEs that have a container: those of a PE team, numbered as there. All
/// PEs of the world make it, as symmetric memory is made: other teams make
/// theirs in the same call, and a PE without a team has none of it.
class TeamMembers {
 public:
  /// Nobody.
  TeamMembers() = default;
  /// \param team of this PE; no team: it is no member. A copy is kept: the team
  ///        must live as long as this.
  explicit TeamMembers(PeTeam const& team)
      : m_team(team), m_is_world(team.slot() == team_world().slot()) {}

  /// 0, if this PE is none.
  [[nodiscard]] int n() const { return m_team.n_pes(); }
  /// This PE's number; -1, if it is none.
  [[nodiscard]] Pe me() const { return m_team.my_pe(); }
  /// All PEs, with their own numbers.
  [[nodiscard]] bool are_world() const { return m_is_world; }
  [[nodiscard]] Pe world_pe(Pe member) const {
    return m_is_world ? member : m_team.world_pe(member);
  }
  [[nodiscard]] PeTeam const& team() const { return m_team; }

  /// Collective over the world. \throws UsageError on every PE, if PEs of one
  /// PE team have passed others.
  void expect_to_fit(char const* call) const;
  /// Collective over them, a barrier: all make the same call, and all throw if
  /// one has failed. \throws UsageError on every one, if calls differ; that of
  /// the failure of the first one.
  void agree(ObjectCall const& call,
             std::optional<Failure> const& failure) const;
  /// Collective, if one or more have failed: as agree().
  [[noreturn]] void throw_first_failure(
      char const* call, std::optional<Failure> const& failure) const;

 private:
  [[noreturn]] void throw_failure_of(Pe member, char const* call,
                                     std::optional<Failure> const& mine) const;

  PeTeam m_team;
  bool m_is_world = false;
};

}  // namespace symm::Impl

#endif
