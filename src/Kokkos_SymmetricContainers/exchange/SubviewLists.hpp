// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_EXCHANGE_SUBVIEW_LISTS_HPP
#define SYMM_EXCHANGE_SUBVIEW_LISTS_HPP

#include <algorithm>
#include <array>
#include <cstddef>
#include <numeric>
#include <vector>

#include <Kokkos_Core.hpp>

#include <Kokkos_SymmetricSpace_Edge.hpp>

#include "../../runtime/symm_errors.hpp"
#include "../../runtime/symm_job.hpp"
#include "ExchangeLists.hpp"

namespace symm {

/// Elements to send to a PE or to receive from it: a subview with any layout.
template <class Subview>
struct ExchangePart {
  Subview part;
  Pe pe;
};

}  // namespace symm

namespace symm::Impl {

/// Appends the elements of `part`, row by row.
/// \throws UsageError on this PE if these are not elements of `view`.
template <class View, class Subview>
void append_elements(std::vector<ElementIndex>& elements, char const* call,
                     View const& view, Subview const& part) {
  constexpr auto rank = View::rank();
  std::array<std::size_t, rank> order{};  // sorted by stride, largest first
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(),
            [&](auto r, auto s) { return view.stride(r) > view.stride(s); });
  auto const first = part.data() - view.data();
  for (std::size_t n = 0; n < part.size(); ++n) {
    auto offset = first;
    auto rest   = n;
    for (auto r = Subview::rank(); r-- > 0; rest /= part.extent(r)) {
      offset += static_cast<std::ptrdiff_t>(rest % part.extent(r)) *
                static_cast<std::ptrdiff_t>(part.stride(r));
    }
    std::array<std::size_t, rank> index{};
    bool is_inside = offset >= 0;
    for (auto const r : order) {
      if (view.extent(r) == 1) continue;
      auto const stride = static_cast<std::ptrdiff_t>(view.stride(r));
      index[r]          = static_cast<std::size_t>(offset / stride);
      offset %= stride;
      is_inside &= index[r] < view.extent(r);
    }
    if (!is_inside || offset != 0) {
      throw UsageError(Text(call, ": a part is not a subview of View \"",
                            view.label(), "\""));
    }
    std::size_t element = 0;
    for (std::size_t r = 0; r < rank; ++r)
      element = element * view.extent(r) + index[r];
    elements.push_back(static_cast<ElementIndex>(element));
  }
}

template <class View, class Subview>
ElementsOfMembers elements_of_parts(
    char const* call, View const& view,
    std::vector<ExchangePart<Subview>> const& parts, int n_pes) {
  std::vector<std::vector<ElementIndex>> of_members(
      static_cast<std::size_t>(n_pes));
  for (auto const& [part, pe] : parts) {
    expect_pe(pe, n_pes, call, " in the PE team");
    append_elements(of_members[static_cast<std::size_t>(pe)], call, view, part);
  }
  return joined(of_members);
}

/// \throws UsageError on this PE if a PE does not exist or a part is not a
///         subview of `view`.
template <class View, class Sent, class Filled>
ExchangeLists lists_of_subviews(char const* call, View const& view,
                                std::vector<ExchangePart<Sent>> const& sent,
                                std::vector<ExchangePart<Filled>> const& filled,
                                int n_pes) {
  static_assert(View::rank() > 0, "the View must have at least rank 1");
  ExchangeLists lists;
  lists.owned   = elements_of_parts(call, view, sent, n_pes);
  lists.ghosts  = elements_of_parts(call, view, filled, n_pes);
  lists.n_owned = view.size();
  lists.extents.clear();
  for (std::size_t r = 0; r < View::rank(); ++r)
    lists.extents.push_back(view.extent(r));
  return lists;
}

}  // namespace symm::Impl

#endif
