// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_SHMEM_FARPASSING_HPP
#define SYMM_SHMEM_FARPASSING_HPP

#include <cstddef>
#include <cstdint>

#include "../base/Types.hpp"
#include "PassedSources.hpp"
#include "PeTeam.hpp"

namespace symm::Impl {

// Small sources that go along with the checks of the host's collective
// operations, in a team with PEs of several nodes: no message more, and no
// barrier behind them.

/// The source that a PE passes along with compare_word_far(): one block, or one
/// for each member. All but `source` is equal on all members.
struct PassedBlock {
  Passing passing;
  Pe root;
  void const* source;
  std::size_t bytes;
};

/// Whether blocks of that size can go along, for which only the first teams
/// have room. The same on all members.
[[nodiscard]] bool have_room(PeTeam const& team, PassedBlock const& block);

/// As compare_word_far(), in as many messages. If true is returned,
/// passed_blocks() has the sources.
bool pass_blocks_far(PeTeam const& team, char const* call, std::uint64_t word,
                     PassedBlock const& block);

/// What the members have passed in this PE's latest call with the team.
[[nodiscard]] PassedSources passed_blocks(PeTeam const& team,
                                          PassedBlock const& block);

}  // namespace symm::Impl

#endif
