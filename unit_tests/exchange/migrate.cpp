// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

// migrate(), compared with the elements of all PEs, which each PE moves alone.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include <Kokkos_SymmetricContainers.hpp>

#include "plans.hpp"

namespace {

using namespace symm_test;
using symm::Pe;
using symm::UsageError;
using testing::AllOf;
using testing::HasSubstr;

/// The numbers of the elements of each PE.
using Elements = std::vector<std::vector<int>>;

/// Where an element goes in a round: it stays, goes to one PE, or anywhere, or
/// is dropped.
Pe destination(unsigned seed, int round, Pe pe, int element, int n_pes) {
  auto const bits =
      pattern({.to = round, .salt = seed}, static_cast<std::size_t>(element));
  auto const n   = static_cast<unsigned>(n_pes);
  auto const any = static_cast<Pe>((bits >> 32U) % n);
  switch ((seed + static_cast<unsigned>(round)) % 7) {
    case 0: return pe;                                   // none
    case 1: return static_cast<Pe>(seed % n);            // all to one
    case 2: return bits % 20 == 0 ? any : pe;            // few
    case 3: return pe == 0 && bits % 3 != 0 ? any : pe;  // from one
    case 4: return bits % 3 == 0 ? symm::no_pe : any;
    case 5: return bits % 40 == 0 ? symm::no_pe : pe;
    default: return any;
  }
}

/// What migrate() says: who stays keeps its place; who comes gets the first
/// free one; who is behind the end then, too.
Elements moved(Elements const& before, unsigned seed, int round) {
  auto const n = static_cast<int>(before.size());
  Elements after(before.size());
  for (Pe to = 0; to < n; ++to) {
    auto& its = after[static_cast<std::size_t>(to)];
    its       = before[static_cast<std::size_t>(to)];
    std::vector<int> coming;
    std::size_t n_now = 0;
    for (Pe from = 0; from < n; ++from)
      for (int const element : before[static_cast<std::size_t>(from)]) {
        if (destination(seed, round, from, element, n) != to) continue;
        ++n_now;
        if (from != to) coming.push_back(element);
      }
    for (auto& element : its)
      if (destination(seed, round, to, element, n) != to) element = -1;
    std::size_t next    = 0;
    auto const put_free = [&](int element) {
      while (next < its.size() && its[next] >= 0) ++next;
      if (next == its.size()) its.push_back(-1);
      its[next] = element;
    };
    for (int const element : coming) put_free(element);
    for (auto k = n_now; k < its.size(); ++k)
      if (its[k] >= 0) put_free(std::exchange(its[k], -1));
    its.resize(n_now);
  }
  return after;
}

template <class View>
std::size_t n_wrong(View const& view, std::vector<int> const& elements) {
  auto const first = Kokkos::subview(
      Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), view),
      std::pair<std::size_t, std::size_t>(0, elements.size()));
  std::size_t wrong = 0;
  for (std::size_t k = 0; k < elements.size(); ++k)
    wrong += first(k) != static_cast<typename View::value_type>(elements[k]);
  return wrong;
}

TEST(Migration, elements_come_to_their_new_owners_with_all_their_values) {
  int const me = symm::my_pe(), n = symm::n_pes();
  auto const here = static_cast<std::size_t>(me);
  auto pauses     = random_of_this_pe(4);
  for (unsigned seed = 0; seed < 10; ++seed) {
    // At last a PE has several parts that it packs and unpacks one by one.
    auto const most = seed == 9 ? 4000U : 400U;
    Elements elements(static_cast<std::size_t>(n));
    int next = 0;
    for (std::size_t pe = 0; pe < elements.size(); ++pe)
      for (std::size_t k = 0; k < (pe * 211 + seed * 397) % most; ++k)
        elements[pe].push_back(next++);
    auto const count = elements[here].size();
    Kokkos::View<int*, Memory> id("id", count);
    // Its stride depends on how long it is.
    Kokkos::View<double* [3], Kokkos::LayoutLeft, Memory> x("x", count);
    // As long on all PEs.
    Kokkos::View<short*, symm::SymmetricSpace> s("s", most);
    fill(id, [&](auto k, auto) { return elements[here][k]; });
    fill(x, [&](auto k, auto c) {
      return elements[here][k] * 4 + static_cast<int>(c);
    });
    fill(s, [&](auto k, auto) { return k < count ? elements[here][k] : -1; });
    symm::Migration migration;
    for (int round = 0; round < 8; ++round) {
      std::vector<int> dest;
      for (int const element : elements[here])
        dest.push_back(destination(seed, round, me, element, n));
      elements = moved(elements, seed, round);
      random_pause(pauses);
      auto const n_now = migration.migrate(Exec(), ints(dest), id, x, s);
      ASSERT_EQ(n_now, elements[here].size());
      EXPECT_EQ(n_wrong(id, elements[here]), 0U) << seed << " " << round;
      EXPECT_EQ(n_wrong(s, elements[here]), 0U) << seed << " " << round;
      for (std::size_t c = 0; c < 3; ++c) {
        auto numbers = elements[here];
        for (auto& number : numbers) number = number * 4 + static_cast<int>(c);
        Kokkos::View<double*, Memory> const copy("copy", x.extent(0));
        Kokkos::deep_copy(copy, Kokkos::subview(x, Kokkos::ALL, c));
        EXPECT_EQ(n_wrong(copy, numbers), 0U) << seed << " " << round;
      }
    }
  }
  symm::barrier_all();
}

