// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

// Ordinary Views in host memory, shared where they are.

#include <utility>

#include "shared_buffers.hpp"

namespace {

using namespace symm_test;
using Matrix = Kokkos::View<int**, Kokkos::LayoutRight, Kokkos::HostSpace>;

class SharedViews : public SharedBuffers {};

TEST_F(SharedViews, elements_of_a_View_are_those_of_the_buffer) {
  auto const me = symm::my_pe();
  Matrix const view("view", 7, 5);
  fill(view, me, me);
  auto buffer = symm::share_view(view);
  static_assert(std::is_same_v<decltype(buffer), SharedHostBuffer<int>>);
  EXPECT_EQ(buffer.count(right()), 35U);
  int const sent = value(me, right(), 13);
  buffer.put(2 * 5 + 3, &sent, 1, right());
  int fetched = 0;
  buffer.get(&fetched, 34, 1, right());
  EXPECT_EQ(fetched, value(right(), right(), 34));
  buffer.close();
  EXPECT_EQ(view(2, 3), value(left(), me, 13));
  EXPECT_EQ(view(2, 4), value(me, me, 14));
}

TEST_F(SharedViews, extents_differ_between_pes_and_may_be_0) {
  auto const me = symm::my_pe();
  Matrix const view("view", me, 3);
  fill(view, me, me);
  auto buffer = symm::share_view(view);
  for (Pe pe = 0; pe < symm::n_pes(); ++pe) {
    EXPECT_EQ(buffer.count(pe), static_cast<std::size_t>(3 * pe));
    Matrix const copy("copy", pe, 3);
    buffer.get(copy.data(), 0, copy.size(), pe);
    EXPECT_EQ(count_wrong(copy, pe, pe), 0U);
  }
  buffer.close();
}

TEST_F(SharedViews, rows_of_a_View_can_be_shared_and_const_ones_be_read) {
  auto const me = symm::my_pe();
  Matrix const view("view", 7, 5);
  fill(view, me, me);
  auto const rows =
      Kokkos::subview(view, std::pair<int, int>(2, 4), Kokkos::ALL);
  Kokkos::View<int const**, Kokkos::LayoutRight, Kokkos::HostSpace> const
      read_only = rows;
  auto buffer   = symm::share_view(read_only);
  static_assert(std::is_same_v<decltype(buffer), SharedHostBuffer<int const>>);
  EXPECT_EQ(buffer.count(right()), 10U);
  int fetched = 0;
  buffer.get(&fetched, 9, 1, right());
  EXPECT_EQ(fetched, value(right(), right(), 19));
  buffer.close();
}

TEST_F(SharedViews, elements_that_lie_apart_on_one_pe_are_refused_by_all) {
  Matrix const view("some matrix", 7, 5);
  for (Pe odd = 0; odd < symm::n_pes(); ++odd) {
    int const columns = symm::my_pe() == odd ? 3 : 5;
    Matrix const part =
        Kokkos::subview(view, Kokkos::ALL, std::pair<int, int>(0, columns));
    EXPECT_THAT(
        message_of<symm::UsageError>(
            [&] { static_cast<void>(symm::share_view(part)); }),
        AllOf(HasSubstr("on " + pe_text(odd) + ": symm::share_view: "),
              HasSubstr("some matrix"), HasSubstr("is not contiguous")));
  }
  symm::share_view(view).close();
}

}  // namespace
