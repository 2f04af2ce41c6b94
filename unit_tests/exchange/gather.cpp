// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

// gather() of random plans, compared with what each PE computes alone.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <array>
#include <cstddef>
#include <vector>

#include <Kokkos_SymmetricContainers.hpp>

#include "plans.hpp"

namespace {

using namespace symm_test;
using Kokkos::LayoutLeft;
using Kokkos::LayoutRight;
using symm::ExchangePlan;
using symm::Pe;

/// What element i of this PE is after a gather of `round`.
struct Expected {
  Lists const& lists;
  int round;
  int operator()(std::size_t i, std::size_t c) const {
    if (i < lists.n_owned) return number_of(symm::my_pe(), i, c, round);
    auto const k = i - lists.n_owned;
    if (k >= lists.indices.size()) return -1;
    return number_of(lists.pes[k], static_cast<std::size_t>(lists.indices[k]),
                     c, round);
  }
};

/// Gathers Views of several types, ranks and layouts, alone and together.
template <class Pauses>
void expect_gathers(Lists const& lists, int n_rounds, Pauses& pauses) {
  auto plan    = ExchangePlan::from_imports(lists.n_owned, ints(lists.indices),
                                            ints(lists.pes));
  auto const n = lists.n_owned + plan.n_ghosts();
  ASSERT_EQ(plan.n_ghosts(), lists.indices.size());
  // Symmetric Views are longer than needed.
  auto const longest = symm::reduce(symm::team_world(), n, symm::Max{});
  Kokkos::View<double* [3], LayoutRight, Memory> const x("x", n);
  Kokkos::View<char*, Memory> const byte("byte", n);
  Kokkos::View<float**, LayoutLeft, Memory> const left("left", n, 2);
  Kokkos::View<long*, symm::SymmetricSpace> const s("s", longest + 1);
  Kokkos::View<short**, LayoutRight, Memory> const wide("wide", n, 9);
  auto const part = Kokkos::subview(wide, Kokkos::ALL, Kokkos::pair(1, 3));
  for (int round = 0; round < n_rounds; ++round) {
    Expected const expected{lists, round};
    auto const owned = [&](std::size_t i, std::size_t c) {
      return i < lists.n_owned ? expected(i, c) : -1;
    };
    fill(x, owned);
    fill(byte, owned);
    fill(left, owned);
    fill(s, owned);
    fill(wide, owned);
    random_pause(pauses);
    Exec const exec;
    if (round % 2 == 0) {
      plan.gather(exec, x, byte, left, s, part);
    } else {
      plan.begin_gather(exec, byte, s);
      random_pause(pauses);
      plan.end_gather(exec, byte, s);
      plan.gather(exec, part);
      plan.gather(exec, x, left);
    }
    exec.fence();
    EXPECT_EQ(count_wrong(x, expected), 0U);
    EXPECT_EQ(count_wrong(byte, expected), 0U);
    EXPECT_EQ(count_wrong(left, expected), 0U);
    EXPECT_EQ(count_wrong(s, expected), 0U);
    EXPECT_EQ(count_wrong(wide,
                          [&](std::size_t i, std::size_t c) {
                            return c == 1 || c == 2 ? expected(i, c)
                                                    : owned(i, c);
                          }),
              0U);
  }
}

TEST(ExchangePlan, gather_copies_owned_elements_to_their_ghosts) {
  auto pauses = random_of_this_pe(1);
  for (unsigned seed = 0; seed < 25; ++seed) {
    SCOPED_TRACE(seed);
    expect_gathers(random_lists(seed, symm::my_pe(), symm::n_pes()), 6, pauses);
  }
  symm::barrier_all();
}

TEST(ExchangePlan, gather_copies_many_elements) {
  // So many that GPUs copy values, not elements (CopyChunks.hpp), in more than
  // one order.
  constexpr int n_owned = 40'000;
  int const n           = symm::n_pes();
  Lists lists;
  lists.n_owned = n_owned;
  for (int i = 0; i < n_owned; ++i) {
    lists.indices.push_back(i % 3 == 0 ? i : i * 7'919 % n_owned);
    lists.pes.push_back((symm::my_pe() + 1 + i % 2) % n);
  }
  auto pauses = random_of_this_pe(2);
  expect_gathers(lists, 4, pauses);
  symm::barrier_all();
}

TEST(ExchangePlan, imports_go_to_the_places_that_are_passed) {
  int const me = symm::my_pe(), n = symm::n_pes();
  auto plan = ExchangePlan::from_imports(6, ints({5, 0, 3}),
                                         ints({(me + 1) % n, me, (me + 1) % n}),
                                         ints({9, 7, 6}));
  Kokkos::View<int*, Memory> const x("x", 10);
  fill(x, [&](auto i, auto) { return i < 6 ? number_of(me, i, 0, 0) : -1; });
  plan.gather(Exec(), x);
  Exec().fence();
  int const right = (me + 1) % n;
  EXPECT_EQ(count_wrong(x,
                        [&](std::size_t i, auto) {
                          if (i < 6) return number_of(me, i, 0, 0);
                          if (i == 9) return number_of(right, 5, 0, 0);
                          if (i == 7) return number_of(me, 0, 0, 0);
                          return i == 6 ? number_of(right, 3, 0, 0) : -1;
                        }),
            0U);
  symm::barrier_all();
}

TEST(ExchangePlan, subviews_are_sent_and_filled) {
  int const me = symm::my_pe(), n = symm::n_pes();
  int const right = (me + 1) % n, left = (me + n - 1) % n;
  Kokkos::View<int**, Memory> const x("x", 4, 6);
  using Pair = std::pair<int, int>;
  using Part = Kokkos::View<int**, Kokkos::LayoutStride, Memory>;
  std::vector<symm::ExchangePart<Part>> const sent{
      {Kokkos::subview(x, Pair(0, 4), Pair(1, 3)), right},
      {Kokkos::subview(x, Pair(1, 3), Pair(3, 4)), left}};
  std::vector<symm::ExchangePart<Part>> const filled{
      {Kokkos::subview(x, Pair(0, 4), Pair(4, 6)), left},
      {Kokkos::subview(x, Pair(1, 3), Pair(0, 1)), right}};
  auto plan = ExchangePlan::from_subviews(x, sent, filled);
  EXPECT_EQ(plan.n_ghosts(), 10U);
  auto const cell = [](std::size_t i, std::size_t j) { return i * 6 + j; };
  fill(x, [&](auto i, auto j) { return number_of(me, cell(i, j), 0, 0); });
  plan.gather(Exec(), x);
  Exec().fence();
  EXPECT_EQ(count_wrong(x,
                        [&](std::size_t i, std::size_t j) {
                          bool const inner = i == 1 || i == 2;
                          if (j >= 4)
                            return number_of(left, cell(i, j - 3), 0, 0);
                          if (j == 0 && inner)
                            return number_of(right, cell(i, 3), 0, 0);
                          return number_of(me, cell(i, j), 0, 0);
                        }),
            0U);
  Kokkos::View<int**, Memory> const other("other", 4, 6);
  EXPECT_THAT(message_of<symm::UsageError>([&] {
                (void)ExchangePlan::from_subviews(other, sent, filled);
              }),
              testing::HasSubstr("a part is not a subview of View \"other\""));
  symm::barrier_all();
}

TEST(ExchangePlan, subviews_have_any_rank) {
  int const me = symm::my_pe(), n = symm::n_pes();
  Kokkos::View<int*****, Memory> const x("x", 3, 4, 2, 3, 2);
  Kokkos::deep_copy(x, me);
  auto const slice = [&](int j) {
    return Kokkos::subview(x, Kokkos::ALL, j, Kokkos::ALL, 1, Kokkos::ALL);
  };
  using Part = symm::ExchangePart<decltype(slice(0))>;
  std::vector<Part> const sent{{slice(2), (me + 1) % n}};
  std::vector<Part> const filled{{slice(0), (me + n - 1) % n}};
  auto plan = ExchangePlan::from_subviews(x, sent, filled);
  plan.gather(Exec(), x);
  Exec().fence();
  auto const now = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), x);
  for (int i = 0; i < 3 * 4 * 2 * 3 * 2; ++i) {
    int const j = i / 12 % 4, l = i / 2 % 3;
    EXPECT_EQ(now(i / 48, j, i / 6 % 2, l, i % 2),
              j == 0 && l == 1 ? (me + n - 1) % n : me);
  }
}

