// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_EXCHANGE_JOINED_FIELDS_HPP
#define SYMM_EXCHANGE_JOINED_FIELDS_HPP

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <tuple>
#include <type_traits>

#include <Kokkos_Core.hpp>

#include "BlockPlaces.hpp"
#include "FieldGroups.hpp"
#include "Fields.hpp"
#include "PlanBlocks.hpp"

namespace symm {

/// The Views for one of several joined plans, as returned by symm::of_plan().
/// Views are stored by value. Ranges of Views are stored by reference and must
/// outlive this object.
template <class... Views>
struct ViewsOfPlan {
  template <class View>
  using kept = std::conditional_t<Kokkos::is_view_v<View>, View, View const&>;

  int plan;
  std::tuple<kept<Views>...> views;
};

/// Groups Views and ranges of Views for an exchange with a plan created by
/// ExchangePlan::joined(). Their elements are exchanged as in joined plan
/// number `plan`, counting from 0.
template <class... Views>
[[nodiscard]] ViewsOfPlan<Views...> of_plan(int plan, Views const&... views) {
  static_assert(sizeof...(Views) > 0, "pass at least one View of the plan");
  using Kept = ViewsOfPlan<Views...>;
  return {plan, std::tuple<typename Kept::template kept<Views>...>(views...)};
}

}  // namespace symm

namespace symm::Impl {

template <class T>
inline constexpr bool is_views_of_plan_v = false;
template <class... Views>
inline constexpr bool is_views_of_plan_v<ViewsOfPlan<Views...>> = true;

/// The fields for one or more of the joined plans. A FieldList holds the fields
/// of a single plan.
template <class... Fields>
class JoinedFields {
 public:
  /// \param plans the plan number for each argument in `fields`. The numbers
  ///        must be distinct and less than PlacesOfJoined::most.
  JoinedFields(std::array<std::size_t, sizeof...(Fields)> plans,
               Fields const&... fields)
      : m_plans(plans), m_fields(fields...) {
    for_each([&](std::size_t plan, auto const& list) {
      m_element_bytes[plan] = list.bytes();
    });
  }

  /// The number of bytes per element, summed over all plans.
  [[nodiscard]] std::size_t bytes() const {
    std::size_t all = 0;
    for (auto const bytes : m_element_bytes) all += bytes;
    return all;
  }
  [[nodiscard]] std::size_t max_bytes() const {
    return *std::max_element(m_element_bytes.begin(), m_element_bytes.end());
  }
  [[nodiscard]] std::size_t bytes_of_last() const { return 0; }
  [[nodiscard]] std::uint64_t hash(std::uint64_t before) const {
    // Hash in plan order because PEs may pass the arguments in different
    // orders.
    for (std::size_t plan = 0; plan < m_element_bytes.size(); ++plan) {
      for_each([&](std::size_t its_plan, auto const& list) {
        if (its_plan == plan)
          before = (before + list.hash(0) + plan + 1) * 0x9e37'79b9'7f4a'7c15U;
      });
    }
    return before;
  }

  /// Calls body(plan, fields) for each plan that has fields.
  template <class Body>
  void for_each(Body const& body) const {
    std::apply(
        [&](auto const&... lists) {
          std::size_t k = 0;
          (body(m_plans[k++], lists), ...);
        },
        m_fields);
  }
  /// \param side selects PlanElements::owned or PlanElements::ghosts.
  [[nodiscard]] PlacesOfJoined places(PlanBlocks const& plan,
                                      SideOfPlan side) const {
    PlacesOfJoined places;
    places.n = static_cast<std::uint32_t>(plan.n_joined());
    for (std::size_t k = 0; k < plan.n_joined(); ++k)
      places.parts[k] = {(plan.joined(k).*side).blocks.data(),
                         m_element_bytes[k]};
    return places;
  }

 private:
  std::array<std::size_t, sizeof...(Fields)> m_plans;
  std::tuple<Fields...> m_fields;
  std::array<std::size_t, PlacesOfJoined::most> m_element_bytes{};
};

template <class Fields>
inline constexpr bool are_joined_v = false;
template <class... Fields>
inline constexpr bool are_joined_v<JoinedFields<Fields...>> = true;

/// \throws UsageError on this PE if a plan does not exist or is passed twice,
///         or if a View is too small.
template <class... Args>
auto joined_fields_of(char const* call, PlanBlocks const& plan,
                      Args const&... args) {
  std::array<std::size_t, sizeof...(Args)> plans{};
  std::size_t n  = 0;
  auto const add = [&](int k) {
    if (k < 0 || static_cast<std::size_t>(k) >= plan.n_joined()) {
      throw UsageError(Text(call, ": invalid plan ", k,
                            "; the number of joined plans is ",
                            plan.n_joined()));
    }
    auto const number = static_cast<std::size_t>(k);
    if (std::find(plans.begin(), plans.begin() + n, number) !=
        plans.begin() + n) {
      throw UsageError(
          Text(call, ": Views of plan ", k,
               " are passed twice; pass all of them in one symm::of_plan()"));
    }
    plans[n++] = number;
  };
  (add(args.plan), ...);
  auto const fields = [&](auto const& arg) {
    auto const& elements = plan.joined(static_cast<std::size_t>(arg.plan));
    auto const end       = std::max(elements.owned.end, elements.ghosts.end);
    return std::apply(
        [&](auto const&... views) {
          return all_fields_of(call, elements.extents, end, views...);
        },
        arg.views);
  };
  return JoinedFields(plans, fields(args)...);
}

}  // namespace symm::Impl

#endif
