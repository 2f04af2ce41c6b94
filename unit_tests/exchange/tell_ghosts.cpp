// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

// What ghosts are told of their owners.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <Kokkos_Core.hpp>
#include <Kokkos_SymmetricContainers.hpp>
#include <cstddef>
#include <random>
#include <vector>

#include <kokkos/view_helpers.hpp>
#include <support/pes.hpp>

#include "plans.hpp"

namespace {

using namespace symm_test;
using symm::ExchangePlan;
using symm::Pe;
using symm::UsageError;
using testing::HasSubstr;

/// Of an export: as a periodic image has it.
struct Image {
  Pe pe;
  int number;
  double shift[3];
};

/// Some PEs export nothing, and some elements go to one PE more than once.
Lists random_exports(unsigned seed, Pe pe, int n_pes) {
  std::mt19937 random(seed * 100 + static_cast<unsigned>(pe));
  Lists lists;
  lists.n_owned = 5 + random() % 40;
  auto const n  = random() % 4 == 0 ? 0 : random() % 90;
  for (unsigned k = 0; k < n; ++k) {
    lists.indices.push_back(static_cast<int>(random() % lists.n_owned));
    lists.pes.push_back(
        static_cast<int>(random() % static_cast<unsigned>(n_pes)));
  }
  return lists;
}

Kokkos::View<Image*, Memory> images(Pe pe, std::size_t n) {
  Kokkos::View<Image*, Memory> result("images", n);
  auto const on_host = Kokkos::create_mirror_view(result);
  for (std::size_t k = 0; k < n; ++k)
    on_host(k) = {
        pe, static_cast<int>(k), {0.5 * static_cast<double>(k), 1, 2}};
  Kokkos::deep_copy(result, on_host);
  return result;
}

void expect_told(symm::PeTeam const& team) {
  Exec const exec;
  Pe const me = team.my_pe();
  for (unsigned seed = 1; seed <= 12; ++seed) {
    auto const lists = random_exports(seed, me, team.n_pes());
    auto plan = ExchangePlan::from_exports(lists.n_owned, ints(lists.indices),
                                           ints(lists.pes), team);
    plan.reserve(sizeof(Image));
    auto const told = Kokkos::create_mirror_view_and_copy(
        Kokkos::HostSpace(),
        plan.tell_ghosts(exec, ints(lists.pes), images(me, lists.pes.size())));
    auto const owners = Kokkos::create_mirror_view_and_copy(
        Kokkos::HostSpace(), plan.ghost_owners());
    ASSERT_EQ(told.extent(0), plan.n_ghosts());
    ASSERT_EQ(owners.extent(0), plan.n_ghosts());
    // The plan is as before: ghosts are copies of the elements.
    Ints const x("x", lists.n_owned + plan.n_ghosts());
    fill(x, [&](auto i, auto) { return number_of(me, i, 0, 3); });
    plan.gather(exec, x);
    exec.fence();
    auto const elements =
        Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), x);
    std::size_t k = 0, wrong = 0;
    for (Pe pe = 0; pe < team.n_pes(); ++pe) {
      auto const its = random_exports(seed, pe, team.n_pes());
      for (std::size_t n = 0; n < its.pes.size(); ++n) {
        if (its.pes[n] != me) continue;
        ASSERT_LT(k, told.extent(0));
        auto const element = static_cast<std::size_t>(its.indices[n]);
        wrong +=
            told(k).pe != pe || told(k).number != static_cast<int>(n) ||
                    told(k).shift[0] != 0.5 * static_cast<double>(n) ||
                    owners(k) != pe ||
                    elements(lists.n_owned + k) != number_of(pe, element, 0, 3)
                ? 1U
                : 0U;
        ++k;
      }
    }
    EXPECT_EQ(k, told.extent(0));
    EXPECT_EQ(wrong, 0U) << "seed " << seed;
  }
}

TEST(TellGhosts, tells_each_ghost_what_its_owner_says) {
  expect_told(symm::team_world());
}

TEST(TellGhosts, of_a_PE_team_has_its_numbers) {
  int const n = symm::n_pes(), me = symm::my_pe();
  auto team = symm::team_split(symm::team_world(), 0, n - me);
  expect_told(team);
  symm::team_destroy(team);
}

TEST(TellGhosts, refuses_lists_that_are_not_the_plans) {
  Exec const exec;
  int const n = symm::n_pes(), me = symm::my_pe();
  auto const pes = ints({me, (me + 1) % n, me});
  auto plan      = ExchangePlan::from_exports(3, ints({0, 1, 2}), pes);
  plan.reserve(sizeof(Image));
  auto const text = [&](Ints const& its, std::size_t n_values) {
    return message_of<UsageError>(
        [&] { (void)plan.tell_ghosts(exec, its, images(me, n_values)); });
  };
  EXPECT_THAT(text(ints({me, me}), 2), HasSubstr("which has 3 exports"));
  EXPECT_THAT(text(ints({me, me, n}), 3), HasSubstr("not the PEs of the plan"));
  if (n > 1) {
    EXPECT_THAT(text(ints({me, me, me}), 3),
                HasSubstr("not the PEs of the plan"));
  }
  EXPECT_THAT(text(pes, 4),
              HasSubstr("has 4 values, but the plan has 3 exports"));
  auto imports = ExchangePlan::from_imports(3, ints({0, 1, 2}), pes);
  EXPECT_THAT(message_of<UsageError>([&] { (void)imports.ghost_owners(); }),
              HasSubstr("must be made by ExchangePlan::from_exports"));
  EXPECT_THAT(message_of<UsageError>(
                  [&] { (void)imports.tell_ghosts(exec, pes, images(me, 3)); }),
              HasSubstr("must be made by ExchangePlan::from_exports"));
  // All can go on.
  EXPECT_EQ(text(pes, 3), "no exception");
}

}  // namespace
