// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_TEST_VIEW_CASES_HPP
#define SYMM_TEST_VIEW_CASES_HPP

#include <Kokkos_Core.hpp>
#include <type_traits>

#include "view_helpers.hpp"

namespace symm_test {

/// A type of View, and one of them.
template <class Data, class Layout>
struct Case {
  using View = Kokkos::View<Data, Layout, Space>;

  /// Extents 3, 2, 4, 1, 2, ... as far as they are not part of the type.
  static View make() {
    if constexpr (View::rank_dynamic == 0) {
      return View("static");
    } else if constexpr (std::is_same_v<Layout, Kokkos::LayoutStride>) {
      // Gaps in every dimension, the middle one fastest.
      if constexpr (View::rank() == 1) return View("strided", Layout(3, 5));
      if constexpr (View::rank() == 2) {
        return View("strided", Layout(3, 9, 2, 4));
      }
      if constexpr (View::rank() == 3) {
        return View("strided", Layout(3, 40, 2, 3, 4, 7));
      }
    } else {
      constexpr auto n = View::rank_dynamic;
      return View(
          "dynamic", n > 0 ? 3 : KOKKOS_INVALID_INDEX,
          n > 1 ? 2 : KOKKOS_INVALID_INDEX, n > 2 ? 4 : KOKKOS_INVALID_INDEX,
          n > 3 ? 1 : KOKKOS_INVALID_INDEX, n > 4 ? 2 : KOKKOS_INVALID_INDEX,
          n > 5 ? 3 : KOKKOS_INVALID_INDEX, n > 6 ? 2 : KOKKOS_INVALID_INDEX,
          n > 7 ? 2 : KOKKOS_INVALID_INDEX);
    }
  }
};

}  // namespace symm_test

#endif
