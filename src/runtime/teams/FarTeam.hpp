// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_TEAMS_FARTEAM_HPP
#define SYMM_TEAMS_FARTEAM_HPP

#include <cstdint>

#include "PeTeam.hpp"

namespace symm::Impl {

// Barriers of a PE team of several nodes, by one thread of the host, in
// ceil(log2(n)) rounds: in round r each PE tells the one 2^r after it what it
// knows by then.

/// Every PE passes two words to all others; the last round's messages have
/// those of half the PE team. For calls that need the words of all others.
/// \returns its epoch: team.words().passed(own PE, member, epoch, which) is the
///          word of `member`, until this PE begins the next.
std::uint64_t exchange_words_far(PeTeam const& team, char const* call,
                                 std::uint64_t first, std::uint64_t second);

/// Whether all PEs have called with that word; false on all, if not. Messages
/// of 16 bytes.
bool compare_word_far(PeTeam const& team, char const* call, std::uint64_t word);

/// Calls body(member) for the members of this PE's node, or for the others.
enum class Members { of_this_node, of_other_nodes };
template <Members members, class Body>
void for_each_member(PeTeam const& team, Body const& body) {
  auto const map = team.words().map;
  for (Pe member = 0; member < team.n_pes(); ++member) {
    bool const is_here = map.is_near(team.world_pe(member));
    if (is_here == (members == Members::of_this_node)) body(member);
  }
}

/// Whether any node has several PEs, which can share messages to their node.
/// The same on all PEs.
[[nodiscard]] bool has_shared_nodes();

}  // namespace symm::Impl

#endif
