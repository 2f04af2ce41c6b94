// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

// PE teams begin and end (OpenSHMEM 1.5, 9.4).

#include <algorithm>
#include <climits>
#include <random>
#include <type_traits>
#include <utility>

#include "team_helpers.hpp"

namespace {

using namespace symm_test;
using symm::Pe;
using symm::PeTeam;
using testing::AllOf;
using testing::HasSubstr;

static_assert(std::is_trivially_copyable_v<PeTeam>);

/// Those whose memory loads and stores reach.
Pes pes_of_node() {
  Pes pes;
  for (Pe pe = 0; pe < symm::n_pes(); ++pe) {
    if (symm::is_near(pe)) pes.push_back(pe);
  }
  return pes;
}

TEST(PeTeams, the_world_and_the_node_are_all_PEs) {
  Mail mail;
  expect_team(world(), sequence(0, symm::n_pes()), mail);
  EXPECT_EQ(world().my_pe(), symm::my_pe());
  expect_team(symm::team_node(), pes_of_node(), mail);
  EXPECT_NE(world().slot(), symm::team_node().slot());
  symm::barrier_all();
}

TEST(PeTeams, no_team_has_no_PEs_and_is_refused) {
  PeTeam none;
  EXPECT_FALSE(none.is_valid());
  EXPECT_EQ(none.n_pes(), 0);
  EXPECT_EQ(none.my_pe(), -1);
  auto const expect_refused = [](std::string const& name, auto const& call) {
    EXPECT_THAT(message_of<symm::UsageError>(call),
                AllOf(HasSubstr("symm::" + name + ": "),
                      HasSubstr("this PE is not in the team")));
  };
  expect_refused("barrier", [&] { symm::barrier(none); });
  expect_refused("barrier",
                 [&] { symm::barrier(Space::execution_space(), none); });
  expect_refused("sync", [&] { symm::sync(none); });
  expect_refused("team_destroy", [&] { symm::team_destroy(none); });
  expect_refused("team_split",
                 [&] { static_cast<void>(symm::team_split(none, 0, 0)); });
  expect_refused("team_split_strided", [&] {
    static_cast<void>(symm::team_split_strided(none, 0, 1, 1));
  });
  expect_refused("team_split_2d",
                 [&] { static_cast<void>(symm::team_split_2d(none, 1)); });
  EXPECT_EQ(symm::team_translate(none, 0, world()), -1);
  EXPECT_EQ(symm::team_translate(world(), 0, none), -1);
}

// Splits by color and key.

/// What a PE of the parent asks for.
struct Wish {
  int color;
  int key;
};

/// Splits `parent` so that its member i has wish(i), and checks this PE's team.
template <class WishOf>
PeTeam expect_split(PeTeam const& parent, WishOf const& wish_of, Mail& mail) {
  auto const mine = wish_of(parent.my_pe());
  auto team       = symm::team_split(parent, mine.color, mine.key);
  std::vector<std::pair<int, Pe>> in_order;
  for (Pe pe = 0; pe < parent.n_pes(); ++pe) {
    auto const its = wish_of(pe);
    if (mine.color < 0 || its.color != mine.color) continue;
    in_order.emplace_back(its.key, pe);
  }
  std::sort(in_order.begin(), in_order.end());
  Pes members;
  for (auto const& [key, pe] : in_order) {
    members.push_back(parent.world_pe(pe));
  }
  expect_team(team, members, mail);
  return team;
}

TEST(PeTeams, a_split_makes_a_team_of_each_color_in_the_order_of_keys) {
  Mail mail;
  for (Wish (*const wish_of)(Pe) : {
           +[](Pe) {
             return Wish{0, 0};
           },  // as the parent
           +[](Pe) {
             return Wish{INT_MAX, INT_MIN};
           },  // the same
           +[](Pe pe) {
             return Wish{7, -pe};
           },  // backwards
           +[](Pe pe) {
             return Wish{3, pe % 2 == 0 ? INT_MIN : INT_MAX};
           },
           +[](Pe pe) {
             return Wish{0, (pe * 3 + 1) % 5};
           },  // 3 0 2 1
           +[](Pe pe) {
             return Wish{pe % 2, 0};
           },
           +[](Pe pe) {
             return Wish{pe % 2 * 1000, -pe};
           },
           +[](Pe pe) {
             return Wish{pe, 0};
           },  // each alone
           +[](Pe pe) {
             return Wish{pe == 0 ? 0 : 1, pe};
           },
           +[](Pe pe) {
             return Wish{pe == 1 ? 0 : -1, 0};
           },
           +[](Pe pe) {
             return Wish{pe == 0 ? -5 : 2, -pe};
           },
           +[](Pe pe) {
             return Wish{pe % 2 - 1, pe};
           },
           +[](Pe) {
             return Wish{INT_MIN, 0};
           },  // nobody
       }) {
    auto team = expect_split(world(), wish_of, mail);
    EXPECT_EQ(mail.count_wrong(world()), 0);
    end(team);
  }
  symm::barrier_all();
}

TEST(PeTeams, a_split_of_a_split_counts_by_its_parent) {
  Mail mail;
  auto backwards = expect_split(
      world(),
      [](Pe pe) {
        return Wish{0, -pe};
      },
      mail);
  auto half = expect_split(
      backwards,
      [](Pe pe) {
        return Wish{pe % 2, pe};
      },
      mail);
  auto again = expect_split(
      half,
      [](Pe pe) {
        return Wish{0, -pe};
      },
      mail);
  auto alone = expect_split(
      again,
      [](Pe pe) {
        return Wish{pe == 0 ? 0 : -1, 0};
      },
      mail);
  Mail after;  // collective over the world, among all of them
  EXPECT_EQ(after.count_wrong(half), 0);
  end(half);  // not in the order of their beginnings
  EXPECT_EQ(mail.count_wrong(again), 0);
  end(backwards);
  EXPECT_EQ(mail.count_wrong(again), 0);
  end(alone);
  end(again);
  symm::barrier_all();
}

// Strided splits.

TEST(PeTeams, a_strided_split_has_the_PEs_that_it_names_or_is_refused_by_all) {
  Mail mail;
  auto parent = symm::team_split(world(), 0, -symm::my_pe());
  int const n = parent.n_pes();
  for (Pe first = -1; first <= n; ++first) {
    for (int stride = -n; stride <= n; ++stride) {
      for (int count = -1; count <= n + 1; ++count) {
        auto const text = std::to_string(first) + ", stride " +
                          std::to_string(stride) + ", count " +
                          std::to_string(count);
        Pe const last       = first + (count - 1) * stride;
        bool const is_there = 0 <= first && first < n && 0 <= last &&
                              last < n && count > 0 &&
                              (stride != 0 || count == 1);
        if (!is_there) {
          EXPECT_THAT(message_of<symm::UsageError>([&] {
                        static_cast<void>(symm::team_split_strided(
                            parent, first, stride, count));
                      }),
                      AllOf(HasSubstr("symm::team_split_strided of a team of " +
                                      std::to_string(n) +
                                      " PEs: first = " + std::to_string(first)),
                            HasSubstr("do not select PEs of this team")))
              << text;
          continue;
        }
        Pes members;
        bool is_in = false;
        for (int i = 0; i < count; ++i) {
          members.push_back(parent.world_pe(first + i * stride));
          is_in = is_in || members.back() == symm::my_pe();
        }
        auto team = symm::team_split_strided(parent, first, stride, count);
        SCOPED_TRACE(text);
        expect_team(team, is_in ? members : Pes{}, mail);
        end(team);
      }
    }
  }
  for (int const stride : {INT_MIN, INT_MAX}) {
    EXPECT_THAT(message_of<symm::UsageError>([&] {
                  static_cast<void>(
                      symm::team_split_strided(parent, 0, stride, INT_MAX));
                }),
                HasSubstr("do not select PEs"));
    auto team = symm::team_split_strided(parent, 0, stride, 1);
    expect_team(team, parent.my_pe() == 0 ? Pes{symm::my_pe()} : Pes{}, mail);
    end(team);
  }
  end(parent);
  symm::barrier_all();
}

TEST(PeTeams, a_2d_split_gives_the_row_and_the_column_of_a_PE) {
  Mail mail;
  auto const me = symm::my_pe();
  int const n   = symm::n_pes();
  for (int const x_range : {1, 2, 3, 4, 5, INT_MAX}) {
    auto [row, column] = symm::team_split_2d(world(), x_range);
    Pes in_row;
    Pes in_column;
    for (Pe pe = 0; pe < n; ++pe) {
      if (pe / x_range == me / x_range) in_row.push_back(pe);
      if (pe % x_range == me % x_range) in_column.push_back(pe);
    }
    expect_team(row, in_row, mail);
    expect_team(column, in_column, mail);
    EXPECT_EQ(mail.count_wrong(row), 0);
    end(row);
    EXPECT_EQ(mail.count_wrong(column), 0);
    end(column);
  }
  for (int const x_range : {0, -1, INT_MIN}) {
    EXPECT_THAT(message_of<symm::UsageError>([&] {
                  static_cast<void>(symm::team_split_2d(world(), x_range));
                }),
                HasSubstr("symm::team_split_2d of a team of " +
                          std::to_string(n) + " PEs: x_range = " +
                          std::to_string(x_range) + " must be at least 1"));
  }
  EXPECT_EQ(mail.count_wrong(world()), 0);
  symm::barrier_all();
}

TEST(PeTeams, numbers_are_translated_between_teams) {
  auto backwards = symm::team_split(world(), 0, -symm::my_pe());
  auto others    = symm::team_split(world(), symm::my_pe() == 0 ? -1 : 0, 0);
  int const n    = symm::n_pes();
  for (Pe pe = 0; pe < n; ++pe) {
    EXPECT_EQ(symm::team_translate(world(), pe, backwards), n - 1 - pe);
    EXPECT_EQ(symm::team_translate(backwards, pe, world()), n - 1 - pe);
    EXPECT_EQ(symm::team_translate(backwards, pe, backwards), pe);
    if (!others.is_valid()) continue;
    EXPECT_EQ(symm::team_translate(world(), pe, others), pe - 1);
    EXPECT_EQ(symm::team_translate(others, pe, backwards),
              pe < n - 1 ? n - 2 - pe : -1);
  }
  EXPECT_EQ(symm::team_translate(world(), -1, backwards), -1);
  EXPECT_EQ(symm::team_translate(world(), n, backwards), -1);
  end(backwards);
  end(others);
  symm::barrier_all();
}

// The end of teams, and their number.

TEST(PeTeams, a_team_that_is_destroyed_is_none_and_its_copies_are_refused) {
  auto team       = symm::team_split(world(), 0, 0);
  auto const copy = team;
  symm::team_destroy(team);
  EXPECT_FALSE(team.is_valid());
  EXPECT_EQ(team.n_pes(), 0);
  EXPECT_THAT(message_of<symm::UsageError>([&] { symm::barrier(copy); }),
              HasSubstr("symm::barrier: the team has been destroyed"));
  EXPECT_THAT(message_of<symm::UsageError>([&] {
                auto again = copy;
                symm::team_destroy(again);
              }),
              HasSubstr("the team has been destroyed"));
  symm::barrier_all();
}

TEST(PeTeams, a_copy_of_a_destroyed_team_is_refused_in_a_slot_of_another) {
  auto team        = symm::team_split(world(), 0, 0);
  auto const stale = team;
  symm::team_destroy(team);
  // On all PEs but the last, if there are others.
  bool const is_in = symm::my_pe() < std::max(1, symm::n_pes() - 1);
  auto another     = symm::team_split(world(), is_in ? 0 : -1, 0);
  EXPECT_EQ(another.slot(), is_in ? stale.slot() : -1) << "shows too little";
  EXPECT_THAT(message_of<symm::UsageError>([&] { symm::barrier(stale); }),
              HasSubstr("symm::barrier: the team has been destroyed"));
  Mail mail;
  if (is_in) {
    EXPECT_EQ(mail.count_wrong(another), 0);
  }
  end(another);
  symm::barrier_all();
}

TEST(PeTeams, the_world_and_the_node_are_not_destroyed) {
  Mail mail;
  for (auto team : {world(), symm::team_node()}) {
    EXPECT_THAT(
        message_of<symm::UsageError>([&] { symm::team_destroy(team); }),
        HasSubstr("symm::team_destroy: the world team and the node team must "
                  "not be destroyed"));
    bool const is_world = team.slot() == world().slot();
    expect_team(team, is_world ? sequence(0, symm::n_pes()) : pes_of_node(),
                mail);
  }
  symm::barrier_all();
}

TEST(PeTeams, thousands_of_teams_in_all_groupings_take_turns_in_the_slots) {
  Mail mail;
  std::mt19937 common(42);  // the same numbers on all PEs
  auto random = random_of_this_pe(43);
  std::vector<PeTeam> teams;
  auto const n = static_cast<unsigned>(symm::n_pes());
  for (int round = 0; round < rounds(1000); ++round) {
    std::vector<Wish> wishes;
    for (unsigned pe = 0; pe < n; ++pe) {
      wishes.push_back({static_cast<int>(common() % (n + 1)) - 1,
                        static_cast<int>(common() % 3)});
    }
    auto const which  = common() % 8;
    auto const parent = which < teams.size() ? teams[which] : world();
    if (common() % 4 == 0) random_pause(random);
    auto const wish_of = [&](Pe pe) {
      return wishes[static_cast<std::size_t>(pe)];
    };
    // Of every PE's own team, where it has one.
    teams.push_back(parent.is_valid() ? expect_split(parent, wish_of, mail)
                                      : PeTeam());
    if (teams.size() < 6) continue;
    auto const which_ends = common() % teams.size();
    end(teams[which_ends]);
    teams.erase(teams.begin() + static_cast<std::ptrdiff_t>(which_ends));
  }
  for (auto& team : teams) {
    if (team.is_valid()) {
      EXPECT_EQ(mail.count_wrong(team), 0);
    }
    end(team);
  }
  symm::barrier_all();
}

}  // namespace
