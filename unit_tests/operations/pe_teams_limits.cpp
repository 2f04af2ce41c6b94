// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

// As many PE teams as there can be, and splits that PEs do not agree on.

#include <functional>

#include "team_helpers.hpp"

namespace {

using namespace symm_test;
using symm::Pe;
using symm::PeTeam;
using testing::AllOf;
using testing::HasSubstr;

void expect_out_of_memory(std::string const& name,
                          std::function<void()> const& call) {
  EXPECT_THAT(message_of<symm::OutOfMemory>(call),
              AllOf(HasSubstr("symm::" + name + ": "),
                    HasSubstr("already in 61 teams, the maximum")));
}

TEST(PeTeamLimits, there_are_61_besides_those_of_the_library_and_no_more) {
  Mail mail;
  auto const n = symm::n_pes();
  std::vector<PeTeam> teams;
  // Every other one backwards.
  auto const key_of = [](int i) { return i % 2 == 0 ? 0 : -symm::my_pe(); };
  for (int i = 0; i < n_free_teams; ++i) {
    teams.push_back(symm::team_split(world(), 0, key_of(i)));
  }
  auto const split = [&] {
    static_cast<void>(symm::team_split(world(), 0, 0));
  };
  auto const use = [&] {
    for (std::size_t i = 0; i < teams.size(); ++i) {
      EXPECT_EQ(mail.count_wrong(teams[i]), 0) << i;
      EXPECT_EQ(teams[i].world_pe(0), i % 2 == 0 ? 0 : n - 1) << i;
    }
    EXPECT_EQ(mail.count_wrong(world()), 0);
  };
  for (int round = 0; round < 3; ++round) {
    expect_out_of_memory("team_split", split);
    expect_out_of_memory("team_split_strided", [&] {
      static_cast<void>(symm::team_split_strided(teams[5], 0, 1, 1));
    });
    expect_out_of_memory("team_split_2d", [&] {
      static_cast<void>(symm::team_split_2d(world(), 2));
    });
    use();
    // Room for one, which a row takes and gives back.
    end(teams.back());
    expect_out_of_memory("team_split_2d", [&] {
      static_cast<void>(symm::team_split_2d(world(), 2));
    });
    teams.back() = symm::team_split(world(), 0, key_of(n_free_teams - 1));
  }
  use();
  for (auto& team : teams) end(team);
  auto [row, column] = symm::team_split_2d(world(), 2);
  EXPECT_EQ(mail.count_wrong(row) + mail.count_wrong(column), 0);
  end(row);
  end(column);
  symm::barrier_all();
}

// Over nodes, small blocks go along with the checks in the first teams only.
TEST(PeTeamLimits, collective_operations_are_right_in_all_of_them) {
  constexpr int count = 5;
  auto const n        = static_cast<std::size_t>(symm::n_pes());
  using Numbers       = Kokkos::View<long*, symm::SymmetricHostSpace>;
  Numbers const source("source", count);
  Numbers const all("all", count * n);
  Numbers const sums("sums", count);
  std::vector<PeTeam> teams;
  for (int i = 0; i < 12; ++i) teams.push_back(symm::team_split(world(), 0, 0));
  for (int i = 0; i < 12; ++i) {
    auto const number = [i](long pe, long k) { return i * 1000 + pe * 10 + k; };
    auto const& team  = teams[static_cast<std::size_t>(i)];
    for (int k = 0; k < count; ++k) source(k) = number(symm::my_pe(), k);
    symm::fcollect(team, all.data(), source.data(), count);
    symm::reduce(team, sums.data(), source.data(), count, symm::Sum{});
    for (int k = 0; k < count; ++k) {
      long sum = 0;
      for (Pe pe = 0; pe < symm::n_pes(); ++pe) {
        EXPECT_EQ(all(pe * count + k), number(pe, k)) << i;
        sum += number(pe, k);
      }
      EXPECT_EQ(sums(k), sum) << i;
    }
  }
  for (auto& team : teams) end(team);
  symm::barrier_all();
}

TEST(PeTeamLimits, teams_of_one_PE_take_no_room_from_the_others) {
  Mail mail;
  auto const me    = symm::my_pe();
  auto const alone = [&](Pe pe) {
    return symm::team_split(world(), me == pe ? 0 : -1, 0);
  };
  std::vector<PeTeam> teams;
  for (Pe pe = 0; pe < symm::n_pes(); ++pe) {
    for (int i = 0; i < n_free_teams; ++i) {
      teams.push_back(alone(pe));
      EXPECT_EQ(teams.back().is_valid(), me == pe);
    }
    expect_out_of_memory("team_split", [&] { static_cast<void>(alone(pe)); });
    // On all PEs, for a team of one of them.
    expect_out_of_memory("team_split", [&] {
      static_cast<void>(symm::team_split(world(), me, 0));
    });
    auto others = symm::team_split(world(), me > pe ? 3 : -1, 0);
    expect_team(others,
                me > pe ? sequence(pe + 1, symm::n_pes() - pe - 1) : Pes{},
                mail);
    end(others);
  }
  for (auto& team : teams) end(team);
  EXPECT_EQ(mail.count_wrong(world()), 0);
  symm::barrier_all();
}

// Calls that differ.

/// The last PE of `team` makes another call than the rest: refused by all,
/// after which the team works and has room for as many as before.
void expect_differ(PeTeam const& team, Mail& mail, std::string const& name,
                   std::function<void()> const& call,
                   std::string const& name_of_last,
                   std::function<void()> const& call_of_last) {
  bool const is_last = team.my_pe() == team.n_pes() - 1;
  EXPECT_THAT(message_of<symm::UsageError>(is_last ? call_of_last : call),
              AllOf(HasSubstr("symm::" + (is_last ? name_of_last : name)),
                    HasSubstr("team have made different calls")));
  EXPECT_EQ(mail.count_wrong(team), 0);
}

TEST(PeTeamLimits, a_barrier_a_split_and_an_end_are_different_calls_to_all) {
  if (symm::n_pes() == 1) GTEST_SKIP() << "needs two PEs";
  Mail mail;
  auto team          = symm::team_split(world(), 0, 0);
  auto const barrier = [&] { symm::barrier(team); };
  auto const split   = [&] { static_cast<void>(symm::team_split(team, 0, 0)); };
  auto const destroy = [&] { symm::team_destroy(team); };
  for (int round = 0; round < 3; ++round) {
    expect_differ(team, mail, "barrier", barrier, "team_split", split);
    expect_differ(team, mail, "team_split", split, "barrier", barrier);
    expect_differ(team, mail, "barrier", barrier, "team_destroy", destroy);
    expect_differ(team, mail, "team_destroy", destroy, "team_split", split);
  }
  destroy();
  EXPECT_FALSE(team.is_valid());
  symm::barrier_all();
}

TEST(PeTeamLimits, splits_that_differ_are_refused_by_all_and_change_nothing) {
  if (symm::n_pes() == 1) GTEST_SKIP() << "needs two PEs";
  Mail mail;
  auto backwards = symm::team_split(world(), 0, -symm::my_pe());
  auto const by = [&] { static_cast<void>(symm::team_split(backwards, 0, 0)); };
  auto const strided = [&](Pe first, int stride, int count) {
    return [&backwards, first, stride, count] {
      static_cast<void>(
          symm::team_split_strided(backwards, first, stride, count));
    };
  };
  auto const in_2d = [&](int x_range) {
    return [&backwards, x_range] {
      static_cast<void>(symm::team_split_2d(backwards, x_range));
    };
  };
  std::vector<PeTeam> teams;  // all but one of those that there can be
  for (int i = 0; i < n_free_teams - 2; ++i) {
    teams.push_back(symm::team_split(world(), 0, 0));
  }
  for (int round = 0; round < 30; ++round) {
    expect_differ(backwards, mail, "team_split", by, "team_split_strided",
                  strided(0, 0, 0));
    expect_differ(backwards, mail, "team_split_2d", in_2d(1), "team_split", by);
    expect_differ(backwards, mail, "team_split_2d", in_2d(1),
                  "team_split_strided", strided(1, 0, 0));
    expect_differ(backwards, mail, "team_split_2d", in_2d(1), "team_split_2d",
                  in_2d(2));
    expect_differ(backwards, mail, "team_split_strided", strided(0, 1, 1),
                  "team_split_strided", strided(1, 1, 1));
    expect_differ(backwards, mail, "team_split_strided", strided(0, 1, 1),
                  "team_split_strided", strided(0, 2, 1));
    expect_differ(backwards, mail, "team_split_strided", strided(0, 1, 1),
                  "team_split_strided", strided(0, 1, 2));
    // Wrong on one, and so different.
    expect_differ(backwards, mail, "team_split_strided", strided(0, 1, 1),
                  "team_split_strided", strided(0, 1, 1000));
  }
  EXPECT_THAT(message_of<symm::UsageError>(strided(symm::my_pe(), 7, 1)),
              HasSubstr("here (" + std::to_string(symm::my_pe()) + ", 7, 1)"));
  teams.push_back(symm::team_split(backwards, 0, 0));
  EXPECT_EQ(mail.count_wrong(teams.back()), 0);
  for (auto& team : teams) end(team);
  end(backwards);
  symm::barrier_all();
}

}  // namespace
