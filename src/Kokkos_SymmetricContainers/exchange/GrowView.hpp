// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_EXCHANGE_GROW_VIEW_HPP
#define SYMM_EXCHANGE_GROW_VIEW_HPP

#include <cstddef>
#include <cstdint>

#include <Kokkos_Core.hpp>
#include <Kokkos_SymmetricSpace_Space.hpp>

#include <Kokkos_SymmetricSpace_Edge.hpp>

#include "../../runtime/symm_errors.hpp"
#include "FieldGroups.hpp"

namespace symm::Impl {

/// If the View's first extent is less than `needed`, enlarges it to `needed`
/// plus one eighth.
/// \throws UsageError on this PE if the View is too small and unmanaged.
template <class View>
void grow_view(char const* call, View& view, std::size_t needed) {
  if (view.extent(0) >= needed) return;
  if constexpr (View::memory_traits::is_unmanaged) {
    throw UsageError(Text(call, ": View \"", view.label().c_str(),
                          "\" is unmanaged and has room for ", view.extent(0),
                          " elements, but gets ", needed,
                          "; pass a larger View or a managed one"));
  } else {
    // (Do not use view.layout(): it contains the strides of the old extents.)
    typename View::array_layout layout;
    layout.dimension[0] = needed + needed / 8;
    for (std::size_t r = 1; r < View::rank(); ++r)
      layout.dimension[r] = view.extent(r);
    Kokkos::resize(view, layout);
  }
}

// Private Views grow before symmetric Views. Therefore, if a private View
// cannot grow on some PE, all symmetric Views are still unchanged.

/// If the View is not symmetric, enlarges it if needed. The call is local.
/// \param n_now the number of elements on this PE.
template <class View>
void grow_private(char const* call, View& view, std::size_t n_now) {
  if constexpr (!is_symmetric_space_v<typename View::memory_space>)
    grow_view(call, view, n_now);
}
/// If the View is symmetric, enlarges it if needed. The Views must have equal
/// lengths on all calling PEs.
/// \param most the largest number of elements on any of these PEs.
/// \param may_grow whether the calling PEs are all PEs of the world.
/// \throws UsageError on all calling PEs if the View is too small and may not
///         grow.
template <class View>
void grow_symmetric(char const* call, View& view, std::size_t most,
                    bool may_grow = true) {
  if constexpr (is_symmetric_space_v<typename View::memory_space>) {
    if (!may_grow && view.extent(0) < most) {
      throw UsageError(Text(call, ": View \"", view.label().c_str(),
                            "\" is symmetric and has room for ", view.extent(0),
                            " elements, but a PE gets ", most,
                            "; pass a larger View, because symmetric Views "
                            "cannot grow in a PE team"));
    }
    grow_view(call, view, most);
  }
}

/// A hash of the symmetric Views' first extents.
template <class... Views>
std::uint64_t hash_of_symmetric_extents(Views const&... views) {
  std::uint64_t hash = 0;
  auto const add     = [&](auto const& view) {
    using View = std::remove_cvref_t<decltype(view)>;
    if constexpr (is_symmetric_space_v<typename View::memory_space>)
      hash = (hash + view.extent(0) + 1) * 0x9e37'79b9'7f4a'7c15U;
  };
  (Impl::for_each_view(views, add), ...);
  return hash;
}

}  // namespace symm::Impl

#endif
