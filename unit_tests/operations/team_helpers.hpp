// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_TEST_TEAM_HELPERS_HPP
#define SYMM_TEST_TEAM_HELPERS_HPP

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <Kokkos_Core.hpp>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <Kokkos_SymmetricSpace.hpp>
#include <kokkos/view_helpers.hpp>
#include <runtime/pes/PeTeamMemory.hpp>

/// PE teams, as lists of numbers in the world.
namespace symm_test {

/// Teams that a PE can be in besides those of the library.
inline constexpr int n_free_teams = symm::Impl::PeTeamMemory::max_teams -
                                    symm::Impl::PeTeamMemory::n_fixed_teams;

using Pes = std::vector<symm::Pe>;

inline symm::PeTeam world() { return symm::team_world(); }

inline Pes members_of(symm::PeTeam const& team) {
  Pes members;
  for (symm::Pe pe = 0; pe < team.n_pes(); ++pe) {
    members.push_back(team.world_pe(pe));
  }
  return members;
}

/// first, first + 1, ..., first + count - 1.
inline Pes sequence(symm::Pe first, int count) {
  Pes pes;
  for (int i = 0; i < count; ++i) pes.push_back(first + i);
  return pes;
}

/// Messages between members, in host memory: by p(), to any node.
class Mail {
 public:
  /// Collective over the world.
  Mail() : m_letters("letters", static_cast<std::size_t>(symm::n_pes())) {
    symm::barrier_all();
  }

  /// Collective over the team: every member writes to every member, who finds
  /// that after a barrier. Returns what is wrong.
  int count_wrong(symm::PeTeam const& team) {
    auto const me = symm::my_pe();
    // The same number for all members, another one every time.
    auto const round =
        *team.words().epoch() * symm::Impl::PeTeamMemory::max_teams +
        static_cast<std::uint64_t>(team.slot());
    for (auto const to : members_of(team)) {
      symm::p(&m_letters(me), value(me, to, round), to);
    }
    symm::barrier(team);
    int n_wrong = 0;
    for (auto const from : members_of(team)) {
      if (m_letters(from) != value(from, me, round)) ++n_wrong;
      m_letters(from) = 0;
    }
    symm::barrier(team);  // nobody writes the next ones yet
    return n_wrong;
  }

 private:
  using Letters = Kokkos::View<int*, symm::SymmetricHostSpace>;

  Letters m_letters;
};

/// Collective over the team, if there is one.
inline void expect_team(symm::PeTeam const& team, Pes const& members,
                        Mail& mail) {
  EXPECT_EQ(members_of(team), members);
  EXPECT_EQ(team.n_pes(), static_cast<int>(members.size()));
  EXPECT_EQ(team.is_valid(), !members.empty());
  if (members.empty()) {
    EXPECT_EQ(team.my_pe(), -1);
    EXPECT_EQ(team.slot(), -1);
    return;
  }
  EXPECT_EQ(team.world_pe(team.my_pe()), symm::my_pe());
  EXPECT_EQ(mail.count_wrong(team), 0);
}

/// Destroys it, if there is one.
inline void end(symm::PeTeam& team) {
  if (team.is_valid()) symm::team_destroy(team);
  EXPECT_FALSE(team.is_valid());
}

}  // namespace symm_test

#endif
