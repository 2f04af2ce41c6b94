// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_SORT_HOST_VIEWS_HPP
#define SYMM_SORT_HOST_VIEWS_HPP

#include <cstddef>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>

#include <Kokkos_Core.hpp>

#include <Kokkos_SymmetricSpace_Edge.hpp>

#include "../../runtime/symm_errors.hpp"
#include "../../runtime/symm_job.hpp"
#include "../exchange/Fields.hpp"

// Gives the host access to Views in any memory: to the Views themselves, or to
// copies if the host cannot access them.

namespace symm::Impl {

/// The execution space itself if its kernels run on the host; otherwise, the
/// default host execution space.
template <class Exec>
using HostExec = std::conditional_t<runs_on_host_v<Exec>, Exec,
                                    Kokkos::DefaultHostExecutionSpace>;
template <class Exec>
HostExec<Exec> host_instance(Exec const& exec) {
  if constexpr (runs_on_host_v<Exec>) {
    return exec;
  } else {
    return {};
  }
}

template <class View>
auto host_view(View const& view) {
  if constexpr (is_host_view_v<View>) {
    return view;
  } else {
    return Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), view);
  }
}
template <class View>
using HostView = decltype(host_view(std::declval<View const&>()));
template <class... Views>
using HostViews = std::tuple<HostView<Views>...>;

/// Copies `mirror`, a result of host_view(view), back to `view` if the mirror
/// is a copy.
template <class View>
void copy_back(View const& view, HostView<View> const& mirror) {
  if constexpr (!is_host_view_v<View>) Kokkos::deep_copy(view, mirror);
}

/// Like fields_of(), but for a tuple of Views.
template <class Exec, class... Views>
auto fields_of_all(char const* call, std::size_t end,
                   std::tuple<Views...> const& views) {
  return std::apply(
      [&](auto const&... fields) {
        return fields_of<Exec>(call, {0}, end, fields...);
      },
      views);
}

/// \throws UsageError on this PE if `count` is negative or the View has fewer
///         elements.
template <class Count, class View>
std::size_t expect_count(char const* call, Count count, View const& view) {
  if (std::cmp_less(count, 0) || std::cmp_greater(count, view.extent(0))) {
    throw UsageError(Text(call, ": PE ", my_pe(), ": the count is ", count,
                          ", but View \"", view.label().c_str(), "\" has ",
                          view.extent(0), " elements"));
  }
  return static_cast<std::size_t>(count);
}

}  // namespace symm::Impl

#endif
