// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

// Views in a pool, from their allocation to their reuse.
#include <gtest/gtest.h>

#include <Kokkos_SymmetricSpace.hpp>

namespace {

using View = Kokkos::View<double*, symm::SymmetricSpace>;

symm::MemPool make_pool() {
  symm::MemPool pool;
  EXPECT_EQ(symm::mem_pool_create(&pool, {}), symm::Status::success)
      << symm::last_error();
  return pool;
}

TEST(PoolViews, are_reused_behind_a_barrier_in_the_order_of_the_stream) {
  auto const pool = make_pool();
  Kokkos::DefaultExecutionSpace const exec;
  double* first = nullptr;
  for (int i = 0; i < 3; ++i) {
    View view(Kokkos::view_alloc(exec, symm::SymmetricSpace(pool), "view"),
              100);
    if (i == 0) first = view.data();
    EXPECT_EQ(view.data(), first);
    symm::barrier(exec, symm::team_world());
    double* const right =
        symm::ptr(view.data(), (symm::my_pe() + 1) % symm::n_pes());
    EXPECT_NE(right, nullptr);
    symm::barrier(exec, symm::team_world());
    view = {};
    symm::barrier(exec, symm::team_world());
  }
  symm::barrier_all();
  EXPECT_EQ(symm::mem_pool_destroy(pool), symm::Status::success);
}

TEST(PoolViews, of_no_pool_are_an_error) {
  Kokkos::DefaultExecutionSpace const exec;
  EXPECT_THROW(View(Kokkos::view_alloc(
                        exec, symm::SymmetricSpace(symm::MemPool()), "view"),
                    100),
               symm::UsageError);
}

}  // namespace
