// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

// Collective operations on Views.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <Kokkos_Core.hpp>
#include <cstddef>
#include <utility>

#include <Kokkos_SymmetricSpace.hpp>

#include "collective_helpers.hpp"

namespace {

using namespace symm_test;
using symm::Pe;
using symm::UsageError;
using testing::AllOf;
using testing::HasSubstr;

using Left1  = Kokkos::View<int*, Kokkos::LayoutLeft, Space>;
using Left2  = Kokkos::View<int**, Kokkos::LayoutLeft, Space>;
using Right2 = Kokkos::View<int**, Kokkos::LayoutRight, Space>;
using Right3 = Kokkos::View<int***, Kokkos::LayoutRight, Space>;

/// A number of `pe`'s; those of several PEs can be added.
KOKKOS_FUNCTION int number(Pe pe, int salt, std::size_t i) {
  return value(pe, salt, i) % 100'000;
}

template <class View>
struct SetNumber {
  View view;
  Pe pe;
  int salt;
  template <class... Indices>
  KOKKOS_FUNCTION void operator()(std::size_t n, Indices... i) const {
    view(i...) = number(pe, salt, n);
  }
};

/// This PE's numbers, the last index fastest.
template <class View>
void set_numbers(View const& view, int salt) {
  for_each_element(view, SetNumber<View>{view, symm::my_pe(), salt});
}

/// What element n is to be.
enum class Expected {
  of_last,
  sum,
  maximum,
  gathered,
  transposed,
  my_block_of_sum,
  up_to_mine,
  before_mine,
  maximum_before_mine  // or 7
};

template <class View>
struct IsWrongNumber {
  View view;
  Expected expected;
  int salt;
  std::size_t block;  // elements of one PE
  Pe me;
  int n_pes;