/// A PE that sleeps, at other times than others, must find what was sent to it
/// in each round: a fast neighbor has not overwritten it. Blocks go one way.
TEST(ExchangePlan, a_fast_PE_does_not_overrun_a_slow_one) {
  int const me = symm::my_pe(), n = symm::n_pes();
  std::vector<int> ids, pes;
  for (int k = 0; k < 50 && me + 1 < n; ++k) {
    ids.push_back(k);
    pes.push_back(me + 1);
  }
  auto plan = ExchangePlan::from_exports(50, ints(ids), ints(pes));
  Kokkos::View<int*, Memory> const x("x", 50 + plan.n_ghosts());
  auto pauses       = random_of_this_pe(2);
  std::size_t wrong = 0;
  for (int round = 0; round < 400; ++round) {
    auto const value = [&](std::size_t i, std::size_t) {
      return i < 50 ? number_of(me, i, 0, round)
                    : number_of(me - 1, i - 50, 0, round);
    };
    fill(x, [&](auto i, auto) { return i < 50 ? value(i, 0) : -1; });
    if (round / 20 % n == me) random_pause(pauses);
    plan.begin_gather(Exec(), x);
    if (round / 7 % n == me) random_pause(pauses);
    plan.end_gather(Exec(), x);
    Exec().fence();
    wrong += count_wrong(x, value);
  }
  EXPECT_EQ(wrong, 0U);
  symm::barrier_all();
}

