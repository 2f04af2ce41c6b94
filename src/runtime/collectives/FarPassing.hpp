// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_COLLECTIVES_FARPASSING_HPP
#define SYMM_COLLECTIVES_FARPASSING_HPP

#include <cstddef>
#include <cstdint>

#include "../base/Types.hpp"
#include "../teams/PeTeam.hpp"
#include "PassedSources.hpp"

namespace symm::Impl {

// Small sources travel with the checks of the host's collective operations, in
// a PE team of several nodes: without another message or barrier.

/// The source that a PE passes with compare_word_far(): one block, or one for
/// each member. All but `source` is equal on all members.
struct PassedBlock {
  Passing passing;
  Pe root;
  void const* source;
  std::size_t bytes;
};

/// Whether there is room for such blocks; only the first PE teams have any. The
/// same on all members.
[[nodiscard]] bool have_room(PeTeam const& team, PassedBlock const& block);

/// As compare_word_far(), in as many messages. If it returns true,
/// passed_blocks() has the sources.
bool pass_blocks_far(PeTeam const& team, char const* call, std::uint64_t word,
                     PassedBlock const& block);

/// The sources passed in this PE's latest call with the PE team.
[[nodiscard]] PassedSources passed_blocks(PeTeam const& team,
                                          PassedBlock const& block);

}  // namespace symm::Impl

#endif
