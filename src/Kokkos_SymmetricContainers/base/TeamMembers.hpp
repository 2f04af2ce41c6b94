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

/// A container's members: the PEs of a PE team, numbered as in that PE team.
/// All PEs of the world create their containers in the same call because
/// containers allocate symmetric memory. Each PE team creates its own
/// container; a PE without a PE team is not a member of any container.
class TeamMembers {
 public:
  /// Creates an object without members.
  TeamMembers() = default;
  /// \param team this PE's PE team; if it is not valid, this PE is not a
  ///        member. This object stores a copy of the handle; the PE team must
  ///        outlive this object.
  explicit TeamMembers(PeTeam const& team)
      : m_team(team), m_is_world(team.slot() == team_world().slot()) {}

  /// The number of members; 0 if this PE is not a member.
  [[nodiscard]] int n() const { return m_team.n_pes(); }
  /// This PE's number among the members; -1 if it is not a member.
  [[nodiscard]] Pe me() const { return m_team.my_pe(); }
  /// Whether the members are all PEs of the world, with their world numbers.
  [[nodiscard]] bool are_world() const { return m_is_world; }
  [[nodiscard]] Pe world_pe(Pe member) const {
    return m_is_world ? member : m_team.world_pe(member);
  }
  [[nodiscard]] PeTeam const& team() const { return m_team; }

  /// Collective over the world.
  /// \throws UsageError on every PE if the PEs of one PE team passed different
  ///         PE teams to the constructor.
  void expect_to_fit(char const* call) const;
  /// Collective over the members; acts as a barrier. All members must make the
  /// same call. If any member has failed, all members throw.
  /// \param failure the reason why this PE has failed; empty if it has not.
  /// \throws UsageError on every member if the calls differ; otherwise, on
  ///         every member, the failure of the first member that has failed.
  void agree(ObjectCall const& call,
             std::optional<Failure> const& failure) const;
  /// Collective over the members, at least one of which has failed. Like
  /// agree(), throws the failure of the first such member.
  [[noreturn]] void throw_first_failure(
      char const* call, std::optional<Failure> const& failure) const;

 private:
  [[noreturn]] void throw_failure_of(
      Pe member, char const* call,
      std::optional<Failure> const& my_failure) const;

  PeTeam m_team;
  bool m_is_world = false;
};

}  // namespace symm::Impl

#endif
