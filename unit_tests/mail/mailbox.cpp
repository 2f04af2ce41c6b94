// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

// Mailboxes: what all PEs send is a function of sender and number, so that each
// PE knows what it must get.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <random>
#include <span>
#include <stdexcept>
#include <string>
#include <thread>
#include <tuple>
#include <utility>
#include <vector>

#include <Kokkos_SymmetricContainers.hpp>
#include <support/pes.hpp>

namespace {

using symm::Mailbox;
using symm::MailboxOptions;
using symm::MailRouting;
using symm::OutOfMemory;
using symm::Pe;
using symm::UsageError;
using testing::AllOf;
using testing::HasSubstr;

/// The sum over all PEs.
std::uint64_t sum(std::uint64_t mine) {
  return symm::reduce(symm::team_world(), mine, symm::Sum{});
}

/// The text of the error that f() throws, once: a matcher may call it twice.
template <class Error, class F>
std::string error_of(F const& f) {
  try {
    f();
  } catch (Error const& error) {
    return error.what();
  }
  return "no error";
}

struct Message {
  std::uint64_t content;
  Pe from;
  int number;
};

enum class To { anyone, one, neighbors, few };

/// What a PE sends in a round.
std::vector<std::pair<Pe, Message>> messages_of(Pe from, int round, To to) {
  std::mt19937_64 random(static_cast<unsigned>(from * 131 + round));
  auto const n_pes = static_cast<unsigned>(symm::n_pes());
  auto const n     = from % 3 == 2 && round % 2 == 0 ? 0 : random() % 1200;
  std::vector<std::pair<Pe, Message>> result;
  for (int k = 0; k < static_cast<int>(n); ++k) {
    auto pe = static_cast<Pe>(random() % n_pes);
    if (to == To::one)
      pe = static_cast<Pe>(static_cast<unsigned>(round) % n_pes);
    if (to == To::neighbors) pe = (from + 1) % symm::n_pes();
    if (to == To::few && random() % 50 != 0) pe = 0;
    result.push_back({pe, {random(), from, k}});
  }
  return result;
}

class MailboxOf
    : public testing::TestWithParam<std::tuple<std::size_t, MailRouting>> {
 protected:
  [[nodiscard]] static MailboxOptions options() {
    return {.block_bytes = std::get<0>(GetParam()),
            .routing     = std::get<1>(GetParam())};
  }
};

INSTANTIATE_TEST_SUITE_P(
    Blocks, MailboxOf,
    testing::Combine(testing::Values(0, 64, 1024),
                     testing::Values(MailRouting::direct,
                                     MailRouting::by_nodes)),
    [](auto const& info) {
      return std::to_string(std::get<0>(info.param)) + "_bytes_" +
             (std::get<1>(info.param) == MailRouting::direct ? "direct"
                                                             : "by_nodes");
    });

TEST_P(MailboxOf, each_message_is_handled_once_on_its_PE) {
  std::vector<Message> received;
  Mailbox<Message> mailbox(
      "messages", [&](Message const& message) { received.push_back(message); },
      options());
  for (int round = 0; round < 8; ++round) {
    auto const to = static_cast<To>(round % 4);
    for (auto const& [pe, message] : messages_of(symm::my_pe(), round, to))
      mailbox.send(pe, message);
    auto const n = mailbox.finish();
    std::vector<Message> expected;
    for (Pe from = 0; from < symm::n_pes(); ++from)
      for (auto const& [pe, message] : messages_of(from, round, to))
        if (pe == symm::my_pe()) expected.push_back(message);
    EXPECT_EQ(n, expected.size());
    auto const order = [](Message const& a, Message const& b) {
      return std::tie(a.from, a.number) < std::tie(b.from, b.number);
    };
    std::sort(received.begin(), received.end(), order);
    EXPECT_TRUE(std::equal(received.begin(), received.end(), expected.begin(),
                           expected.end(), [](auto const& a, auto const& b) {
                             return std::tie(a.content, a.from, a.number) ==
                                    std::tie(b.content, b.from, b.number);
                           }));
    received.clear();
  }
}

TEST_P(MailboxOf, messages_that_handlers_send_are_handled_before_the_end) {
  // Each message begets two, over some generations.
  struct Ball {
    std::uint64_t random;
    int generation;
  };
  constexpr int last = 9;
  std::uint64_t n    = 0;
  std::uint64_t seen = 0;
  Mailbox<Ball>* its = nullptr;
  Mailbox<Ball> mailbox(
      "balls",
      [&](Ball const& ball) {
        ++n;
        seen += ball.random;
        if (ball.generation == last) return;
        for (std::uint64_t k = 1; k <= 2; ++k) {
          auto const random = ball.random * 6364136223846793005U + k;
          its->send(static_cast<Pe>((random >> 33U) %
                                    static_cast<unsigned>(symm::n_pes())),
                    {random, ball.generation + 1});
        }
      },
      options());
  its = &mailbox;
  for (std::uint64_t round = 0; round < 3; ++round) {
    n = seen = 0;
    if (symm::my_pe() == 0)
      for (std::uint64_t k = 0; k < 5; ++k)
        mailbox.send(symm::n_pes() - 1, {k + 100 * round, 0});
    mailbox.finish();
    std::uint64_t expected = 0;
    std::vector<std::uint64_t> balls{0, 1, 2, 3, 4};
    for (auto& ball : balls) ball += 100 * round;
    for (int generation = 0; generation <= last; ++generation) {
      std::vector<std::uint64_t> next;
      for (auto const ball : balls) {
        expected += ball;
        for (std::uint64_t k = 1; k <= 2; ++k)
          next.push_back(ball * 6364136223846793005U + k);
      }
      balls = next;
    }
    EXPECT_EQ(sum(n), 5 * ((2U << static_cast<unsigned>(last)) - 1));
    EXPECT_EQ(sum(seen), expected);
  }
}

TEST_P(MailboxOf, finish_does_not_handle_messages_of_the_next_phase) {
  int phase   = 0;
  int n_wrong = 0;
  Mailbox<int> mailbox(
      "phases", [&](int const& its) { n_wrong += its != phase; }, options());
  std::mt19937 random(static_cast<unsigned>(symm::my_pe()));
  for (phase = 0; phase < 30; ++phase) {
    if (random() % 8 == 0)
      std::this_thread::sleep_for(std::chrono::microseconds(500));
    for (int k = 0; k < 50; ++k)
      mailbox.send(
          static_cast<Pe>(random() % static_cast<unsigned>(symm::n_pes())),
          phase);
    mailbox.finish();
  }
  EXPECT_EQ(n_wrong, 0);
}

TEST_P(MailboxOf, what_a_handler_throws_is_thrown_on_all_PEs) {
  std::uint64_t n = 0;
  Mailbox<int> mailbox(
      "errors",
      [&](int const& bad) {
        if (bad == 1) throw std::runtime_error("I do not like ones");
        ++n;
      },
      options());
  Pe const who = symm::n_pes() - 1;
  for (int k = 0; k < 100; ++k) mailbox.send(k % symm::n_pes(), 0);
  if (symm::my_pe() == 0) mailbox.send(who, 1);
  EXPECT_THAT(error_of<symm::Error>([&] { mailbox.finish(); }),
              (AllOf(HasSubstr("I do not like ones"), HasSubstr("\"errors\""),
                     HasSubstr("PE " + std::to_string(who)))));
  n = 0;
  for (int k = 0; k < 100; ++k) mailbox.send(k % symm::n_pes(), 0);
  mailbox.finish();
  EXPECT_EQ(sum(n), 100U * static_cast<unsigned>(symm::n_pes()));
}

TEST_P(MailboxOf, handlers_that_send_too_much_end_with_an_error_on_all_PEs) {
  auto its          = options();
  its.waiting_bytes = 4096;
  Mailbox<int>* box = nullptr;
  std::uint64_t n   = 0;
  Mailbox<int> mailbox(
      "flood",
      [&](int const& generation) {
        ++n;
        for (int k = 0; generation == 0 && k < 10'000'000; ++k)
          box->send(k % symm::n_pes(), 1);
      },
      its);
  box = &mailbox;
  if (symm::my_pe() == 0) mailbox.send(symm::n_pes() / 2, 0);
  EXPECT_THAT(error_of<OutOfMemory>([&] { mailbox.finish(); }),
              (AllOf(HasSubstr("messages of handlers wait"),
                     HasSubstr("waiting_bytes"))));
  EXPECT_GT(sum(n), 256U);
  if (symm::my_pe() == 0) mailbox.send(0, 1);
  EXPECT_EQ(sum(mailbox.finish()), 1U);
}

// Over nodes, a small block may overtake a large one.
TEST(Mailbox, blocks_may_come_in_any_order) {
  std::uint64_t seen = 0;
  Mailbox<Message> mailbox(
      "large blocks", [&](Message const& message) { seen += message.content; },
      {.block_bytes = 512 << 10});
  std::uint64_t expected = 0;
  for (int phase = 0; phase < 12; ++phase) {
    for (int k = 0; k < 70'000 + phase; ++k) {
      auto const content = static_cast<std::uint64_t>(k + phase);
      mailbox.send((symm::my_pe() + 1) % symm::n_pes(),
                   {content, symm::my_pe(), k});
      expected += content;
    }
    mailbox.finish();
    EXPECT_EQ(seen, expected);  // all PEs send the same
  }
}

TEST(Mailbox, blocks_go_to_the_handler_that_takes_them) {
  std::uint64_t n = 0;
  Mailbox<int> mailbox("blocks",
                       [&](std::span<int const> block) { n += block.size(); });
  for (int k = 0; k < 1000; ++k)
    mailbox.send((symm::my_pe() + k) % symm::n_pes(), k);
  EXPECT_EQ(mailbox.finish(), n);
  EXPECT_EQ(sum(n), 1000U * static_cast<unsigned>(symm::n_pes()));
}

TEST(Mailbox, a_PE_that_computes_may_handle_messages_in_between) {
  std::uint64_t n = 0;
  Mailbox<int> mailbox("progress", [&](int const&) { ++n; });
  Pe const last = symm::n_pes() - 1;
  // More than the inbox has room for.
  constexpr int n_messages = 300'000;
  if (symm::my_pe() == 0)
    for (int k = 0; k < n_messages; ++k) mailbox.send(last, k);
  if (symm::my_pe() == last) {
    while (n < n_messages / 2 && symm::n_pes() > 1) mailbox.progress();
  }
  mailbox.finish();
  EXPECT_EQ(sum(n), static_cast<std::uint64_t>(n_messages));
}

TEST(Mailbox, PEs_in_different_mailboxes_do_not_wait_for_each_other) {
  std::uint64_t n = 0;
  Mailbox<int> first("first", [&](int const&) { ++n; }, {.block_bytes = 64});
  Mailbox<int> second("second", [&](int const&) { ++n; }, {.block_bytes = 64});
  // PE 0 sends what others have no room for, while they wait for it.
  constexpr int n_messages = 10'000;
  if (symm::my_pe() == 0)
    for (int k = 0; k < n_messages; ++k) second.send(k % symm::n_pes(), k);
  first.finish();
  second.finish();
  EXPECT_EQ(sum(n), static_cast<std::uint64_t>(n_messages));
}

TEST(Mailbox, answers_leave_while_questions_are_asked) {
  // There are more answers than may wait, and questions come faster. (Blocks
  // are small: PEs that are slow for a while get few more.)
  std::uint64_t n = 0;
  Mailbox<int> answers("answers", [&](int const&) { ++n; },
                       {.block_bytes = 64, .waiting_bytes = 40'000});
  Mailbox<Message> questions(
      "questions",
      [&](Message const& its) { answers.send(its.from, its.number); },
      {.block_bytes = 512});
  constexpr int n_messages = 20'000;
  for (int k = 0; k < n_messages; ++k)
    questions.send(k % symm::n_pes(), {0, symm::my_pe(), k});
  questions.finish();
  answers.finish();
  EXPECT_EQ(n, static_cast<std::uint64_t>(n_messages));
}

TEST(Mailbox, handlers_of_two_mailboxes_may_send_by_the_other_one) {
  std::uint64_t n     = 0;
  Mailbox<int>* other = nullptr;
  auto const hop      = [&](int left) {
    ++n;
    return (left * 7 + symm::my_pe() + 1) % symm::n_pes();
  };
  Mailbox<int> odd("odd",
                   [&](int const& left) {
                     auto const to = hop(left);
                     if (left > 0) other->send(to, left - 1);
                   },
                   {.block_bytes = 64});
  Mailbox<int> even("even",
                    [&](int const& left) {
                      auto const to = hop(left);
                      if (left > 0) odd.send(to, left - 1);
                    },
                    {.block_bytes = 64});
  other = &even;
  for (int k = 0; k < 400; ++k) even.send(k % symm::n_pes(), 10);
  // (The end of one mailbox knows nothing of messages in the other one.)
  for (int k = 0; k <= 10; ++k) {
    even.finish();
    odd.finish();
  }
  EXPECT_EQ(sum(n), 400U * 11U * static_cast<unsigned>(symm::n_pes()));
}

TEST(Mailbox, mailboxes_do_not_disturb_each_other) {
  std::uint64_t a = 0;
  std::uint64_t b = 0;
  Mailbox<std::uint64_t> answers("answers",
                                 [&](std::uint64_t const& x) { b += x; });
  Mailbox<Message> questions("questions", [&](Message const& message) {
    ++a;
    answers.send(message.from, message.content);
  });
  std::uint64_t expected = 0;
  for (int k = 0; k < 50'000; ++k) {
    auto const content = static_cast<std::uint64_t>(k * 7);
    questions.send((symm::my_pe() * 3 + k) % symm::n_pes(),
                   {content, symm::my_pe(), k});
    expected += content;
  }
  questions.finish();
  answers.finish();
  EXPECT_EQ(b, expected);
  EXPECT_EQ(sum(a), 50'000U * static_cast<unsigned>(symm::n_pes()));
}

TEST(Mailbox, a_thread_has_mailboxes_of_its_own) {
  std::uint64_t n = 0;
  std::thread other([&] {
    Mailbox<int> mailbox("of a thread", [&](int const&) { ++n; });
    for (int k = 0; k < 20'000; ++k) mailbox.send(k % symm::n_pes(), k);
    mailbox.finish();
  });
  Pe const right = (symm::my_pe() + 1) % symm::n_pes();
  other.join();
  EXPECT_EQ(sum(n), 20'000U * static_cast<unsigned>(symm::n_pes()));
  std::uint64_t m = 0;
  Mailbox<int> mailbox("of the first thread", [&](int const&) { ++m; });
  mailbox.send(right, 1);
  mailbox.finish();
  EXPECT_EQ(m, 1U);
}

TEST(Mailbox, a_handler_cannot_end_a_phase) {
  Mailbox<int>* its = nullptr;
  Mailbox<int> mailbox("phase", [&](int const&) {
    its->progress();  // does nothing
    its->finish();
  });
  its = &mailbox;
  if (symm::my_pe() == 0) mailbox.send(symm::n_pes() - 1, 1);
  EXPECT_THAT(error_of<UsageError>([&] { mailbox.finish(); }),
              HasSubstr("finish: must not be called in a handler"));
  EXPECT_EQ(mailbox.finish(), 0U);
}

TEST(Mailbox, what_cannot_be_sent_is_an_error) {
  Mailbox<int> mailbox("errors", [](int const&) {});
  EXPECT_THAT(
      error_of<UsageError>([&] { mailbox.send(symm::n_pes(), 1); }),
      (AllOf(HasSubstr("symm::Mailbox \"errors\"::send"),
             HasSubstr("invalid PE " + std::to_string(symm::n_pes())))));
  EXPECT_THAT(error_of<UsageError>([&] { mailbox.send(-1, 1); }),
              (HasSubstr("invalid PE -1")));
  EXPECT_EQ(mailbox.finish(), 0U);
  struct Large {
    char bytes[1000];
  };
  Mailbox<std::array<Large, 100>> large("large", [](auto const&) {});
  large.send(0, {});  // blocks are as large as a message, if it is larger
  large.finish();
  EXPECT_THAT(error_of<UsageError>([] {
                Mailbox<Large> const small("small", [](Large const&) {},
                                           {.block_bytes = 512});
              }),
              (HasSubstr("too small for a message")));
  if (symm::n_pes() == 1) return;
  EXPECT_THROW(Mailbox<int>("differ", [](int const&) {},
                            {.block_bytes = symm::my_pe() == 0 ? 512U : 1024U}),
               UsageError);
}

}  // namespace
