// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

// Plans that are joined, against the same plans one by one.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <Kokkos_Core.hpp>
#include <Kokkos_SymmetricContainers.hpp>
#include <cstddef>
#include <random>
#include <utility>
#include <vector>

#include <kokkos/view_helpers.hpp>
#include <support/gpu.hpp>
#include <support/pes.hpp>

#include "plans.hpp"

namespace {

using namespace symm_test;
using symm::ExchangePlan;
using symm::of_plan;
using symm::UsageError;
using testing::HasSubstr;

using Plane  = Kokkos::View<double**, Kokkos::LayoutLeft, Memory>;
using Column = Kokkos::View<int*, Memory>;
using Rows   = Kokkos::View<short* [3], Kokkos::LayoutRight, Memory>;

/// Plans of other kinds, with other neighbors: two graphs, and nodes of boxes.
struct Plans {
  explicit Plans(unsigned seed, symm::PeTeam const& team = symm::team_world())
      : first(seed + 1, team), second(seed + 2, team), nodes(of_nodes(team)) {}

  struct OfGraph {
    OfGraph(unsigned seed, symm::PeTeam const& team)
        : lists(random_lists(seed, team.my_pe(), team.n_pes())),
          plan(ExchangePlan::from_imports(lists.n_owned, ints(lists.indices),
                                          ints(lists.pes), team)) {}
    std::size_t n() const { return lists.n_owned + lists.indices.size(); }

    Lists lists;
    ExchangePlan plan;
  };
  static ExchangePlan of_nodes(symm::PeTeam const& team) {
    symm::GridBoxes boxes;
    boxes.grid = {static_cast<std::size_t>(4 * team.n_pes() + 1), 6};
    boxes.boxes.push_back({{4 * team.my_pe(), 0}, {5, 6}});
    boxes.has_box_index = false;
    return ExchangePlan::from_boxes(boxes, team);
  }
  ExchangePlan joined(symm::PeTeam const& team = symm::team_world()) const {
    return ExchangePlan::joined({first.plan, nodes, second.plan}, team);
  }

  OfGraph first;
  OfGraph second;
  ExchangePlan nodes;
};

/// Views of all plans.
struct Values {
  explicit Values(Plans const& plans, int round)
      : a("a", plans.first.n()),
        b("b", plans.first.n()),
        u("u", 7, 8),
        v("v", 7, 8),
        c("c", plans.second.n()) {
    auto const fill_with = [&](auto const& view, int salt) {
      fill(view, [&](std::size_t i, std::size_t k) {
        return number_of(symm::my_pe(), i, k, round + salt);
      });
    };
    fill_with(a, 0);
    fill_with(b, 1);
    fill_with(u, 2);
    fill_with(v, 3);
    fill_with(c, 4);
  }

