// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_EXCHANGE_MAKE_PLAN_HPP
#define SYMM_EXCHANGE_MAKE_PLAN_HPP

#include <optional>
#include <utility>
#include <vector>

#include <Kokkos_SymmetricSpace_Edge.hpp>

#include "../../runtime/symm_errors.hpp"
#include "../../runtime/symm_teams.hpp"
#include "BlockPlaces.hpp"
#include "ExchangeLists.hpp"
#include "GridBoxLists.hpp"
#include "GridBoxes.hpp"
#include "PlanBlocks.hpp"

// Functions that create plans. All of them are collective over the world. If
// any PE cannot compute its lists, all PEs throw UsageError, OutOfMemory or
// SystemError.

namespace symm::Impl {

[[nodiscard]] inline Operation making_of_plan(char const* call) {
  return {OperationKind::collective, call};
}

/// \param make_lists returns this PE's lists. Called only if this PE is in a PE
///        team.
template <class MakeLists>
PlanBlocks make_plan(char const* call, PeTeam const& team,
                     MakeLists const& make_lists) {
  Observed const observed([=] { return making_of_plan(call); });
  std::vector<ExchangeLists> lists(1);
  auto failure = failure_of([&] {
    if (team.is_valid()) lists[0] = make_lists();
  });
  return PlanBlocks::make(call, std::move(lists), team, std::move(failure));
}

inline PlanBlocks make_plan_of_boxes(char const* call, PeTeam const& team,
                                     GridBoxes const& boxes) {
  Observed const observed([=] { return making_of_plan(call); });
  std::optional<Failure> failure;
  std::vector<ExchangeLists> lists(1);
  lists[0] = lists_of_boxes(call, boxes, team, failure);
  return PlanBlocks::make(call, std::move(lists), team, std::move(failure));
}

/// \param for_each_plan a function that calls its argument with each PlanBlocks
///        to be joined.
template <class ForEachPlan>
PlanBlocks join_plans(char const* call, PeTeam const& team,
                      ForEachPlan const& for_each_plan) {
  Observed const observed([=] { return making_of_plan(call); });
  std::vector<ExchangeLists> lists;
  auto failure = failure_of([&] {
    for_each_plan([&](PlanBlocks const& plan) {
      for (auto& plan_lists : plan.lists(call, team))
        lists.push_back(std::move(plan_lists));
    });
    if (!lists.empty() && lists.size() <= PlacesOfJoined::most) return;
    throw UsageError(Text(call, ": ", lists.size(),
                          " plans cannot be joined; pass 1 to ",
                          PlacesOfJoined::most));
  });
  return PlanBlocks::make(call, std::move(lists), team, std::move(failure));
}

}  // namespace symm::Impl

#endif
