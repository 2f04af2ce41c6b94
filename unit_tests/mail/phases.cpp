// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

// Rounds of messages, PEs that wait elsewhere meanwhile, PEs that make calls in
// another order, and other threads: each message in its round, or an error.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <Kokkos_Core.hpp>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <random>
#include <span>
#include <stdexcept>
#include <string>
#include <thread>
#include <type_traits>
#include <utility>
#include <vector>

#include <Kokkos_SymmetricContainers.hpp>
#include <kokkos/view_helpers.hpp>
#include "support/pes.hpp"

namespace {

using symm::Mailbox;
using symm::Pe;
using symm::UsageError;
using symm_test::message_of;
using testing::AllOf;
using testing::HasSubstr;

/// So few bytes that inboxes are full after some messages.
constexpr symm::MailboxOptions small_blocks{.block_bytes = 64};

template <class T>
T sum(T mine) {
  return symm::reduce(symm::team_world(), mine, symm::Sum{});
}
using symm_test::right;

class MailPhases : public testing::Test {
 protected:
  /// Now and then a PE is late.
  void pause() { symm_test::random_pause(m_random); }

 private:
  std::mt19937 m_random{static_cast<unsigned>(symm::my_pe())};
};

TEST_F(MailPhases, a_map_has_what_was_asked_for_before_finish_and_no_more) {
  symm::DistributedHashMap<long, long, symm::Sum> map("map", 0, small_blocks);
  long const per_round = 300;
  int const n = symm::n_pes(), me = symm::my_pe();
  std::size_t expected = 0;
  int n_wrong          = 0;
  for (long round = 0; round < 40; ++round) {
    auto const first = round * n * per_round;
    for (long k = 0; k < per_round; ++k)
      map.insert(first + me * per_round + k, 1);
    pause();
    map.finish();
    for (long k = first; k < first + n * per_round; ++k)
      expected += map.pe_of(k) == me ? 1U : 0U;
    n_wrong += map.local_size() != expected ? 1 : 0;
    if (round % 4 == 1)
      n_wrong +=
          map.size() != static_cast<std::size_t>((round + 1) * n * per_round)
              ? 1
              : 0;
  }
  EXPECT_EQ(sum(n_wrong), 0);
}

TEST_F(MailPhases,
       questions_are_answered_in_the_round_in_which_they_are_asked) {
  struct Question {
    Pe from;
    int round;
  };
  struct Answer {
    int asked_in;
    int answered_in;
  };
  int round        = 0;
  long n_of_others = 0;
  long n_answers   = 0;
  Mailbox<Answer> answers(
      "answers",
      [&](Answer const& its) {
        ++n_answers;
        n_of_others += its.asked_in != its.answered_in || its.asked_in != round;
      },
      small_blocks);
  Mailbox<Question> questions(
      "questions",
      [&](Question const& its) {
        answers.send(its.from, {its.round, round});
      },
      small_blocks);
  for (round = 0; round < 40; ++round) {
    for (int k = 0; k < 500; ++k)
      questions.send(k % symm::n_pes(), {symm::my_pe(), round});
    pause();
    questions.finish();
    answers.finish();
  }
  EXPECT_EQ(sum(n_of_others), 0);
  EXPECT_EQ(n_answers, 40 * 500);
}

/// A call of all PEs, in which they wait for each other.
struct Meeting {
  char const* name;
  std::function<void()> meet;
  bool is_of_world;  // else PEs may leave before all have begun it
};

class MailBeside : public MailPhases {
 protected:
  std::vector<Meeting> meetings() {
    return {
        {"barrier_all", [] { symm::barrier_all(); }, true},
        {"sync_all", [] { symm::sync_all(); }, true},
        {"a reduction", [] { EXPECT_EQ(sum(1), symm::n_pes()); }, true},
        {"a View",
         [] {
           Kokkos::View<int*, symm::SymmetricHostSpace> const view("view", 10);
         },
         true},
        {"fcollect",
         [this] {
           symm::fcollect(symm::team_world(), m_all.data(), m_mine.data(), 1);
         },
         true},
        {"a signal",
         [this] {
           symm::signal_op(m_signal.data(), 1, symm::SignalOp::add, right());
           symm::signal_wait_until(m_signal.data(), symm::Compare::ge,
                                   ++m_n_signals);
         },
         false},
        {"a lock",
         [this] {
           symm::set_lock(m_lock.data());
           symm::clear_lock(m_lock.data());
         },
         false},
        // On a GPU a kernel waits, and the thread in Kokkos' fence for it,
        // where it handles no messages.
        {"an exchange on the host",
         [this] {
           if constexpr (std::is_same_v<ExchangeSpace,
                                        Kokkos::DefaultHostExecutionSpace>) {
             m_plan.gather(ExchangeSpace(), m_x);
           }
         },
         false},
        {"a work queue", [this] { m_queue.finish(); }, true},
        {"another mailbox", [this] { m_other.finish(); }, true},
    };
  }