  KOKKOS_FUNCTION int number_at(std::size_t n) const {
    switch (expected) {
      case Expected::of_last: return number(n_pes - 1, salt, n);
      case Expected::gathered:
        return number(static_cast<Pe>(n / block), salt, n % block);
      case Expected::transposed:
        return number(static_cast<Pe>(n / block), salt,
                      static_cast<std::size_t>(me) * block + n % block);
      case Expected::my_block_of_sum:
        return combined(0, n_pes, static_cast<std::size_t>(me) * block + n,
                        true);
      case Expected::up_to_mine: return combined(0, me + 1, n, true);
      case Expected::before_mine: return combined(0, me, n, true);
      case Expected::maximum_before_mine: return combined(7, me, n, false);
      default: return combined(0, n_pes, n, expected == Expected::sum);
    }
  }
  /// The sum, or the maximum, of `init` and the numbers of the first PEs.
  KOKKOS_FUNCTION int combined(int init, Pe end, std::size_t n,
                               bool is_sum) const {
    int result = init;
    for (Pe pe = 0; pe < end; ++pe) {
      int const its = number(pe, salt, n);
      if (is_sum) {
        result += its;
      } else if (its > result) {
        result = its;
      }
    }
    return result;
  }
  template <class... Indices>
  KOKKOS_FUNCTION bool operator()(std::size_t n, Indices... i) const {
    return view(i...) != number_at(n);
  }
};

template <class View>
std::size_t count_wrong_numbers(View const& view, Expected expected, int salt,
                                std::size_t block = 1) {
  return count_elements(
      view, IsWrongNumber<View>{view, expected, salt, block, symm::my_pe(),
                                symm::n_pes()});
}

/// Calls a collective of the host, or enqueues it and waits.
template <class Call>
void in_both_forms(Call const& call) {
  int salt         = 0;
  auto const world = symm::team_world();
  call(++salt, world);
  SpaceExec const exec;
  call(++salt, exec, world);
  call(++salt, exec, world);
}

TEST(ViewCollectives, broadcast_copies_a_View_of_any_rank) {
  Right3 const source("source", 3, 5, 7);
  Right3 const dest("dest", 3, 5, 7);
  Kokkos::View<int, Space> const one("one");
  GuardView const guard;
  Pe const root = symm::n_pes() - 1;
  in_both_forms([&](int salt, auto const&... first) {
    set_numbers(source, salt);
    set_numbers(one, salt);
    symm::broadcast(first..., dest, source, root);
    symm::broadcast(first..., one, one, root);
    Kokkos::fence();
    EXPECT_EQ(count_wrong_numbers(dest, Expected::of_last, salt), 0U);
    EXPECT_EQ(count_wrong_numbers(one, Expected::of_last, salt), 0U);
  });
  EXPECT_TRUE(guard.is_intact());
}

TEST(ViewCollectives, reduce_combines_element_by_element) {
  Left2 const source("source", 31, 17);
  Left2 const dest("dest", 31, 17);
  Kokkos::View<int const**, Kokkos::LayoutLeft, Space> const constant = source;
  GuardView const guard;
  in_both_forms([&](int salt, auto const&... first) {
    set_numbers(source, salt);
    symm::reduce(first..., dest, constant, symm::Sum{});
    symm::reduce(first..., source, source, symm::Max{});
    Kokkos::fence();
    EXPECT_EQ(count_wrong_numbers(dest, Expected::sum, salt), 0U);
    EXPECT_EQ(count_wrong_numbers(source, Expected::maximum, salt), 0U);
  });
  EXPECT_TRUE(guard.is_intact());
}

TEST(ViewCollectives, reduce_of_a_subview_leaves_its_neighbors) {
  Right2 const view("v", 3, 33);
  auto const row = Kokkos::subview(view, 1, Kokkos::ALL);
  in_both_forms([&](int salt, auto const&... first) {
    Kokkos::deep_copy(view, -7);
    set_numbers(row, salt);
    symm::reduce(first..., row, row, symm::Sum{});
    Kokkos::fence();
    EXPECT_EQ(count_wrong_numbers(row, Expected::sum, salt), 0U);
    EXPECT_EQ(count_equal(view, -7), 66U);
  });
}

TEST(ViewCollectives, scans_combine_what_is_before_each_PE) {
  Left2 const source("source", 31, 17);
  Left2 const dest("dest", 31, 17);
  Kokkos::View<int const**, Kokkos::LayoutLeft, Space> const constant = source;
  GuardView const guard;
  in_both_forms([&](int salt, auto const&... first) {
    set_numbers(source, salt);
    symm::inscan(first..., dest, constant, symm::Sum{});
    Kokkos::fence();
    EXPECT_EQ(count_wrong_numbers(dest, Expected::up_to_mine, salt), 0U);
    symm::exscan(first..., dest, source, symm::Sum{});
    Kokkos::fence();
    EXPECT_EQ(count_wrong_numbers(dest, Expected::before_mine, salt), 0U);
    symm::exscan(first..., dest, source, symm::Max{}, 7);
    Kokkos::fence();
    EXPECT_EQ(count_wrong_numbers(dest, Expected::maximum_before_mine, salt),
              0U);
    symm::exscan(first..., source, source, symm::Max{}, 7);
    Kokkos::fence();
    EXPECT_EQ(count_wrong_numbers(source, Expected::maximum_before_mine, salt),
              0U);
  });
  EXPECT_TRUE(guard.is_intact());
}

TEST(ViewCollectives, fcollect_has_a_row_for_each_PE) {
  auto const n = static_cast<std::size_t>(symm::n_pes());
  Left1 const source("source", 45);
  Right2 const dest("dest", n, 45);
  in_both_forms([&](int salt, auto const&... first) {
    set_numbers(source, salt);
    symm::fcollect(first..., dest, source);
    Kokkos::fence();
    EXPECT_EQ(count_wrong_numbers(dest, Expected::gathered, salt, 45), 0U);
  });
}

TEST(ViewCollectives, reduce_scatter_gives_each_PE_its_row_of_the_result) {
  auto const n = static_cast<std::size_t>(symm::n_pes());
  Right2 const source("source", n, 1000);
  Left1 const dest("dest", 1000);
  in_both_forms([&](int salt, auto const&... first) {
    set_numbers(source, salt);
    symm::reduce_scatter(first..., dest, source, symm::Sum{});
    Kokkos::fence();
    EXPECT_EQ(
        count_wrong_numbers(dest, Expected::my_block_of_sum, salt, dest.size()),
        0U);
  });
}

TEST(ViewCollectives, alltoall_moves_rows) {
  auto const n = static_cast<std::size_t>(symm::n_pes());
  Right3 const source("source", n, 5, 7);
  Right3 const dest("dest", n, 5, 7);
  in_both_forms([&](int salt, auto const&... first) {
    set_numbers(source, salt);
    symm::alltoall(first..., dest, source);
    Kokkos::fence();
    EXPECT_EQ(count_wrong_numbers(dest, Expected::transposed, salt, 35), 0U);
  });
}

TEST(ViewCollectives, alltoalls_moves_columns_and_leaves_what_is_between) {
  auto const n = static_cast<std::size_t>(symm::n_pes());
  Right2 const source("source", 5 * n, 3);
  Right2 const dest("dest", 5 * n, 4);
  Left1 const numbers("numbers", 5 * n);
  auto const from = Kokkos::subview(source, Kokkos::ALL, 1);
  auto const to   = Kokkos::subview(dest, Kokkos::ALL, 2);
  in_both_forms([&](int salt, auto const&... first) {
    Kokkos::deep_copy(dest, -7);
    Kokkos::deep_copy(source, -5);
    set_numbers(numbers, salt);
    Kokkos::deep_copy(SpaceExec(), from, numbers);
    Kokkos::fence();
    symm::alltoalls(first..., to, from);
    Kokkos::fence();
    auto const copy =
        Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace{}, dest);
    for (std::size_t i = 0; i < 5 * n; ++i) {
      auto const pe = static_cast<Pe>(i / 5);
      auto const me = static_cast<std::size_t>(symm::my_pe());
      EXPECT_EQ(copy(i, 2), number(pe, salt, 5 * me + i % 5)) << i;
      EXPECT_EQ(copy(i, 1), -7);
      EXPECT_EQ(copy(i, 3), -7);
    }
    symm::barrier_all();
  });
}

