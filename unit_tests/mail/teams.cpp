// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

// Mailboxes, maps and queues of PE teams: numbers are those in the team, calls
// are of the team alone, and a failure is one of its PEs only.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include <Kokkos_SymmetricContainers.hpp>
#include <kokkos/view_helpers.hpp>
#include <support/pes.hpp>

namespace {

using symm::Pe;
using symm::UsageError;
using symm_test::message_of;
using testing::AllOf;
using testing::HasSubstr;

/// Odd and even PEs, numbered from the last one on; the world's first PE has no
/// team if there are more than two.
class MailTeams : public testing::Test {
 protected:
  MailTeams()
      : m_team(symm::team_split(symm::team_world(),
                                n > 2 && me == 0 ? -1 : me % 2, n - me)) {}
  ~MailTeams() override {
    if (m_team.is_valid()) symm::team_destroy(m_team);
  }

  int const n = symm::n_pes(), me = symm::my_pe();
  symm::PeTeam m_team;
};

constexpr symm::MailboxOptions by_nodes{.block_bytes = 128,
                                        .routing = symm::MailRouting::by_nodes};
constexpr symm::MailboxOptions direct{.block_bytes = 128,
                                      .routing     = symm::MailRouting::direct};

TEST_F(MailTeams, messages_come_to_the_numbers_of_the_team) {
  struct Message {
    Pe from_in_world, to_in_team;
  };
  for (auto const& options : {direct, by_nodes}) {
    int n_come = 0, n_wrong = 0;
    symm::Mailbox<Message> mail(
        "mail of a team",
        [&](Message const& its) {
          ++n_come;
          n_wrong += its.to_in_team != m_team.my_pe() ||
                     its.from_in_world % 2 != me % 2;
        },
        options, m_team);
    if (!m_team.is_valid()) {
      EXPECT_THAT(message_of<UsageError>([&] { mail.send(0, {}); }),
                  HasSubstr("PE 0 is not in the PE team"));
      EXPECT_THAT(message_of<UsageError>([&] { mail.finish(); }),
                  HasSubstr("PE 0 is not in the PE team"));
      continue;
    }
    constexpr int per_pe = 50;
    // One team has more phases than the other one.
    for (int phase = 0; phase < 3 + me % 2 * 4; ++phase) {
      for (int k = 0; k < per_pe; ++k)
        for (Pe to = 0; to < m_team.n_pes(); ++to) mail.send(to, {me, to});
      EXPECT_EQ(mail.finish(),
                static_cast<std::uint64_t>(per_pe * m_team.n_pes()));
      EXPECT_EQ(n_come, per_pe * m_team.n_pes() * (phase + 1));
    }
    EXPECT_EQ(n_wrong, 0);
    EXPECT_THAT(message_of<UsageError>([&] { mail.send(m_team.n_pes(), {}); }),
                HasSubstr("invalid PE " + std::to_string(m_team.n_pes())));
  }
}

// (A PE that comes back from finish() sends, while others are still in it.)
TEST_F(MailTeams, a_message_comes_in_its_phase) {
  auto everyone = symm::team_split(symm::team_world(), 0, symm::n_pes() - me);
  int phase = 0, n_wrong = 0;
  symm::Mailbox<int> mail(
      "mail of a team", [&](int of) { n_wrong += of != phase; },
      {.block_bytes = 64}, everyone);
  auto random = symm_test::random_of_this_pe(1);
  for (; phase < 400; ++phase) {
    for (int k = 0; k < 40; ++k) mail.send((me + k) % n, phase);
    if (phase % 8 == 0) symm_test::random_pause(random);
    EXPECT_EQ(mail.finish(), 40U);
  }
  EXPECT_EQ(n_wrong, 0);
  symm::team_destroy(everyone);
}

TEST_F(MailTeams, finish_is_a_barrier_of_the_team) {
  symm::Mailbox<int> mail(
      "mail of a team", [](int) {}, direct, m_team);
  // (Smaller puts have left with the messages of the barrier.)
  constexpr std::size_t count = std::size_t{1} << 19;
  Kokkos::View<long*, symm::SymmetricHostSpace> const come("come", count);
  std::vector<long> sent(count);
  if (!m_team.is_valid()) return;
  int const n_in_team = m_team.n_pes(), me_in_team = m_team.my_pe();
  auto const next = m_team.world_pe((me_in_team + 1) % n_in_team);
  auto const last = m_team.world_pe((me_in_team + n_in_team - 1) % n_in_team);
  for (long round = 1; round < 6; ++round) {
    std::fill(sent.begin(), sent.end(), 100 * round + me);
    symm::put_nbi(come.data(), sent.data(), count, next);
    mail.finish();
    EXPECT_EQ(std::count(come.data(), come.data() + count, 100 * round + last),
              static_cast<std::ptrdiff_t>(count));
    mail.finish();
  }
}

TEST_F(MailTeams, a_handler_that_throws_fails_on_its_team) {
  symm::Mailbox<int> mail(
      "mail of a team",
      [&](int) {
        if (me == 1) throw std::runtime_error("no more");
      },
      direct, m_team);
  if (!m_team.is_valid()) return;
  mail.send(m_team.n_pes() - 1, 1);
  if (me % 2 == 1) {
    EXPECT_THAT(message_of<symm::SystemError>([&] { mail.finish(); }),
                AllOf(HasSubstr("mail of a team"), HasSubstr("PE 1: "),
                      HasSubstr("no more")));
  } else {
    EXPECT_EQ(mail.finish(), m_team.my_pe() == m_team.n_pes() - 1
                                 ? static_cast<std::size_t>(m_team.n_pes())
                                 : 0);
  }
  EXPECT_EQ(mail.finish(), 0U);
}

TEST_F(MailTeams, calls_that_differ_fail_on_the_team) {
  symm::Mailbox<int> a(
      "a", [](int) {}, direct, m_team);
  symm::Mailbox<int> b(
      "b", [](int) {}, direct, m_team);
  if (!m_team.is_valid() || m_team.n_pes() == 1) return;
  auto& mine = m_team.my_pe() == 0 ? a : b;
  EXPECT_THAT(message_of<UsageError>([&] { mine.finish(); }),
              HasSubstr("different calls"));
  a.send(0, 1);
  b.send(0, 1);
  EXPECT_EQ(
      a.finish() + b.finish(),
      m_team.my_pe() == 0 ? 2 * static_cast<std::size_t>(m_team.n_pes()) : 0);
}

TEST_F(MailTeams, a_map_of_a_team_has_the_keys_of_its_PEs) {
  symm::DistributedHashMap<int, int, symm::Sum> map("map", 0, by_nodes, m_team);
  if (!m_team.is_valid()) return;
  for (int key = 0; key < 300; ++key) map.insert(key, 1 + me % 2);
  map.finish();
  EXPECT_EQ(map.size(), 300U);
  std::optional<int> value;
  map.find(17, value);
  map.finish();
  EXPECT_EQ(value, (1 + me % 2) * m_team.n_pes());
  EXPECT_LT(map.pe_of(17), m_team.n_pes());
}

TEST_F(MailTeams, a_queue_of_a_team_does_its_tasks) {
  int n_done = 0;
  std::unique_ptr<symm::WorkQueue<int>> queue;
  queue = std::make_unique<symm::WorkQueue<int>>(
      "queue",
      [&](int depth) {
        ++n_done;
        for (int k = 0; k < (depth > 0 ? 3 : 0); ++k) queue->push(depth - 1);
      },
      symm::WorkQueueOptions{.shared_tasks = 4}, m_team);
  if (!m_team.is_valid()) {
    EXPECT_THAT(message_of<UsageError>([&] { queue->finish(); }),
                HasSubstr("is not in the PE team"));
    return;
  }
  if (m_team.my_pe() == 0) queue->push(6);
  queue->finish();
  EXPECT_EQ(symm::reduce(m_team, n_done, symm::Sum{}), 1093);
}

TEST_F(MailTeams, options_that_differ_fail_on_all_PEs) {
  if (n == 1) return;
  EXPECT_THROW((symm::Mailbox<int>(
                   "mail", [](int) {}, me == 0 ? direct : by_nodes, m_team)),
               UsageError);
}

TEST_F(MailTeams, teams_that_do_not_fit_fail_on_all_PEs) {
  if (n == 1) return;
  symm::PeTeam const team = me == n - 1 ? symm::team_world() : m_team;
  EXPECT_THROW((symm::Mailbox<int>(
                   "mail", [](int) {}, direct, team)),
               UsageError);
  EXPECT_THROW((symm::WorkQueue<int>(
                   "queue", [](int) {}, {}, team)),
               UsageError);
}

// (A PE that comes back from finish() inserts, while others are still in it.)
TEST_F(MailTeams, a_map_has_what_was_asked_for_before_finish_and_no_more) {
  symm::DistributedHashMap<long, long> map("map", 0, direct, m_team);
  if (!m_team.is_valid()) return;
  auto random       = symm_test::random_of_this_pe(1);
  long const per_pe = 60, n_mine = per_pe * m_team.n_pes();
  std::size_t expected = 0;
  int n_wrong          = 0;
  for (long round = 0; round < 200; ++round) {
    long const first = round * n_mine;
    for (long k = 0; k < per_pe; ++k)
      map.insert(first + m_team.my_pe() * per_pe + k, 1);
    if (round % 8 == 0) symm_test::random_pause(random);
    map.finish();
    for (long k = first; k < first + n_mine; ++k)
      expected += map.pe_of(k) == m_team.my_pe() ? 1U : 0U;
    n_wrong += map.local_size() != expected;
  }
  EXPECT_EQ(n_wrong, 0);
}

}  // namespace
