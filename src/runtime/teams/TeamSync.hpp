// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_TEAMS_TEAMSYNC_HPP
#define SYMM_TEAMS_TEAMSYNC_HPP

#include <cstddef>
#include <cstdint>

#include "../access/ProxyClient.hpp"
#include "../base/Check.hpp"
#include "../base/Function.hpp"
#include "../base/KernelText.hpp"
#include "../base/Types.hpp"
#include "../groups/Group.hpp"
#include "../pes/PeTeamWords.hpp"
#include "PeTeam.hpp"
#ifdef SYMM_FOR_DEVICE
#include "Synchronize.hpp"
#endif

namespace symm::Impl {

// Building blocks of the barriers in symm_teams.hpp and of the collective
// operations.

/// Like exchange_word(), but with two words. Called by one host thread.
std::uint64_t exchange_words_on_host(PeTeam const& team, char const* call,
                                     std::uint64_t first, std::uint64_t second);

/// A barrier that one host thread per PE calls. Returns false on all PEs if any
/// two PEs have passed different words.
/// \param looks whether the caller needs the result.
bool compare_word(PeTeam const& team, char const* call, std::uint64_t word,
                  bool looks = true);

/// Like barrier_of(), but called by one host thread.
void barrier_on_host(PeTeam const& team, char const* call);

/// A barrier in which every PE sends a word to all others.
/// \param call name for the host's error messages, such as "symm::barrier".
/// \returns the barrier's epoch. Until this PE begins the next epoch,
///          team.words().passed(own PE, member, epoch) points to the word from
///          `member`.
template <Group Threads>
SYMM_INLINE_FUNCTION std::uint64_t exchange_word(
    Threads const& group, PeTeam const& team, [[maybe_unused]] char const* call,
    std::uint64_t word) {
#ifdef SYMM_FOR_DEVICE
  return synchronize(group, team, call, PassWord{team, word});
#else
  group.barrier();
  if (group.rank() == 0) exchange_words_on_host(team, call, word, 0);
  group.barrier();
  return *team.words().epoch();
#endif
}

/// The word that PEs send in host barriers. All other calls send a different
/// word first.
inline constexpr std::uint64_t word_of_barrier = 0;

/// barrier(team), in kernels and on the host, without a check that all PEs are
/// in a barrier. Kernels send the flag without a word, because waiting for a
/// word doubles the latency. The host sends a word so that a PE in a call that
/// checks words detects the mismatch.
template <Group Threads>
SYMM_INLINE_FUNCTION void barrier_of(Threads const& group, PeTeam const& team,
                                     char const* call) {
#ifdef SYMM_FOR_DEVICE
  synchronize(group, team, call, PassNothing{});
#else
  group.barrier();
  if (group.rank() == 0) barrier_on_host(team, call);
  group.barrier();
#endif
}

/// A host barrier that checks that all PEs pass the same word.
/// \throws UsageError on every PE of the PE team if any PE is in a different
///         call.
void meet(char const* call, PeTeam const& team, std::uint64_t word);

}  // namespace symm::Impl

#endif
