// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_SHMEM_FARTEAM_HPP
#define SYMM_SHMEM_FARTEAM_HPP

#include <cstdint>

#include "PeTeam.hpp"

namespace symm::Impl {

/// A barrier of a team with PEs of several nodes, in which every PE passes two
/// words to all others; by one thread of the host. In ceil(log2(n)) rounds: in
/// round r each PE tells the one 2^r behind it what it knows by then.
/// \returns its epoch: team.words().passed(own PE, member, epoch, which) is
/// what
///          `member` passed, until this PE begins the next.
std::uint64_t exchange_words_far(PeTeam const& team, char const* call,
                                 std::uint64_t first, std::uint64_t second);

}  // namespace symm::Impl

#endif