/// Global indices of a cell of this PE's View, wrapped around; false: none.
struct Grid {
  symm::BoxDecomposition box;
  std::size_t rank;
  std::array<int, 3> place{};

  Grid(symm::BoxDecomposition const& its, std::size_t its_rank, Pe pe)
      : box(its), rank(its_rank) {
    using enum symm::BoxDecomposition::Order;
    for (std::size_t k = 0; k < rank; ++k) {
      auto const a = box.order == first_axis_fastest ? k : rank - 1 - k;
      place[a]     = pe % box.pe_grid[a];
      pe /= box.pe_grid[a];
    }
  }
  /// With the global index of its first cell.
  symm::BoxDecomposition box_with_first() const {
    auto its = box;
    its.first.emplace();
    for (std::size_t a = 0; a < rank; ++a)
      (*its.first)[a] = static_cast<std::size_t>(place[a]) * box.owned[a];
    return its;
  }
  /// The value of cell `at` after a gather, or -1 if it is no cell, or none
  /// that the plan fills.
  long value(std::array<std::size_t, 3> const& at) const {
    long result             = 0;
    int n_ghosts            = 0;
    bool is_owned_or_filled = true;
    for (std::size_t a = 0; a < rank; ++a) {
      auto const owned = static_cast<long>(box.owned[a]);
      auto const here =
          static_cast<long>(at[a]) - static_cast<long>(box.ghost_width);
      auto const size = owned * box.pe_grid[a];
      if (here < 0 || here >= owned) ++n_ghosts;
      auto const depth =
          static_cast<long>(box.depth == 0 ? box.ghost_width : box.depth);
      if (here < -depth || here >= owned + depth) is_owned_or_filled = false;
      long global = place[a] * owned + here;
      if (box.periodic[a]) global = (global + size) % size;
      if (global < 0 || global >= size) is_owned_or_filled = false;
      result = result * 1000 + global;
    }
    using enum symm::BoxDecomposition::Neighbors;
    int const most = box.neighbors == faces             ? 1
                     : box.neighbors == faces_and_edges ? 2
                                                        : 3;
    return is_owned_or_filled && n_ghosts <= most ? result : -1;
  }
  bool is_owned(std::array<std::size_t, 3> const& at) const {
    for (std::size_t a = 0; a < rank; ++a)
      if (at[a] < box.ghost_width || at[a] >= box.ghost_width + box.owned[a])
        return false;
    return true;
  }
};

template <class View>
std::size_t wrong_after_gather_of_box(Grid const& grid, View const& x,
                                      std::size_t n_components) {
  auto const on_host = Kokkos::create_mirror_view(x);
  auto const at      = [&](auto i, auto j, auto k, auto c) -> auto& {
         if constexpr (View::rank() == 4) {
           return on_host(i, j, k, c);
    } else if constexpr (View::rank() == 3) {
           return on_host(i, j, k);
    } else {
           return on_host(i, j);
    }
  };
  bool const is_2d    = grid.rank == 2;
  auto const for_each = [&](auto const& body) {
    for (std::size_t i = 0; i < x.extent(0); ++i)
      for (std::size_t j = 0; j < x.extent(1); ++j)
        for (std::size_t k = 0; k < (is_2d ? 1 : x.extent(2)); ++k)
          for (std::size_t c = 0; c < n_components; ++c) body(i, j, k, c);
  };
  for_each([&](auto i, auto j, auto k, auto c) {
    at(i, j, k, c) = grid.is_owned({i, j, k})
                         ? static_cast<double>(grid.value({i, j, k})) +
                               static_cast<double>(c) / 8
                         : -1;
  });
  Kokkos::deep_copy(x, on_host);
  auto plan = ExchangePlan::from_box(grid.box_with_first());
  for (int round = 0; round < 3; ++round) plan.gather(Exec(), x);
  Kokkos::deep_copy(on_host, x);
  std::size_t wrong = 0;
  for_each([&](auto i, auto j, auto k, auto c) {
    auto const value = grid.value({i, j, k});
    wrong += at(i, j, k, c) != (value < 0 ? -1.0
                                          : static_cast<double>(value) +
                                                static_cast<double>(c) / 8);
  });
  return wrong;
}

