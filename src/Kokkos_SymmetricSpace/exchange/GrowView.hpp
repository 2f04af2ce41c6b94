// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_EXCHANGE_GROW_VIEW_HPP
#define SYMM_EXCHANGE_GROW_VIEW_HPP

#include <cstddef>

#include <Kokkos_Core.hpp>
#include <Kokkos_SymmetricSpace_Space.hpp>

namespace symm::Impl {

/// Makes room for elements, which the first index counts: an eighth more than
/// needed. Collective over the world for a View in a symmetric space.
/// \param n_now of this PE.
/// \param most  of all PEs.
template <class View>
void grow_view(View& view, std::size_t n_now, std::size_t most) {
  bool const is_symmetric = is_symmetric_space_v<typename View::memory_space>;
  auto const needed       = is_symmetric ? most : n_now;
  if (view.extent(0) >= needed) return;
  // (view.layout() has the stride of before.)
  typename View::array_layout layout;
  layout.dimension[0] = needed + needed / 8;
  for (std::size_t r = 1; r < View::rank(); ++r)
    layout.dimension[r] = view.extent(r);
  Kokkos::resize(view, layout);
}

}  // namespace symm::Impl

#endif
