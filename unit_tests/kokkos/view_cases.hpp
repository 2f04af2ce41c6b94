// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_TEST_VIEW_CASES_HPP
#define SYMM_TEST_VIEW_CASES_HPP

#include <gtest/gtest.h>

#include <Kokkos_Core.hpp>
#include <cstddef>
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

/// left() of any PE.
inline symm::Pe left_of(symm::Pe pe) {
  return (pe + symm::n_pes() - 1) % symm::n_pes();
}

/// Collective: every PE writes to all elements of its right neighbor's copy of
/// what make() returns, and to nothing beside it; then all PEs read all copies.
/// \param write       write(view) fills it, as fill(copy, my_pe(), right()).
/// \param count_wrong count_wrong(view, pe) counts the elements of that PE's
///        copy that are not what left_of(pe) has written.
template <class Make, class Write, class CountWrong>
void expect_written_and_read(Make const& make, Write const& write,
                             CountWrong const& count_wrong) {
  GuardView const before;
  auto const view = make();
  GuardView const after;
  symm::barrier_all();  // Kokkos has set all PEs' copies to 0
  write(view);
  symm::barrier_all();
  for (symm::Pe pe = 0; pe < symm::n_pes(); ++pe) {
    EXPECT_EQ(count_wrong(view, pe), 0U) << "of PE " << pe;
  }
  symm::barrier_all();
  EXPECT_TRUE(before.is_intact());
  EXPECT_TRUE(after.is_intact());
}

}  // namespace symm_test

#endif