TEST(ExchangePlan, gather_of_a_box_fills_its_ghost_cells) {
  int const n = symm::n_pes();
  using enum symm::BoxDecomposition::Neighbors;
  std::vector<std::array<int, 3>> grids{{n, 1, 1}, {1, 1, n}};
  if (n % 2 == 0) grids.push_back({2, n / 2, 1});
  for (auto const& pe_grid : grids)
    for (auto const neighbors : {faces, faces_and_edges, all})
      for (int periodic = 0; periodic < 8; periodic += 1 + (periodic == 0) * 2)
        for (std::size_t width = 1; width < 3; ++width) {
          symm::BoxDecomposition box;
          box.owned       = {4, 2, 5};
          box.pe_grid     = pe_grid;
          box.ghost_width = width;
          box.periodic    = {(periodic & 1) != 0, (periodic & 2) != 0,
                             (periodic & 4) != 0};
          box.neighbors   = neighbors;
          std::array<std::size_t, 3> const e{4 + 2 * width, 2 + 2 * width,
                                             5 + 2 * width};
          Grid const grid(box, 3, symm::my_pe());
          EXPECT_EQ(wrong_after_gather_of_box(
                        grid,
                        Kokkos::View<double****, LayoutRight, Memory>(
                            "x", e[0], e[1], e[2], 3),
                        3),
                    0U);
          EXPECT_EQ(wrong_after_gather_of_box(
                        grid,
                        Kokkos::View<double***, LayoutLeft, Memory>("x", e[0],
                                                                    e[1], e[2]),
                        1),
                    0U);
          box.view_extents = {e[0] + 1, e[1] + 2, e[2] + 3};
          EXPECT_EQ(wrong_after_gather_of_box(
                        Grid(box, 3, symm::my_pe()),
                        Kokkos::View<double***, LayoutRight, Memory>(
                            "x", e[0] + 1, e[1] + 2, e[2] + 3),
                        1),
                    0U);
        }
  for (auto const& pe_grid : grids) {
    symm::BoxDecomposition box;
    box.owned    = {4, 2, 5};
    box.pe_grid  = pe_grid;
    box.periodic = {true, false, true};
    box.order    = symm::BoxDecomposition::Order::first_axis_fastest;
    EXPECT_EQ(
        wrong_after_gather_of_box(
            Grid(box, 3, symm::my_pe()),
            Kokkos::View<double***, LayoutRight, Memory>("x", 6, 4, 7), 1),
        0U);
  }
  symm::BoxDecomposition shallow;  // thinner than its ghosts
  shallow.owned       = {4, 1, 5};
  shallow.pe_grid     = {1, n, 1};
  shallow.periodic    = {true, true, false};
  shallow.ghost_width = 2;
  shallow.depth       = 1;
  EXPECT_EQ(wrong_after_gather_of_box(
                Grid(shallow, 3, symm::my_pe()),
                Kokkos::View<double***, LayoutRight, Memory>("x", 8, 5, 9), 1),
            0U);
  symm::BoxDecomposition plate;
  plate.owned    = {3, 40};
  plate.pe_grid  = {n, 1, 1};
  plate.periodic = {true, true, false};
  EXPECT_EQ(wrong_after_gather_of_box(
                Grid(plate, 2, symm::my_pe()),
                Kokkos::View<double**, LayoutRight, Memory>("x", 5, 42), 1),
            0U);
  symm::barrier_all();
}

TEST(ExchangePlan, PEs_that_are_numbered_in_another_order_are_an_error) {
  int const n = symm::n_pes();
  if (n % 2 != 0 || n < 6) GTEST_SKIP() << "needs a grid of 2 x 3 PEs";
  symm::BoxDecomposition box;
  box.owned   = {4, 4};
  box.pe_grid = {n / 2, 2};
  box.order   = symm::BoxDecomposition::Order::first_axis_fastest;
  auto its    = Grid(box, 2, symm::my_pe()).box_with_first();
  EXPECT_EQ(
      message_of<symm::UsageError>([&] { (void)ExchangePlan::from_box(its); }),
      "no exception");
  its.order = symm::BoxDecomposition::Order::last_axis_fastest;
  EXPECT_THAT(
      message_of<symm::UsageError>([&] { (void)ExchangePlan::from_box(its); }),
      testing::AllOf(
          testing::HasSubstr("first cell of the second box along axis"),
          testing::HasSubstr("BoxDecomposition::order")));
}

}  // namespace