/// Whether element k of the PE with `before` is where `tracked` says.
std::size_t n_wrong_places(symm::TrackedMigration const& tracked,
                           std::vector<int> const& before,
                           Elements const& after) {
  auto const host = [](auto const& list) {
    return Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), list);
  };
  auto const pes = host(tracked.pes()), indices = host(tracked.indices());
  if (pes.extent(0) != before.size() || indices.extent(0) != before.size())
    return before.size() + 1;
  std::size_t wrong = 0;
  for (std::size_t k = 0; k < before.size(); ++k) {
    if (pes(k) == symm::no_pe) {
      for (auto const& its : after)
        wrong += std::count(its.begin(), its.end(), before[k]) != 0 ? 1U : 0U;
      continue;
    }
    auto const& its  = after[static_cast<std::size_t>(pes(k))];
    auto const index = static_cast<std::size_t>(indices(k));
    wrong += index < its.size() && its[index] == before[k] ? 0U : 1U;
  }
  return wrong;
}

TEST(TrackedMigration, says_where_each_element_is) {
  int const me = symm::my_pe(), n = symm::n_pes();
  auto const here = static_cast<std::size_t>(me);
  auto pauses     = random_of_this_pe(5);
  for (unsigned seed = 0; seed < 7; ++seed) {
    Elements elements(static_cast<std::size_t>(n));
    int next = 0;
    for (std::size_t pe = 0; pe < elements.size(); ++pe)
      for (std::size_t k = 0; k < (pe * 211 + seed * 397) % 300; ++k)
        elements[pe].push_back(next++);
    Kokkos::View<int*, Memory> id("id", elements[here].size());
    fill(id, [&](auto k, auto) { return elements[here][k]; });
    symm::TrackedMigration migration;
    for (int round = 0; round < 6; ++round) {
      std::vector<int> dest;
      for (int const element : elements[here])
        dest.push_back(destination(seed, round, me, element, n));
      auto const before = elements[here];
      elements          = moved(elements, seed, round);
      random_pause(pauses);
      ASSERT_EQ(migration.migrate(Exec(), ints(dest), id),
                elements[here].size());
      random_pause(pauses);
      migration.follow(Exec());
      EXPECT_EQ(n_wrong(id, elements[here]), 0U) << seed << " " << round;
      EXPECT_EQ(n_wrong_places(migration, before, elements), 0U)
          << seed << " " << round;
    }
  }
  symm::barrier_all();
}

TEST(TrackedMigration, what_cannot_move_leaves_no_places) {
  int const me = symm::my_pe(), n = symm::n_pes();
  symm::TrackedMigration migration;
  Kokkos::View<int*, Memory> x("x", 2);
  EXPECT_EQ(migration.migrate(Exec(), ints({me, symm::no_pe}), x), 1U);
  EXPECT_EQ(migration.pes().extent(0), 0U);
  migration.follow(Exec());
  EXPECT_EQ(migration.pes().extent(0), 2U);
  EXPECT_THAT(message_of<UsageError>([&] {
                migration.migrate(Exec(), ints({me == n - 1 ? n : 0}), x);
              }),
              HasSubstr("invalid PE " + std::to_string(n)));
  EXPECT_EQ(migration.pes().extent(0), 0U);
  EXPECT_EQ(migration.migrate(Exec(), ints({me}), x), 1U);
  migration.follow(Exec());
  EXPECT_EQ(migration.pes().extent(0), 1U);
  symm::barrier_all();
}

TEST(Migration, elements_are_dropped_where_all_of_them_are) {
  int const me = symm::my_pe();
  symm::Migration migration;
  Kokkos::View<int*, Memory> x("x", 3);
  fill(x, [&](auto k, auto) { return number_of(me, k, 0, 0); });
  using symm::no_pe;
  EXPECT_EQ(migration.migrate(Exec(), ints({me, no_pe, me}), x), 2U);
  fill(x, [&](auto k, auto) { return number_of(me, k, 0, 0); });
  EXPECT_EQ(migration.migrate(Exec(), ints({no_pe, no_pe, no_pe}), x), 0U);
  EXPECT_EQ(migration.migrate(Exec(), ints({}), x), 0U);
}

TEST(Migration, what_cannot_move_is_an_error_on_all_PEs_and_nothing_moves) {
  int const me = symm::my_pe(), n = symm::n_pes();
  symm::Migration migration;
  Kokkos::View<int*, Memory> x("x", 4), shorter("shorter", 3);
  fill(x, [&](auto k, auto) { return number_of(me, k, 0, 0); });
  auto const text = [&](std::vector<int> dest, auto& view) {
    if (me != n - 1) dest = {me};
    return message_of<UsageError>(
        [&] { migration.migrate(Exec(), ints(dest), view); });
  };
  auto const last = std::to_string(n - 1);
  EXPECT_THAT(text({0, 0, n}, x),
              AllOf(HasSubstr("symm::Migration::migrate failed: on PE " + last +
                              ": element 2: invalid PE " + std::to_string(n))));
  EXPECT_THAT(text({0, -3}, x), HasSubstr("element 1: invalid PE -3"));
  EXPECT_THAT(text({0, 0, 0, 0}, shorter),
              HasSubstr("\"shorter\" has 3 elements, but there are 4 PEs"));
  if (n > 1) {
    Kokkos::View<double*, Memory> y("y", 4);
    EXPECT_THAT(message_of<UsageError>([&] {
                  if (me == 0) {
                    migration.migrate(Exec(), ints({n - 1}), y);
                  } else {
                    migration.migrate(Exec(), ints({n - 1}), x);
                  }
                }),
                HasSubstr("elements of PE"));
  }
  EXPECT_EQ(
      count_wrong(x, [&](auto k, auto) { return number_of(me, k, 0, 0); }), 0U);
  EXPECT_EQ(migration.migrate(Exec(), ints({me, me, me, me}), x), 4U);
  symm::barrier_all();
}

}  // namespace
