// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

// Loads, stores and copies of several PEs, and what orders them.

#include "races.hpp"

#include <array>

namespace {

using View =
    Kokkos::View<double*, Kokkos::LayoutRight, symm::SymmetricHostSpace>;

symm::Pe next() { return (symm::my_pe() + 1) % symm::n_pes(); }

/// A load that no compiler leaves out, at a place of its own.
[[gnu::always_inline]] inline double load(View const& view, std::size_t i) {
  return *static_cast<double volatile*>(&view(i));
}

TEST(Check, is_there) { EXPECT_TRUE(symm::check::enabled()); }

TEST(Check, a_put_needs_a_barrier_before_the_target_reads_it) {
  View const u("u", 8);
  double const x = 1;
  SYMM_EXPECT_RACE({
    symm::put(&u(3), &x, 1, next());
    load(u, 3);
  });
  SYMM_EXPECT_NO_RACE({
    symm::put(&u(3), &x, 1, next());
    symm::barrier_all();
    load(u, 3);
  });
}

TEST(Check, other_elements_are_no_race) {
  View const u("u", 8);
  double const x = 1;
  SYMM_EXPECT_NO_RACE({
    symm::put(&u(3), &x, 1, next());
    load(u, 2);
    load(u, 4);
  });
}

}  // namespace
