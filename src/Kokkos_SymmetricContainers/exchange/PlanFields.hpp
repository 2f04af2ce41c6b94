// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_EXCHANGE_PLAN_FIELDS_HPP
#define SYMM_EXCHANGE_PLAN_FIELDS_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>

#include "../../runtime/symm_errors.hpp"
#include "BlockPlaces.hpp"
#include "FieldGroups.hpp"
#include "JoinedFields.hpp"
#include "PlanBlocks.hpp"

// A common interface to the fields of exchanges with single plans and with
// joined plans.

namespace symm::Impl {

/// The Views' fields, or the fields of each joined plan's Views.
/// \throws UsageError on this PE if the arguments do not match the plan.
template <class... Views>
auto fields_of_plan(char const* call, PlanBlocks const& plan,
                    Views const&... views) {
  static_assert(sizeof...(Views) > 0, "pass at least one View");
  if constexpr ((is_views_of_plan_v<Views> || ...)) {
    static_assert((is_views_of_plan_v<Views> && ...),
                  "pass either all Views in symm::of_plan(), or none of them");
    return Impl::joined_fields_of(call, plan, views...);
  } else {
    if (plan.n_joined() > 1) {
      throw UsageError(std::string(call) + ": the plan joins " +
                       std::to_string(plan.n_joined()) +
                       " plans; pass symm::of_plan(k, views...)");
    }
    return Impl::all_fields_of(call, plan.extents,
                               std::max(plan.owned.end, plan.ghosts.end),
                               views...);
  }
}

/// The size, in bytes, of the largest element in any of the plans.
template <class Fields>
std::size_t max_bytes_of(Fields const& fields) {
  if constexpr (are_joined_v<Fields>) {
    return fields.max_bytes();
  } else {
    return fields.bytes();
  }
}

/// Calls body(elements, fields, places) for each plan that has fields. `places`
/// locates the plan's blocks.
template <class Fields, class Body>
void for_each_elements(PlanBlocks const& plan, Fields const& fields,
                       SideOfPlan side, Body const& body) {
  if constexpr (are_joined_v<Fields>) {
    auto places = fields.places(plan, side);
    fields.for_each([&](std::size_t k, auto const& list) {
      places.number = static_cast<std::uint32_t>(k);
      body(plan.joined(k), list, places);
    });
  } else {
    body(static_cast<PlanElements const&>(plan), fields,
         PlacesOfPlan{fields.bytes()});
  }
}

/// Calls body(side, fields, places) for each plan that has fields.
template <class Fields, class Body>
void for_each_side(PlanBlocks const& plan, Fields const& fields,
                   SideOfPlan side, Body const& body) {
  Impl::for_each_elements(
      plan, fields, side,
      [&](PlanElements const& elements, auto const& list, auto const& places) {
        body(elements.*side, list, places);
      });
}

}  // namespace symm::Impl

#endif
