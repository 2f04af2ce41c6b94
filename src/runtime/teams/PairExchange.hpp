// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_TEAMS_PAIREXCHANGE_HPP
#define SYMM_TEAMS_PAIREXCHANGE_HPP

#include <cstdint>
#include <span>

#include "../base/Types.hpp"
#include "PeTeam.hpp"

namespace symm::Impl {

/// Exchanges a word between PEs that do not form a PE team. Collective over
/// `members`: each member must call it with the same list, and no other PE
/// takes part. Runs on the host and returns when all members have called it.
/// Each pair of PEs counts its exchanges, so both PEs must make their exchanges
/// in the same order. Allocates no private memory.
/// \param members PE numbers in `parent`; this PE must be one of them.
/// \param all receives the members' words, in the order of `members`; empty if
///        they are not needed.
void exchange_in_pairs(PeTeam const& parent, std::span<Pe const> members,
                       char const* call, std::uint64_t mine,
                       std::span<std::uint64_t> all);

}  // namespace symm::Impl

#endif
