// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

// Views in a pool, from their allocation to their reuse.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstddef>

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

TEST(PoolViews, H10_the_address_may_be_a_pointer_of_any_type) {
  Kokkos::DefaultExecutionSpace const exec;
  symm::UniqueMemPool const pool(symm::MemPoolProperties{});
  int* numbers   = nullptr;
  double* values = nullptr;
  int** nowhere  = nullptr;
  EXPECT_EQ(symm::malloc_from_pool_async(&numbers, 64, pool),
            symm::Status::success);
  EXPECT_EQ(symm::malloc_async(&values, 64, exec), symm::Status::success);
  EXPECT_NE(numbers, nullptr);
  EXPECT_NE(values, nullptr);
  EXPECT_EQ(symm::free_async(numbers), symm::Status::success);
  EXPECT_EQ(symm::free_async(values, exec), symm::Status::success);
  EXPECT_EQ(symm::malloc_async(nowhere, 64), symm::Status::invalid_value);
  EXPECT_EQ(symm::malloc_from_pool_async(&numbers, 64, symm::MemPool(), exec),
            symm::Status::invalid_value);
  EXPECT_EQ(numbers, nullptr);
}

TEST(PoolViews, of_no_pool_are_an_error) {
  Kokkos::DefaultExecutionSpace const exec;
  EXPECT_THROW(View(Kokkos::view_alloc(
                        exec, symm::SymmetricSpace(symm::MemPool()), "view"),
                    100),
               symm::UsageError);
}

TEST(PoolViews, P05_a_pool_at_its_limit_names_the_view_and_the_limit) {
  symm::MemPool pool;
  EXPECT_EQ(symm::mem_pool_create(&pool, {.max_bytes = std::size_t{1} << 21}),
            symm::Status::success);
  auto const in_pool = Kokkos::view_alloc(Kokkos::DefaultExecutionSpace(),
                                          symm::SymmetricSpace(pool), "flux");
  View const small(in_pool, 1000);
  try {
    View const large(in_pool, std::size_t{1} << 20);
    ADD_FAILURE() << "there is no room";
  } catch (symm::OutOfMemory const& error) {
    EXPECT_THAT(error.what(),
                testing::AllOf(testing::HasSubstr("max_bytes = 2097152"),
                               testing::HasSubstr("\"flux\"")));
  }
  EXPECT_EQ(symm::mem_pool_destroy(pool), symm::Status::success);
}

}  // namespace
