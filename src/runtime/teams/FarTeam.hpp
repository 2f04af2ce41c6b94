// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_TEAMS_FARTEAM_HPP
#define SYMM_TEAMS_FARTEAM_HPP

#include <cstddef>

#include "PeTeam.hpp"

namespace symm::Impl {

/// Selects the members for which for_each_member() calls body(member): the
/// members on this PE's node, or the members on other nodes.
enum class Members { of_this_node, of_other_nodes };
template <Members members, class Team, class Body>
void for_each_member(Team const& team, Body const& body) {
  auto const map = team.words().map;
  for (Pe member = 0; member < team.n_pes(); ++member) {
    bool const is_here = map.is_near(team.world_pe(member));
    if (is_here == (members == Members::of_this_node)) body(member);
  }
}

/// Whether the members on a node share the work of exchanging `bytes` bytes
/// with other nodes. The result is the same on all members.
[[nodiscard]] inline bool do_nodes_combine(PeTeam const& team,
                                           std::size_t bytes) {
  constexpr std::size_t least = std::size_t{64} << 10U;
  return team.has_far_pes() && bytes >= least;
}

/// Whether several PEs run on any node. If so, they can divide the data
/// exchanged with other nodes among themselves. The result is the same on all
/// PEs.
[[nodiscard]] bool has_shared_nodes();

}  // namespace symm::Impl

#endif
