// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

// How plans are made, and what cannot be one.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <Kokkos_Core.hpp>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include <Kokkos_SymmetricContainers.hpp>

#include "plans.hpp"

namespace {

using namespace symm_test;
using symm::ExchangePlan;
using symm::UsageError;
using testing::AllOf;
using testing::HasSubstr;

TEST(ExchangePlan, an_empty_plan_moves_nothing) {
  ExchangePlan plan;
  EXPECT_EQ(plan.n_ghosts(), 0U);
  Kokkos::View<int*, Memory> const x("x", 3);
  plan.gather(Exec(), x);
  plan.scatter(Exec(), symm::Sum{}, x);
  EXPECT_EQ(count_wrong(x, [](auto, auto) { return 0; }), 0U);
}

TEST(ExchangePlan, exports_come_as_ghosts_in_the_order_of_PEs_and_lists) {
  // PE p sends its elements p, 0, p to every PE q, itself too, q times.
  int const me = symm::my_pe(), n = symm::n_pes();
  std::size_t const n_owned = 10;
  std::vector<int> ids, pes;
  for (int q = n - 1; q >= 0; --q)
    for (int k = 0; k < 3 * q; ++k) {
      ids.push_back(k % 3 == 1 ? 0 : me);
      pes.push_back(q);
    }
  auto plan = ExchangePlan::from_exports(n_owned, ints(ids), ints(pes));
  ASSERT_EQ(plan.n_ghosts(), static_cast<std::size_t>(3 * me * n));
  Kokkos::View<int*, Memory> const x("x", n_owned + plan.n_ghosts());
  fill(x, [&](auto i, auto) { return number_of(me, i, 0, 0); });
  plan.gather(Exec(), x);
  Exec().fence();
  EXPECT_EQ(count_wrong(x,
                        [&](std::size_t i, auto) {
                          if (i < n_owned) return number_of(me, i, 0, 0);
                          auto const k  = static_cast<int>(i - n_owned);
                          int const pe  = k / (3 * me);
                          auto const id = k % 3 == 1 ? 0 : pe;
                          return number_of(pe, static_cast<std::size_t>(id), 0,
                                           0);
                        }),
            0U);
  symm::barrier_all();
}

// Each on all PEs, though only one has passed it.

TEST(ExchangePlan, a_wrong_export_is_an_error_on_all_PEs) {
  int const me = symm::my_pe(), n = symm::n_pes();
  auto const last = std::to_string(n - 1);
  auto const make = [&](std::vector<int> ids, std::vector<int> pes) {
    if (me != n - 1) ids = pes = {0};
    (void)ExchangePlan::from_exports(5, ints(ids), ints(pes));
  };
  auto const text = [&](std::vector<int> ids, std::vector<int> pes) {
    return message_of<UsageError>([&] { make(ids, pes); });
  };
  EXPECT_THAT(
      text({0, 5}, {0, 0}),
      AllOf(HasSubstr("symm::ExchangePlan::from_exports"),
            HasSubstr("PE " + last),
            HasSubstr(
                "export 1: invalid element 5; the number of elements is 5")));
  EXPECT_THAT(text({0, -1}, {0, 0}), HasSubstr("export 1: invalid element -1"));
  EXPECT_THAT(text({0, 1, 2}, {0, 0, n}),
              HasSubstr("export 2: invalid PE " + std::to_string(n)));
  EXPECT_THAT(text({0, 1, 2}, {0, -1, 0}),
              HasSubstr("export 1: invalid PE -1"));
  EXPECT_THAT(text({0, 1, 2}, {0}), HasSubstr("3 exports, but 1 PEs"));
  EXPECT_EQ(text({0}, {0}), "no exception");
}

TEST(ExchangePlan, the_lowest_number_is_an_error_as_any_other) {
  constexpr auto lowest = std::numeric_limits<std::int64_t>::min();
  Kokkos::View<std::int64_t*, Kokkos::HostSpace> ids("ids", 1), pes("pes", 1);
  auto const text = [&] {
    return message_of<UsageError>(
        [&] { (void)ExchangePlan::from_exports(5, ids, pes); });
  };
  pes(0) = lowest;
  EXPECT_THAT(text(), HasSubstr("invalid PE " + std::to_string(lowest)));
  pes(0) = 0;
  ids(0) = lowest;
  EXPECT_THAT(text(), HasSubstr("invalid element " + std::to_string(lowest)));
}

TEST(ExchangePlan, a_wrong_import_is_an_error_on_all_PEs) {
  int const me = symm::my_pe(), n = symm::n_pes();
  auto const n_owned = [](int pe) { return static_cast<std::size_t>(3 + pe); };
  auto const text    = [&](std::vector<int> indices, std::vector<int> pes) {
    return message_of<UsageError>([&] {
      if (me != 0) indices = pes = {0};
      (void)ExchangePlan::from_imports(n_owned(me), ints(indices), ints(pes));
    });
  };
  auto const last = std::to_string(n - 1);
  EXPECT_THAT(text({0, static_cast<int>(n_owned(n - 1))}, {0, n - 1}),
              HasSubstr("PE 0 imports element " +
                        std::to_string(n_owned(n - 1)) + " of PE " + last +
                        ", which owns only " + std::to_string(n_owned(n - 1))));
  EXPECT_THAT(text({0, -7}, {0, 0}), HasSubstr("import 1: invalid element -7"));
  EXPECT_THAT(text({0}, {n}),
              HasSubstr("import 0: invalid PE " + std::to_string(n)));
  EXPECT_THAT(message_of<UsageError>([&] {
                (void)ExchangePlan::from_imports(3, ints({0, 0}), ints({0, 0}),
                                                 ints({1}));
              }),
              HasSubstr("2 imports, but 1 places"));
  EXPECT_EQ(text({0}, {0}), "no exception");
}

TEST(ExchangePlan, boxes_that_do_not_fit_are_an_error_on_all_PEs) {
  int const me = symm::my_pe(), n = symm::n_pes();
  symm::BoxDecomposition box;
  box.owned       = {4, 6};
  box.pe_grid     = {n, 1, 1};
  box.periodic    = {true, false, false};
  auto const text = [&](auto const& its) {
    return message_of<UsageError>([&] { (void)ExchangePlan::from_box(its); });
  };
  EXPECT_EQ(text(box), "no exception");
  auto wrong    = box;
  wrong.pe_grid = {n + 1, 1, 1};
  EXPECT_THAT(text(wrong),
              HasSubstr("the PE grid is " + std::to_string(n + 1) +
                        " x 1, but there are " + std::to_string(n)));
  wrong             = box;
  wrong.ghost_width = 5;
  EXPECT_THAT(text(wrong),
              HasSubstr("axis 0: 4 owned cells, a ghost_width of 5"));
  wrong              = box;
  wrong.view_extents = {0, 7, 0};
  EXPECT_THAT(text(wrong), HasSubstr("axis 1"));
  wrong       = box;
  wrong.owned = {};
  EXPECT_THAT(text(wrong), HasSubstr("the box has no cells"));
  if (n == 1) return;
  wrong = box;
  if (me == 1) wrong.owned = {4, 7};  // its neighbors' faces are shorter
  EXPECT_THAT(text(wrong), AllOf(HasSubstr("do not fit together"),
                                 HasSubstr(" cells along axis 1")));
}

TEST(ExchangePlan, what_a_call_cannot_do_is_an_error_before_anything_is_sent) {
  int const me = symm::my_pe(), n = symm::n_pes();
  auto plan = ExchangePlan::from_imports(4, ints({3}), ints({(me + 1) % n}));
  Kokkos::View<int*, Memory> const x("x", 5), small("small", 4);
  EXPECT_THAT(message_of<UsageError>([&] { plan.gather(Exec(), small); }),
              AllOf(HasSubstr("symm::ExchangePlan::gather: View \"small\" is "
                              "too small"),
                    HasSubstr("5")));
  EXPECT_THAT(message_of<UsageError>([&] { plan.end_gather(Exec(), x); }),
              HasSubstr("has not begun"));
  plan.begin_gather(Exec(), x);
  EXPECT_THAT(message_of<UsageError>([&] { plan.begin_gather(Exec(), x); }),
              HasSubstr("has begun but not ended"));
  EXPECT_THAT(
      message_of<UsageError>([&] { plan.end_scatter(Exec(), symm::Sum{}, x); }),
      HasSubstr("has not begun"));
  plan.end_gather(Exec(), x);
  symm::barrier_all();
}

TEST(ExchangePlan, PE_teams_make_plans_of_their_own_in_one_call) {
  int const me = symm::my_pe(), n = symm::n_pes();
  auto team        = symm::team_split(symm::team_world(), me % 2, -me);
  int const member = team.my_pe(), members = team.n_pes();
  // From the next PE of the team, in its numbers.
  int const from = (member + 1) % members;
  auto plan =
      ExchangePlan::from_imports(2, ints({0, 1}), ints({from, from}), team);
  // A plan has room for elements of 8 bytes.
  Kokkos::View<int* [5], Memory> const x("x", 4);
  fill(x, [&](auto i, auto c) { return number_of(me, i, c, 0); });
  if (members < n) {
    EXPECT_THAT(message_of<UsageError>([&] { plan.gather(Exec(), x); }),
                HasSubstr("call reserve() on all PEs of the world first"));
  }
  plan.reserve(5 * sizeof(int));
  for (int step = 0; step < 20; ++step) plan.gather(Exec(), x);
  Exec().fence();
  EXPECT_EQ(count_wrong(x,
                        [&](std::size_t i, auto c) {
                          return i < 2 ? number_of(me, i, c, 0)
                                       : number_of(team.world_pe(from), i - 2,
                                                   c, 0);
                        }),
            0U);
  symm::barrier_all();
  symm::team_destroy(team);
}

}  // namespace