TEST(ViewCollectives, collect_has_the_first_elements_of_each_PE) {
  // PE p has 3 * p elements.
  auto const n     = static_cast<std::size_t>(symm::n_pes());
  auto const me    = static_cast<std::size_t>(symm::my_pe());
  auto const total = 3 * n * (n - 1) / 2;
  Left1 const source("source", 3 * n);
  Left1 const dest("dest", total + 2);
  auto const mine = Kokkos::subview(
      source, Kokkos::pair<std::size_t, std::size_t>(0, 3 * me));
  in_both_forms([&](int salt, auto const&... first) {
    Kokkos::deep_copy(dest, -7);
    set_numbers(source, salt);
    symm::collect(first..., dest, mine);
    Kokkos::fence();
    auto const copy =
        Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace{}, dest);
    std::size_t at = 0;
    for (Pe pe = 0; pe < symm::n_pes(); ++pe) {
      for (std::size_t i = 0; i < 3 * static_cast<std::size_t>(pe); ++i) {
        EXPECT_EQ(copy(at++), number(pe, salt, i));
      }
    }
    EXPECT_EQ(copy(at), -7);
    EXPECT_EQ(copy(at + 1), -7);
  });
}

// Errors.

/// All PEs throw, and the team goes on.
template <class Call>
void expect_error(char const* text, Call const& call) {
  EXPECT_THAT(message_of<UsageError>([&] { call(symm::team_world()); }),
              HasSubstr(text));
  EXPECT_THAT(
      message_of<UsageError>([&] { call(SpaceExec(), symm::team_world()); }),
      HasSubstr(text));
  Kokkos::View<int, Space> const one("one");
  Kokkos::deep_copy(one, 1);
  symm::reduce(symm::team_world(), one, one, symm::Sum{});
  EXPECT_EQ(get(one), symm::n_pes());
}

