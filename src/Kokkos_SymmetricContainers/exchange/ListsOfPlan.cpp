// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

// Reconstructs an existing plan's lists so that the plan can be joined with
// others.

#include <cstddef>
#include <vector>

#include <Kokkos_Core.hpp>

#include <Kokkos_SymmetricSpace_Edge.hpp>

#include "../../runtime/symm_errors.hpp"
#include "../../runtime/symm_teams.hpp"
#include "../base/TeamMembers.hpp"
#include "BlockPlaces.hpp"
#include "ExchangeLists.hpp"
#include "PlanBlocks.hpp"

namespace symm::Impl {

namespace {

/// The elements on one side of a plan, in the form of the lists from which the
/// plan was made.
/// \throws UsageError on this PE.
ElementsOfMembers of_side(char const* call, PlanSide const& side,
                          PeTeam const& team) {
  TeamMembers const members(team);
  ElementsOfMembers result;
  result.is_known = true;
  result.elements =
      Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), side.elements);
  auto const& blocks = side.blocks.on_host();
  auto block         = blocks.begin();
  for (Pe n = 0; n < members.n(); ++n) {
    bool const is_its =
        block != blocks.end() && block->pe == members.world_pe(n);
    result.counts.push_back(is_its ? block->count : 0);
    if (is_its) ++block;
  }
  if (block != blocks.end()) {
    throw UsageError(Text(call, ": a plan exchanges elements with PE ",
                          block->pe,
                          ", which is not in the PE team or not in this order; "
                          "pass the PE team of the plans"));
  }
  return result;
}

}  // namespace

std::vector<ExchangeLists> PlanBlocks::lists(char const* call,
                                             PeTeam const& team) const {
  std::vector<ExchangeLists> result(n_joined());
  for (std::size_t k = 0; k < n_joined(); ++k) {
    auto const& elements = joined(k);
    result[k].owned      = of_side(call, elements.owned, team);
    result[k].ghosts     = of_side(call, elements.ghosts, team);
    result[k].extents    = elements.extents;
    // PEs compare these settings to verify that they join the same plans.
    result[k].is_joined    = true;
    result[k].box.settings = number * PlacesOfJoined::most + k;
  }
  return result;
}

}  // namespace symm::Impl
