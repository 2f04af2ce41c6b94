// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

// PE teams that only their members make: team_split_members().

#include <algorithm>
#include <chrono>
#include <string>
#include <thread>
#include <vector>

#include "team_helpers.hpp"

namespace {

using namespace symm_test;
using symm::Pe;
using symm::PeTeam;
using testing::AllOf;
using testing::HasSubstr;

bool is_in(Pes const& pes) {
  return std::find(pes.begin(), pes.end(), symm::my_pe()) != pes.end();
}

/// Its members call; the list is of PEs of the world.
void expect_members(Pes const& members, Mail& mail) {
  auto team = symm::team_split_members(world(), members);
  expect_team(team, members, mail);
  end(team);
}

TEST(PeTeamsOfMembers, the_order_of_the_list_is_the_order_of_the_team) {
  Mail mail;
  auto const n = symm::n_pes();
  Pes pes      = sequence(0, n);
  expect_members(pes, mail);
  std::reverse(pes.begin(), pes.end());
  expect_members(pes, mail);
  for (Pe pe = 0; pe < n; ++pe) {
    std::rotate(pes.begin(), pes.begin() + 1, pes.end());
    expect_members(pes, mail);
  }
  expect_members({symm::my_pe()}, mail);
  symm::barrier_all();
}

TEST(PeTeamsOfMembers, other_PEs_do_not_call_and_may_be_in_any_call) {
  Mail mail;
  auto const n = symm::n_pes();
  for (Pe outsider = 0; outsider < n; ++outsider) {
    Pes members = sequence(0, n);
    std::erase(members, outsider);
    // The outsider waits in barriers of the parent and of the heap meanwhile.
    if (symm::my_pe() != outsider) {
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
      expect_members(members, mail);
    }
    symm::barrier(world());
    if (symm::my_pe() != outsider) expect_members(members, mail);
    symm::barrier_all();
  }
}

TEST(PeTeamsOfMembers, several_teams_begin_at_once_and_one_after_the_other) {
  Mail mail;
  auto const n = symm::n_pes();
  auto random  = random_of_this_pe(7);
  for (int round = 0; round < 30; ++round) {
    // Neighbors: each PE is in two of them, and never waits for a third PE.
    for (Pe first = 0; first + 1 < n; ++first) {
      Pes const pair{first + round % 2, first + 1 - round % 2};
      if (!is_in(pair)) continue;
      random_pause(random);
      expect_members(pair, mail);
    }
    // All even ones, all odd ones.
    Pes half;
    for (Pe pe = symm::my_pe() % 2; pe < n; pe += 2) half.push_back(pe);
    expect_members(half, mail);
  }
  EXPECT_EQ(mail.count_wrong(world()), 0);
  symm::barrier_all();
}

TEST(PeTeamsOfMembers, numbers_are_those_of_the_parent) {
  Mail mail;
  auto const n   = symm::n_pes();
  auto backwards = symm::team_split(world(), 0, -symm::my_pe());
  Pes const all  = sequence(0, n);
  Pes in_world   = all;
  std::reverse(in_world.begin(), in_world.end());
  auto team = symm::team_split_members(backwards, all);
  expect_team(team, in_world, mail);
  // A team of the team, while the others are in no call.
  if (team.my_pe() < std::min(2, n)) {
    auto two = symm::team_split_members(team, sequence(0, std::min(2, n)));
    expect_team(two, Pes(in_world.begin(), in_world.begin() + std::min(2, n)),
                mail);
    end(two);
  }
  // Ends as others do, with all members.
  end(backwards);
  EXPECT_EQ(mail.count_wrong(team), 0);
  end(team);
  symm::barrier_all();
}

TEST(PeTeamsOfMembers, a_PE_that_is_not_in_its_list_gets_none_at_once) {
  auto const n = symm::n_pes();
  EXPECT_FALSE(symm::team_split_members(world(), {}).is_valid());
  if (n > 1) {
    Pe const other[] = {right()};  // who does not call with that list
    EXPECT_FALSE(symm::team_split_members(world(), other).is_valid());
  }
  symm::barrier_all();
}

TEST(PeTeamsOfMembers, wrong_lists_are_refused_where_they_are_passed) {
  auto const n       = symm::n_pes();
  auto const me      = symm::my_pe();
  auto const text_of = [](PeTeam const& parent, Pes const& members) {
    return message_of<symm::UsageError>(
        [&] { static_cast<void>(symm::team_split_members(parent, members)); });
  };
  for (Pe const wrong : {-1, n, n + 1000}) {
    EXPECT_THAT(text_of(world(), {me, wrong}),
                AllOf(HasSubstr("symm::team_split_members of a team of " +
                                std::to_string(n) +
                                " PEs: members[1] = " + std::to_string(wrong)),
                      HasSubstr("is not a PE of this team or is a duplicate")));
  }
  EXPECT_THAT(text_of(world(), {me, me}), HasSubstr("members[1] = "));
  EXPECT_THAT(
      text_of(PeTeam(), {0}),
      HasSubstr("symm::team_split_members: this PE is not in the team"));
  symm::barrier_all();
}

TEST(PeTeamsOfMembers, lists_that_differ_are_refused_by_all_who_are_in_them) {
  auto const n = symm::n_pes();
  if (n == 1) GTEST_SKIP() << "needs two PEs";
  Mail mail;
  Pes const all = sequence(0, n);
  Pes other     = all;
  std::swap(other[0], other[1]);
  for (Pe who = 0; who < n; ++who) {
    auto const& mine = symm::my_pe() == who ? other : all;
    EXPECT_THAT(message_of<symm::UsageError>([&] {
                  static_cast<void>(symm::team_split_members(world(), mine));
                }),
                AllOf(HasSubstr("symm::team_split_members: the members have "
                                "made different calls or passed different "
                                "lists; the list on this PE has "),
                      HasSubstr(std::to_string(n) + " PEs")));
    expect_members(all, mail);
  }
  symm::barrier_all();
}

TEST(PeTeamsOfMembers, without_a_slot_on_one_member_all_fail_and_no_others) {
  auto const n = symm::n_pes();
  if (n == 1) GTEST_SKIP() << "needs two PEs";
  Mail mail;
  Pe const full   = n - 1;
  Pe const mine[] = {symm::my_pe()};
  std::vector<PeTeam> teams;
  if (symm::my_pe() == full) {
    for (int i = 0; i < n_free_teams; ++i)
      teams.push_back(symm::team_split_members(world(), mine));
  }
  Pes const two{full, 0};
  if (is_in(two)) {
    EXPECT_THAT(message_of<symm::OutOfMemory>([&] {
                  static_cast<void>(symm::team_split_members(world(), two));
                }),
                HasSubstr("already in 61 teams"));
  } else {
    expect_members({symm::my_pe()}, mail);
  }
  for (auto& team : teams) end(team);
  if (is_in(two)) expect_members(two, mail);
  symm::barrier_all();
}

}  // namespace
