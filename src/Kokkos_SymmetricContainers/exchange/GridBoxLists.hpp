// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_EXCHANGE_GRID_BOX_LISTS_HPP
#define SYMM_EXCHANGE_GRID_BOX_LISTS_HPP

#include <optional>

#include <Kokkos_SymmetricSpace_Edge.hpp>

#include "../../runtime/symm_teams.hpp"
#include "ExchangeLists.hpp"
#include "GridBoxes.hpp"

namespace symm::Impl {

/// Computes this PE's lists. Collective over the world: even a PE without a PE
/// team must call it.
/// \param failure set to the reason why this PE could not compute its lists;
///        empty if it could.
/// \throws UsageError, OutOfMemory or SystemError on every PE, before any PE
///         computes its lists.
ExchangeLists lists_of_boxes(char const* call, GridBoxes const& boxes,
                             PeTeam const& team,
                             std::optional<Failure>& failure);

}  // namespace symm::Impl

#endif
