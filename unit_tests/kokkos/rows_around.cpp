// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

// Rows of a DistributedView and those beside them, near and far.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <Kokkos_Core.hpp>
#include <Kokkos_SymmetricContainers.hpp>
#include <cstddef>
#include <string>
#include <type_traits>

#include <support/pes.hpp>
#include "view_helpers.hpp"

namespace {

using namespace symm_test;
using symm::UsageError;
using testing::HasSubstr;
using Exec = symm::SymmetricSpace::execution_space;

template <class Data>
using Rows = symm::DistributedView<
    Kokkos::View<Data, Kokkos::LayoutRight, symm::SymmetricSpace>>;

/// Of element c of row i.
KOKKOS_INLINE_FUNCTION long value(long i, long c, long round) {
  return i * 1000 + c + round * 1000000;
}

/// Rows of two extents more, as one.
template <class View>
struct SetMine {
  View mine;
  long first;
  long round;
  KOKKOS_FUNCTION void operator()(int k) const {
    auto const i = static_cast<std::size_t>(k);
    if constexpr (View::rank() == 1) {
      mine(i) = value(first + k, 0, round);
    } else if constexpr (View::rank() == 2) {
      for (std::size_t j = 0; j < mine.extent(1); ++j)
        mine(i, j) = value(first + k, static_cast<long>(j), round);
    } else {
      for (std::size_t j = 0; j < mine.extent(1); ++j)
        for (std::size_t l = 0; l < mine.extent(2); ++l)
          mine(i, j, l) =
              value(first + k, static_cast<long>(j * 10 + l), round);
    }
  }
};

template <class Around, class View>
struct CountWrong {
  Around around;
  View mine;  // for its extents
  long first;
  long n_rows;
  long reach;
  long round;
  KOKKOS_FUNCTION void operator()(int k, int& wrong) const {
    for (long i = first + k - reach; i <= first + k + reach; ++i) {
      if (i < 0 || i >= n_rows) continue;
      if constexpr (View::rank() == 1) {
        if (around(i) != value(i, 0, round)) ++wrong;
      } else if constexpr (View::rank() == 2) {
        auto const row = around.row(i);
        for (std::size_t j = 0; j < mine.extent(1); ++j)
          if (around(i, j) != value(i, static_cast<long>(j), round) ||
              row(j) != around(i, j))
            ++wrong;
      } else {
        for (std::size_t j = 0; j < mine.extent(1); ++j)
          for (std::size_t l = 0; l < mine.extent(2); ++l)
            if (around(i, j, l) !=
                value(i, static_cast<long>(j * 10 + l), round))
              ++wrong;
      }
    }
  }
};

template <class View>
int wrong_of(View const& view, std::size_t reach) {
  Exec const exec;
  symm::RowsAround const around(view, reach);
  auto const mine  = view.local();
  auto const first = static_cast<long>(view.first());
  auto pauses      = random_of_this_pe(static_cast<unsigned>(reach) + 5);
  int all          = 0;
  Kokkos::RangePolicy<Exec> const rows(exec, 0, mine.extent_int(0));
  for (long round = 0; round < 5; ++round) {
    using Mine = std::remove_cvref_t<decltype(mine)>;
    Kokkos::parallel_for("set", rows, SetMine<Mine>{mine, first, round});
    random_pause(pauses);
    symm::barrier_all(exec);
    around.update(exec);
    int wrong = 0;
    Kokkos::parallel_reduce(
        "look", rows,
        CountWrong<std::remove_cvref_t<decltype(around)>, Mine>{
            around, mine, first, static_cast<long>(view.extent(0)),
            static_cast<long>(reach), round},
        wrong);
    exec.fence();
    all += wrong;
    symm::barrier_all(exec);
  }
  return all;
}

TEST(RowsAround, are_those_of_the_whole) {
  auto const n = static_cast<std::size_t>(symm::n_pes());
  for (std::size_t const rows : {std::size_t{1}, n, 3 * n + 1, std::size_t{40}})
    EXPECT_EQ(wrong_of(Rows<long*>("rows", rows), 1), 0) << rows;
  EXPECT_EQ(wrong_of(Rows<long**>("rows", 3 * n + 2, 7), 3), 0);
  EXPECT_EQ(wrong_of(Rows<long* [5]>("rows", 4 * n), 2), 0);
  EXPECT_EQ(wrong_of(Rows<long***>("rows", 2 * n + 1, 3, 4), 2), 0);
  EXPECT_EQ(wrong_of(Rows<long** [4]>("rows", 2 * n + 1, 3), 0), 0);
  EXPECT_EQ(wrong_of(Rows<long**>("none", 0, 3), 1), 0);
}

TEST(RowsAround, of_PEs_with_fewer_rows_are_an_error_there) {
  int const n = symm::n_pes(), me = symm::my_pe();
  if (n == 1) GTEST_SKIP() << "needs a PE beside";
  // The first PE has two rows, all others have one.
  Rows<long**> const view("short", static_cast<std::size_t>(n) + 1, 3);
  auto const text =
      message_of<UsageError>([&] { symm::RowsAround const rows(view, 2); });
  bool const is_beside_the_first_alone = n == 2 && me == 1;
  if (is_beside_the_first_alone) {
    EXPECT_EQ(text, "no exception");
  } else {
    EXPECT_THAT(text, HasSubstr("has only 1 rows of \"short\", but PE " +
                                std::to_string(me) + " reads 2"));
  }
  symm::barrier_all();
}

template <class Around>
struct ReadOne {
  Around around;
  int row;
  KOKKOS_FUNCTION void operator()(int, long& x) const { x += around(row); }
};

TEST(RowsAround, are_kept_by_a_handle) {
  Exec const exec;
  auto const n = static_cast<std::size_t>(2 * symm::n_pes());
  auto rows    = [&] {
    Rows<long*> const view("whole", n);
    Kokkos::deep_copy(view.local(), symm::my_pe());
    return symm::RowsAround(view, 1);
  }();
  auto const copy = rows;
  symm::barrier_all(exec);
  copy.update(exec);
  long last = -1;
  Kokkos::parallel_reduce(
      "look", Kokkos::RangePolicy<Exec>(exec, 0, 1),
      ReadOne<std::remove_cvref_t<decltype(copy)>>{copy, 2 * symm::my_pe()},
      last);
  EXPECT_EQ(last, symm::my_pe());
  symm::barrier_all(exec);
}

}  // namespace
