// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_SHMEM_FARTEAM_HPP
#define SYMM_SHMEM_FARTEAM_HPP

#include <cstdint>

#include "PeTeam.hpp"

namespace symm::Impl {

// Barriers of a team with PEs of several nodes, by one thread of the host, in
// ceil(log2(n)) rounds: in round r each PE tells the one 2^r behind it what it
// knows by then.

/// Every PE passes two words to all others, so that the last round's messages
/// have those of half the team: for what each PE needs of all others.
/// \returns its epoch: team.words().passed(own PE, member, epoch, which) is
///          what `member` passed, until this PE begins the next.
std::uint64_t exchange_words_far(PeTeam const& team, char const* call,
                                 std::uint64_t first, std::uint64_t second);

/// Whether all PEs have called with that word; false on all, if not. Messages
/// of 16 bytes.
bool compare_word_far(PeTeam const& team, char const* call, std::uint64_t word);

/// Whether any node of the job has several PEs, which can do for each other
/// what would otherwise come several times. The same on all PEs.
[[nodiscard]] bool has_shared_nodes();

}  // namespace symm::Impl

#endif
