// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

// Migration over PE teams: what has no room, and who takes no part. (That
// elements come to the right PEs is in ../containers/rounds.cpp.)

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <Kokkos_Core.hpp>
#include <Kokkos_SymmetricContainers.hpp>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include <kokkos/view_helpers.hpp>
#include <support/pes.hpp>

#include "plans.hpp"

namespace {

using namespace symm_test;
using symm::Pe;
using symm::UsageError;
using testing::HasSubstr;

/// All PEs but the first, if there are more than one, from the last one on.
class ExchangeTeams : public testing::Test {
 protected:
  ExchangeTeams()
      : m_team(symm::team_split(symm::team_world(), n > 1 && me == 0 ? -1 : 0,
                                n - me)) {}
  ~ExchangeTeams() override {
    if (m_team.is_valid()) symm::team_destroy(m_team);
  }

  int const n = symm::n_pes(), me = symm::my_pe();
  symm::PeTeam m_team;
};

TEST_F(ExchangeTeams, migrate_has_the_room_that_was_reserved) {
  Exec const exec;
  symm::Migration migration(m_team);
  constexpr std::size_t count = 300;
  // All go to the team's last PE.
  Ints const dest("dest", count);
  Kokkos::deep_copy(dest, m_team.n_pes() - 1);
  Ints id("id", count);
  auto const call = [&] { return migration.migrate(exec, dest, id); };
  if (m_team.is_valid()) {
    EXPECT_THAT(message_of<UsageError>(call), HasSubstr("reserve()"));
  }
  migration.reserve(4);
  if (m_team.is_valid() && m_team.n_pes() > 1) {
    EXPECT_THAT(message_of<UsageError>(call), HasSubstr("no room for"));
    EXPECT_GE(id.extent(0), count);  // some Views may be longer
  }
  migration.reserve(count * sizeof(int) * static_cast<std::size_t>(n));
  if (!m_team.is_valid()) {
    EXPECT_THAT(message_of<UsageError>(call),
                HasSubstr("PE 0 is not in the PE team"));
    return;
  }
  bool const is_last = m_team.my_pe() == m_team.n_pes() - 1;
  EXPECT_EQ(call(),
            is_last ? count * static_cast<std::size_t>(m_team.n_pes()) : 0U);
}

TEST_F(ExchangeTeams, a_moved_migration_is_of_the_same_PEs) {
  Exec const exec;
  constexpr std::size_t count = 30;
  auto const bytes = count * sizeof(int) * static_cast<std::size_t>(n);
  symm::Migration from(m_team);
  from.reserve(bytes);
  symm::Migration to(std::move(from));
  // (It has no room now.)
  from.reserve(bytes);
  if (!m_team.is_valid()) return;
  Ints const dest("dest", count);
  Kokkos::deep_copy(dest, m_team.n_pes() - 1);
  bool const is_last = m_team.my_pe() == m_team.n_pes() - 1;
  for (auto* const its : {&from, &to}) {
    Ints id("id", count);
    EXPECT_EQ(its->migrate(exec, dest, id),
              is_last ? count * static_cast<std::size_t>(m_team.n_pes()) : 0U);
  }
}

TEST_F(ExchangeTeams, migrate_refuses_symmetric_Views_that_would_grow) {
  Exec const exec;
  symm::Migration migration(m_team);
  migration.reserve(10'000);
  constexpr std::size_t count = 20;
  Ints const dest("dest", count);
  Kokkos::deep_copy(dest, m_team.n_pes() - 1);
  Kokkos::View<int*, symm::SymmetricSpace> small("small", count);
  Kokkos::View<int*, symm::SymmetricSpace> large(
      "large", count * static_cast<std::size_t>(n));
  if (!m_team.is_valid() || m_team.n_pes() == 1) return;
  EXPECT_THAT(
      message_of<UsageError>([&] { migration.migrate(exec, dest, small); }),
      HasSubstr("symmetric Views cannot grow"));
  bool const is_last = m_team.my_pe() == m_team.n_pes() - 1;
  EXPECT_EQ(migration.migrate(exec, dest, large),
            is_last ? count * static_cast<std::size_t>(m_team.n_pes()) : 0U);
}

TEST_F(ExchangeTeams, sort_refuses_elements_of_a_PE_without_a_team) {
  Exec const exec;
  if (n == 1) return;
  Ints keys("keys", 3);
  EXPECT_THAT(message_of<UsageError>([&] {
                static_cast<void>(symm::sort(exec, m_team, 3, keys));
              }),
              HasSubstr("PE 0 has elements, but is not in a PE team"));
  EXPECT_EQ(symm::sort(exec, m_team, me == 0 ? 0 : 3, keys), me == 0 ? 0U : 3U);
}

TEST_F(ExchangeTeams, sort_fails_on_all_PEs_if_one_team_does) {
  Exec const exec;
  Ints keys("keys", 3);
  // One PE passes more than there are.
  int const count = me == n - 1 ? 4 : me == 0 && n > 1 ? 0 : 3;
  EXPECT_THROW(static_cast<void>(symm::sort(exec, m_team, count, keys)),
               UsageError);
}

TEST_F(ExchangeTeams, reserve_meets_a_migration_that_was_used) {
  symm::Migration used(m_team), fresh(m_team);
  used.reserve(100);
  // (Other PE teams may have another one.)
  (me % 2 == 0 ? used : fresh).reserve(200);
  (me % 2 == 0 ? fresh : used).reserve(300);
}

TEST_F(ExchangeTeams, plans_of_two_kinds_fail_on_all_PEs) {
  if (n == 1) return;
  auto const none = ints({});
  EXPECT_THROW(static_cast<void>(
                   me == 0 ? symm::ExchangePlan::from_exports(0, none, none)
                           : symm::ExchangePlan::from_imports(0, none, none)),
               UsageError);
}

}  // namespace