TEST(ViewCollectiveErrors, a_View_with_gaps_is_named_with_the_remedy) {
  Right2 const view("gappy", 8, 8);
  Left1 const whole("whole", 8);
  auto const column = Kokkos::subview(view, Kokkos::ALL, 3);
  constexpr char const* text =
      "View \"gappy\" (8) is not contiguous; pass a contiguous View, such as a "
      "copy made with Kokkos::deep_copy";
  expect_error(text, [&](auto const&... first) {
    symm::reduce(first..., column, whole, symm::Sum{});
  });
  expect_error(text, [&](auto const&... first) {
    symm::broadcast(first..., whole, column, 0);
  });
  expect_error(text, [&](auto const&... first) {
    symm::collect(first..., whole, column);
  });
}

TEST(ViewCollectiveErrors, sizes_that_do_not_fit_are_named) {
  Right2 const a("a", 3, 5);
  Right2 const b("b", 5, 3);
  expect_error(
      "Views \"a\" (3, 5) and \"b\" (5, 3): their extents must be equal",
      [&](auto const&... first) { symm::reduce(first..., a, b, symm::Sum{}); });
  expect_error("their extents must be equal", [&](auto const&... first) {
    symm::broadcast(first..., a, b, 0);
  });
  expect_error("their extents must be equal", [&](auto const&... first) {
    symm::inscan(first..., a, b, symm::Sum{});
  });
  expect_error("their extents must be equal", [&](auto const&... first) {
    symm::exscan(first..., a, b, symm::Sum{});
  });
  auto const n = static_cast<std::size_t>(symm::n_pes());
  Left1 const c("c", 15 * n + 1);
  expect_error("must have n_pes() times as many elements",
               [&](auto const&... first) { symm::fcollect(first..., c, a); });
  expect_error("the second must have n_pes() times as many elements",
               [&](auto const&... first) {
                 symm::reduce_scatter(first..., a, c, symm::Sum{});
               });
  Left1 const d("d", 15 * n + 1);
  Left1 const e("e", 15 * n);
  expect_error("a multiple of n_pes()",
               [&](auto const&... first) { symm::alltoall(first..., e, d); });
  expect_error("Views \"e\"",
               [&](auto const&... first) { symm::alltoalls(first..., e, d); });
  if (n > 1) {
    expect_error("a multiple of n_pes()",
                 [&](auto const&... first) { symm::alltoall(first..., c, d); });
    expect_error("a multiple of n_pes()", [&](auto const&... first) {
      symm::alltoalls(first..., c, d);
    });
  }
}

TEST(ViewCollectiveErrors, layouts_that_differ) {
  Right2 const a("a", 3, 5);
  Left2 const b("b", 3, 5);
  expect_error(
      "\"a\" (3, 5) and \"b\" (3, 5): their layouts must be equal",
      [&](auto const&... first) { symm::reduce(first..., a, b, symm::Sum{}); });
}

TEST(ViewCollectiveErrors, a_PE_with_another_View_stops_all) {
  Left1 const a("a", 12);
  Left1 const b("b", 12);
  Left1 const c("c", 13);
  bool const is_wrong = symm::my_pe() == symm::n_pes() - 1;
  EXPECT_THAT(message_of<UsageError>([&] {
                symm::reduce(symm::team_world(), is_wrong ? c : b, a,
                             symm::Sum{});
              }),
              HasSubstr(is_wrong ? "\"c\" (13)" : "has failed on another PE"));
}

TEST(ViewCollectiveErrors, the_destination_of_collect_is_too_small) {
  auto const n = static_cast<std::size_t>(symm::n_pes());
  Left1 const source("source", 10);
  Left1 const dest("dest", 10 * n - 1);
  auto const text = "dest has room for " + std::to_string(10 * n - 1) +
                    " elements, but the PEs of the team contribute " +
                    std::to_string(10 * n);
  EXPECT_THAT(message_of<UsageError>(
                  [&] { symm::collect(symm::team_world(), dest, source); }),
              HasSubstr(text));
}

}  // namespace
