// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_TEAMS_PAIREXCHANGE_HPP
#define SYMM_TEAMS_PAIREXCHANGE_HPP

#include <cstdint>
#include <span>

#include "../base/Types.hpp"
#include "PeTeam.hpp"

namespace symm::Impl {

/// Passes a word between PEs that are no PE team: each of `members` calls with
/// this list, and no other PE. On the host; returns when all have called. Each
/// pair of PEs counts its exchanges, so they must be in the same order on both.
/// Takes no private memory.
/// \param members numbers in `parent`; this PE is one of them.
/// \param all     gets the members' words; empty: nobody needs them.
void exchange_in_pairs(PeTeam const& parent, std::span<Pe const> members,
                       char const* call, std::uint64_t mine,
                       std::span<std::uint64_t> all);

}  // namespace symm::Impl

#endif