  Column a;
  Rows b;
  Plane u, v;
  Column c;
};

template <class View>
std::size_t n_other(View const& mine, View const& expected) {
  auto const on_host = copy_on_host(expected);
  return count_wrong(mine, [&](std::size_t i, std::size_t k) {
    if constexpr (View::rank() == 1) {
      return on_host(i);
    } else {
      return on_host(i, k);
    }
  });
}
std::size_t n_other(Values const& mine, Values const& expected) {
  Exec().fence();
  return n_other(mine.a, expected.a) + n_other(mine.b, expected.b) +
         n_other(mine.u, expected.u) + n_other(mine.v, expected.v) +
         n_other(mine.c, expected.c);
}

TEST(JoinedPlans, gather_as_the_plans_one_by_one) {
  Exec const exec;
  for (unsigned seed = 1; seed <= 6; ++seed) {
    Plans plans(10 * seed);
    auto all = plans.joined();
    EXPECT_EQ(all.n_ghosts(), plans.first.plan.n_ghosts() +
                                  plans.nodes.n_ghosts() +
                                  plans.second.plan.n_ghosts());
    all.reserve(16);
    std::mt19937 equal_on_all(seed);
    auto pauses = random_of_this_pe(seed);
    for (int round = 0; round < 8; ++round) {
      Values const mine(plans, round), expected(plans, round);
      auto const kind = equal_on_all() % 4;
      random_pause(pauses);
      if (kind == 0) {
        all.gather(exec, of_plan(0, mine.a, mine.b), of_plan(1, mine.u, mine.v),
                   of_plan(2, mine.c));
        plans.first.plan.gather(exec, expected.a, expected.b);
        plans.nodes.gather(exec, expected.u, expected.v);
        plans.second.plan.gather(exec, expected.c);
      } else if (kind == 1) {
        // Those of one plan, in another order of the arguments, and a list.
        std::vector<Plane> const planes{mine.u, mine.v};
        all.begin_gather(exec, of_plan(2, mine.c), of_plan(1, planes));
        random_pause(pauses);
        all.end_gather(exec, of_plan(1, mine.u, mine.v), of_plan(2, mine.c));
        plans.nodes.gather(exec, expected.u, expected.v);
        plans.second.plan.gather(exec, expected.c);
      } else if (kind == 2) {
        // No Views of plans before or behind.
        std::vector<Column> const none;
        all.gather(exec, of_plan(1, mine.v), of_plan(0, none));
        plans.nodes.gather(exec, expected.v);
      } else {
        // What is kept has a copy of a View.
        auto const kept = of_plan(0, Rows(mine.b));
        all.gather(exec, kept);
        plans.first.plan.gather(exec, expected.b);
      }
      EXPECT_EQ(n_other(mine, expected), 0U) << "seed " << seed << ", " << kind;
    }
  }
}

TEST(JoinedPlans, scatter_as_the_plans_one_by_one) {
  Exec const exec;
  for (unsigned seed = 1; seed <= 4; ++seed) {
    Plans plans(10 * seed + 1);
    auto all = plans.joined();
    all.reserve(16);
    for (int round = 0; round < 4; ++round) {
      Values const mine(plans, round), expected(plans, round);
      all.scatter(exec, symm::Sum{}, of_plan(2, mine.c),
                  of_plan(0, mine.a, mine.b), of_plan(1, mine.u));
      plans.first.plan.scatter(exec, symm::Sum{}, expected.a, expected.b);
      plans.nodes.scatter(exec, symm::Sum{}, expected.u);
      plans.second.plan.scatter(exec, symm::Sum{}, expected.c);
      all.begin_scatter(exec, of_plan(1, mine.v));
      all.end_scatter(exec, symm::Max{}, of_plan(1, mine.v));
      plans.nodes.scatter(exec, symm::Max{}, expected.v);
      EXPECT_EQ(n_other(mine, expected), 0U) << "seed " << seed;
    }
  }
}

TEST(JoinedPlans, outlive_the_plans_and_are_joined_again) {
  Exec const exec;
  Plans plans(77);
  ExchangePlan all;
  {
    auto two = ExchangePlan::joined({plans.first.plan, plans.nodes});
    all      = ExchangePlan::joined({two, plans.second.plan, two});
  }
  Values const mine(plans, 0), expected(plans, 0);
  all.reserve(16);
  all.gather(exec, of_plan(4, mine.u), of_plan(0, mine.a), of_plan(2, mine.c));
  plans.first.plan.gather(exec, expected.a);
  plans.nodes.gather(exec, expected.u);
  plans.second.plan.gather(exec, expected.c);
  EXPECT_EQ(n_other(mine, expected), 0U);
}

TEST(JoinedPlans, of_PE_teams_are_made_in_one_call) {
  Exec const exec;
  int const n = symm::n_pes(), me = symm::my_pe();
  auto team = symm::team_split(symm::team_world(),
                               n > 1 && me == 0 ? -1 : me % 2, n - me);
  if (!team.is_valid()) {
    std::vector<ExchangePlan> plans;
    for (int k = 0; k < 2; ++k)
      plans.push_back(ExchangePlan::from_imports(0, ints({}), ints({}), team));
    plans.push_back(ExchangePlan::from_boxes({}, team));
    auto all = ExchangePlan::joined({plans[0], plans[2], plans[1]}, team);
    all.reserve(16);
    return;
  }
  Plans plans(5U + static_cast<unsigned>(me % 2), team);
  auto all = plans.joined(team);
  all.reserve(16);
  Values const mine(plans, 0), expected(plans, 0);
  all.gather(exec, of_plan(0, mine.a), of_plan(1, mine.u), of_plan(2, mine.c));
  plans.first.plan.gather(exec, expected.a);
  plans.nodes.gather(exec, expected.u);
  plans.second.plan.gather(exec, expected.c);
  EXPECT_EQ(n_other(mine, expected), 0U);
  symm::team_destroy(team);
}

TEST(JoinedPlans, that_are_used_wrongly_are_an_error) {
  Exec const exec;
  Plans plans(3);
  auto all = plans.joined();
  all.reserve(16);
  Values const mine(plans, 0);
  auto const text = [&](auto const&... its) {
    return message_of<UsageError>([&] { all.gather(exec, its...); });
  };
  EXPECT_THAT(text(mine.a), HasSubstr("the plan joins 3 plans"));
  EXPECT_THAT(text(of_plan(3, mine.a)),
              HasSubstr("invalid plan 3; the number of joined plans is 3"));
  EXPECT_THAT(text(of_plan(-1, mine.a)), HasSubstr("invalid plan -1"));
  EXPECT_THAT(text(of_plan(1, mine.u), of_plan(1, mine.v)),
              HasSubstr("Views of plan 1 are passed twice"));
  EXPECT_THAT(text(of_plan(1, Plane("small", 7, 7))),
              HasSubstr("\"small\" is too small"));
  EXPECT_THAT(message_of<UsageError>([&] { (void)ExchangePlan::joined({}); }),
              HasSubstr("0 plans cannot be joined; pass 1 to 8"));
  // All is as before.
  EXPECT_EQ(text(of_plan(1, mine.u)), "no exception");
  EXPECT_THAT(
      message_of<UsageError>([&] { (void)all.ghost_owners(); }),
      HasSubstr("must be made by ExchangePlan::from_exports and not joined"));
  // An empty plan has no elements, and needs no room.
  ExchangePlan const none;
  auto with_none = ExchangePlan::joined({none, plans.nodes});
  with_none.gather(exec, of_plan(0, Plane("large", 400, 500)),
                   of_plan(1, mine.u));
  if (symm::n_pes() == 1) return;
  EXPECT_THAT(message_of<UsageError>([&] {
                auto const& one = plans.nodes;
                auto const two  = Plans::of_nodes(symm::team_world());
                if (symm::my_pe() == 1) {
                  (void)ExchangePlan::joined({one, two});
                } else {
                  (void)ExchangePlan::joined({two, one});
                }
              }),
              HasSubstr("join the same plans in the same order"));
  auto const other = [&] {
    auto const& plan = plans.nodes;
    if (symm::my_pe() == 1) {
      (void)ExchangePlan::joined({plan, plan});
    } else {
      (void)ExchangePlan::joined({plan});
    }
  };
  EXPECT_NE(message_of<UsageError>(other), "no exception");
}

#ifndef SYMM_TEST_GPU  // kernels that wait end the job
TEST(JoinedPlans, whose_Views_differ_on_a_neighbor_are_an_error_there) {
  Exec const exec;
  int const n = symm::n_pes(), me = symm::my_pe();
  if (n == 1) GTEST_SKIP() << "needs a neighbor";
  auto const plan = Plans::of_nodes(symm::team_world());
  auto all        = ExchangePlan::joined({plan, plan});
  Plane const u("u", 7, 8);
  // Equal bytes, of another plan.
  auto const text = message_of<UsageError>(
      [&] { all.gather(exec, of_plan(me == 0 ? 0 : 1, u)); });
  if (me <= 1) {
    EXPECT_THAT(text, HasSubstr("in other parts"));
  } else {
    EXPECT_EQ(text, "no exception");
  }
  EXPECT_NO_THROW(all.gather(exec, of_plan(1, u)));
}
#endif

}  // namespace
