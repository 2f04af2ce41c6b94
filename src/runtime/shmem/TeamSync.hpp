// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_SHMEM_TEAMSYNC_HPP
#define SYMM_SHMEM_TEAMSYNC_HPP

#include <cstddef>
#include <cstdint>

#include "../base/Function.hpp"
#include "../base/KernelText.hpp"
#include "../base/Types.hpp"
#include "../pes/PeTeamWords.hpp"
#include "Group.hpp"
#include "PeTeam.hpp"
#include "RingClient.hpp"
#ifdef SYMM_FOR_DEVICE
#include "Synchronise.hpp"
#endif

namespace symm::Impl {

// What the barriers of symm_teams.hpp and the collective operations are made
// of.

/// exchange_word() by one thread of the host, and of two words.
std::uint64_t exchange_word_on_host(PeTeam const& team, char const* call,
                                    std::uint64_t word);
std::uint64_t exchange_words_on_host(PeTeam const& team, char const* call,
                                     std::uint64_t first, std::uint64_t second);

/// A barrier by one thread of the host: whether all PEs have passed that word.
bool compare_word(PeTeam const& team, char const* call, std::uint64_t word);

/// barrier_of() by one thread of the host.
void barrier_on_host(PeTeam const& team, char const* call);

/// A barrier in which every PE passes a word to all others.
/// \param call for the host's messages, such as "symm::barrier".
/// \returns its epoch: team.words().passed(own PE, member, epoch) is what
///          `member` passed, until this PE begins the next.
template <Group Threads>
SYMM_INLINE_FUNCTION std::uint64_t exchange_word(
    Threads const& group, PeTeam const& team, [[maybe_unused]] char const* call,
    std::uint64_t word) {
  SYMM_IF_ON_HOST((group.barrier(); if (group.rank() == 0)
                       exchange_word_on_host(team, call, word);
                   group.barrier(); return *team.words().epoch();))
  SYMM_IF_ON_DEVICE(
      (return synchronise(group, team, call, PassWord{team, word});))
}

/// What PEs pass in the host's barriers; the first word of any other call is
/// another.
inline constexpr std::uint64_t word_of_barrier = 0;

/// In a kernel, or on the host: as barrier(team), but nobody
/// looks whether the others are in a barrier. In kernels no word goes along,
/// for which the flag would wait, twice as long as without; on the host one
/// does, for those who look.
template <Group Threads>
SYMM_INLINE_FUNCTION void barrier_of(Threads const& group, PeTeam const& team,
                                     char const* call) {
  SYMM_IF_ON_HOST((group.barrier();
                   if (group.rank() == 0) barrier_on_host(team, call);
                   group.barrier();))
  SYMM_IF_ON_DEVICE((synchronise(group, team, call, PassNothing{});))
}

/// A barrier of the host's calls with that word.
/// \throws UsageError on every PE of the team, if a PE is in another call.
void meet(char const* call, PeTeam const& team, std::uint64_t word);

}  // namespace symm::Impl

#endif