 private:
  static symm::ExchangePlan plan_of_right() {
    Kokkos::View<int*, Kokkos::HostSpace> index("index", 1), pe("pe", 1);
    pe(0) = right();
    return symm::ExchangePlan::from_imports(1, index, pe);
  }

  using ExchangeSpace = symm::SymmetricSpace::execution_space;
  template <class T>
  using OnHost = Kokkos::View<T*, symm::SymmetricHostSpace>;
  OnHost<int> m_mine{"mine", 1};
  OnHost<int> m_all{"all", static_cast<std::size_t>(symm::n_pes())};
  OnHost<std::uint64_t> m_signal{"signal", 1};
  std::uint64_t m_n_signals = 0;
  OnHost<symm::Lock> m_lock{"lock", 1};
  symm::ExchangePlan m_plan = plan_of_right();
  Kokkos::View<double*, ExchangeSpace::memory_space> m_x{"x", 2};
  symm::WorkQueue<int> m_queue{"queue", [](int) {}};
  Mailbox<int> m_other{"other", [](int const&) {}};
};

// One PE sends more than there is room for, and then meets the others, which
// wait for it.
TEST_F(MailBeside, PEs_that_wait_in_the_library_handle_messages) {
  std::uint64_t n = 0;
  Mailbox<int> mailbox(
      "updates", [&](int const&) { ++n; }, small_blocks);
  constexpr int n_messages = 2000;
  for (auto const& its : meetings()) {
    SCOPED_TRACE(its.name);
    n = 0;
    if (symm::my_pe() == 0)
      for (int k = 0; k < n_messages; ++k) mailbox.send(k % symm::n_pes(), k);
    its.meet();
    mailbox.finish();
    EXPECT_EQ(sum(n), static_cast<std::uint64_t>(n_messages));
  }
}

TEST_F(MailBeside, calls_over_the_world_separate_messages) {
  int round    = 0;
  long n_early = 0;
  Mailbox<int> mailbox(
      "rounds", [&](int its_round) { n_early += its_round > round; },
      small_blocks);
  for (auto const& its : meetings()) {
    if (!its.is_of_world) continue;
    SCOPED_TRACE(its.name);
    for (int k = 0; k < 60; ++k) {
      // The last ones to leave the call have those of the first ones.
      for (int m = 0; m < 20; ++m) mailbox.send(m % symm::n_pes(), round);
      if (k % 7 == symm::my_pe() % 7) pause();
      its.meet();
      ++round;
    }
    mailbox.finish();
    ++round;
    EXPECT_EQ(sum(n_early), 0);
  }
}

TEST_F(MailPhases, tasks_of_a_queue_may_send_and_ask) {
  std::uint64_t n = 0;
  Mailbox<int> mailbox(
      "of tasks", [&](int const&) { ++n; }, small_blocks);
  symm::DistributedHashMap<int, int, symm::Sum> map("map", 0, small_blocks);
  symm::WorkQueue<int>* its = nullptr;
  symm::WorkQueue<int> queue("queue", [&](int depth) {
    for (int k = 0; k < 20; ++k) {
      mailbox.send((depth + k) % symm::n_pes(), k);
      map.insert(k, 1);
    }
    if (depth > 0) {
      its->push(depth - 1);
      its->push(depth - 1);
    }
  });
  its = &queue;
  for (int round = 0; round < 6; ++round) {
    if (symm::my_pe() == round % symm::n_pes()) queue.push(7);
    queue.finish();
    mailbox.finish();
    map.finish();
    auto const n_tasks = 255U * static_cast<unsigned>(round + 1);
    EXPECT_EQ(sum(n), 20U * n_tasks);
    std::optional<int> count;
    map.find(3, count);
    map.finish();
    EXPECT_EQ(count, static_cast<int>(n_tasks));
  }
}

TEST_F(MailPhases, handlers_may_push_tasks) {
  int n_done        = 0;
  Mailbox<int>* its = nullptr;
  // Each task has another PE push one.
  symm::WorkQueue<int> queue("queue", [&](int left) {
    ++n_done;
    if (left > 0) its->send(right(), left - 1);
  });
  Mailbox<int> mailbox("tasks", [&](int left) { queue.push(left); });
  its = &mailbox;
  if (symm::my_pe() == 0) queue.push(200);
  int n_rounds = 0;
  while (sum(n_done) < 201 && n_rounds++ < 1000) {
    queue.finish();
    mailbox.finish();  // messages that were late for the queue
  }
  EXPECT_EQ(sum(n_done), 201);
}

TEST_F(MailPhases, finish_of_different_mailboxes_is_an_error_on_all_PEs) {
  if (symm::n_pes() == 1) GTEST_SKIP();
  std::uint64_t n = 0;
  Mailbox<int> a("a", [&](int const&) { ++n; });
  Mailbox<int> b("b", [&](int const&) { ++n; });
  symm::DistributedHashMap<int, int> map("m");
  symm::WorkQueue<int> queue("q", [](int) {});
  a.send(right(), 1);
  b.send(right(), 1);
  bool const is_first = symm::my_pe() == 0;
  EXPECT_THAT(message_of<UsageError>([&] { (is_first ? a : b).finish(); }),
              AllOf(HasSubstr("PE 0 called symm::Mailbox \"a\"::finish()"),
                    HasSubstr("called symm::Mailbox \"b\"::finish()")));
  EXPECT_THAT(message_of<UsageError>([&] {
                if (is_first) {
                  map.finish();
                } else {
                  queue.finish();
                }
              }),
              AllOf(HasSubstr("symm::DistributedHashMap \"m\"::finish()"),
                    HasSubstr("symm::WorkQueue \"q\"::finish()")));
  EXPECT_THAT(message_of<UsageError>([&] {
                if (is_first) {
                  symm::barrier_all();
                } else {
                  a.finish();
                }
              }),
              HasSubstr("PE 0 called symm::barrier_all()"));
  // Nothing is lost.
  a.finish();
  b.finish();
  map.finish();
  queue.finish();
  EXPECT_EQ(n, 2U);
}

TEST_F(MailPhases, a_mailbox_of_another_thread_is_an_error) {
  std::uint64_t n = 0;
  Mailbox<int> mailbox("of the first thread", [&](int const&) { ++n; });
  auto const text_of = [&](auto const& call) {
    std::string text;
    std::thread([&] { text = message_of<UsageError>(call); }).join();
    return text;
  };
  auto const is_of_other =
      HasSubstr("must be called by the thread that created the mailbox");
  EXPECT_THAT(text_of([&] { mailbox.send(right(), 1); }),
              AllOf(is_of_other,
                    HasSubstr("symm::Mailbox \"of the first thread\"::send")));
  EXPECT_THAT(text_of([&] { mailbox.progress(); }), is_of_other);
  EXPECT_THAT(text_of([&] { (void)mailbox.sender(); }), is_of_other);
  // On all PEs.
  EXPECT_THAT(symm::my_pe() == symm::n_pes() - 1
                  ? text_of([&] { mailbox.finish(); })
                  : message_of<UsageError>([&] { mailbox.finish(); }),
              is_of_other);
  mailbox.send(right(), 1);
  mailbox.finish();
  EXPECT_EQ(n, 1U);
}

TEST_F(MailPhases, another_thread_may_destroy_a_mailbox) {
  std::uint64_t n = 0;
  for (int round = 0; round < 5; ++round) {
    auto mailbox = std::make_unique<Mailbox<int>>("destroyed elsewhere",
                                                  [&](int const&) { ++n; });
    Mailbox<int> next(
        "next", [&](int const&) { ++n; }, small_blocks);
    mailbox->send(right(), 1);
    mailbox->finish();
    std::thread other([&] { mailbox.reset(); });
    for (int k = 0; k < 200; ++k) next.send(right(), k);
    other.join();
    next.finish();
  }
  EXPECT_EQ(n, 5U * 201U);
  // Its thread has ended.
  std::unique_ptr<Mailbox<int>> left;
  std::thread([&] {
    left = std::make_unique<Mailbox<int>>("left over", [](int const&) {});
  }).join();
  EXPECT_THAT(
      message_of<UsageError>([&] { left->send(right(), 1); }),
      HasSubstr("must be called by the thread that created the mailbox"));
  symm::barrier_all();
  left.reset();
}

TEST_F(MailPhases, a_handler_may_destroy_another_mailbox) {
  std::uint64_t n = 0;
  std::vector<std::unique_ptr<Mailbox<int>>> others;
  Mailbox<int> mailbox("destroys others", [&](int const&) {
    ++n;
    if (!others.empty()) others.erase(others.begin());
  });
  for (int k = 0; k < 4; ++k) {
    others.push_back(
        std::make_unique<Mailbox<int>>("other", [](int const&) {}));
  }
  for (int k = 0; k < 6; ++k) mailbox.send(right(), k);
  mailbox.finish();
  EXPECT_EQ(n, 6U);
  EXPECT_TRUE(others.empty());
}

TEST_F(MailPhases, messages_after_one_that_throws_are_handled) {
  std::uint64_t n = 0;
  Mailbox<int> mailbox("throws", [&](int k) {
    if (k % 10 == 3) throw std::runtime_error("three");
    ++n;
  });
  for (int k = 0; k < 100; ++k) mailbox.send(right(), k);
  EXPECT_THAT(message_of<symm::Error>([&] { mailbox.finish(); }),
              HasSubstr("a handler failed: three"));
  EXPECT_EQ(n, 90U);
  mailbox.finish();
}

TEST_F(MailPhases, handlers_and_tasks_may_be_of_any_type) {
  int n = 0;
  Mailbox<int> mailbox(
      "can only be moved",
      [&n, one = std::make_unique<int>(1)](int const&) { n += *one; });
  mailbox.send(right(), 1);
  mailbox.finish();
  EXPECT_EQ(n, 1);
  symm::WorkQueue<bool> queue(
      "of bool", [&n, one = std::make_unique<int>(1)](bool is_one) {
        n += is_one ? *one : 100;
      });
  queue.push(true);
  queue.push(false);
  queue.finish();
  EXPECT_EQ(sum(n), 102 * symm::n_pes());
}

TEST_F(MailPhases, sizes_that_do_not_fit_are_an_error_on_all_PEs) {
  EXPECT_THAT(message_of<symm::OutOfMemory>([] {
                Mailbox<int> const mailbox(
                    "large", [](int const&) {},
                    {.block_bytes = std::size_t{1} << 62U});
              }),
              HasSubstr("would exceed the address space"));
  symm::DistributedHashMap<int, int> map("map");
  Kokkos::View<int*, Kokkos::HostSpace> keys("keys", 100),
      values("values", 100);
  auto const few =
      Kokkos::subview(values, std::pair(0, symm::my_pe() == 0 ? 10 : 100));
  Kokkos::View<bool*, Kokkos::HostSpace> found("found", 100);
  for (int k = 0; k < 100; ++k) keys(k) = k;
  EXPECT_THAT(message_of<UsageError>([&] { map.insert_all_of(keys, few); }),
              AllOf(HasSubstr("on PE 0"), HasSubstr("100 keys, but View")));
  EXPECT_THAT(
      message_of<UsageError>([&] { map.find_all_of(keys, few, found); }),
      HasSubstr("100 keys, but View"));
  // Answers to what others have asked for come now.
  map.insert_all_of(keys, values);
  EXPECT_EQ(map.size(), 100U);
  map.find_all_of(keys, values, found);
  for (int k = 0; k < 100; ++k) EXPECT_TRUE(found(k)) << k;
}

}  // namespace
