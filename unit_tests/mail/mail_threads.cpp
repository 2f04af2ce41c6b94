// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

// Messages of several threads of a PE to one mailbox.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <Kokkos_SymmetricContainers.hpp>
#include <support/pes.hpp>

namespace {

using symm::Mailbox;
using symm::MailboxOptions;
using symm::MailRouting;
using symm::MailSender;
using symm::Pe;
using symm::UsageError;
using testing::AllOf;
using testing::HasSubstr;

using HostExec = Kokkos::DefaultHostExecutionSpace;

/// The k-th message of a thread, to PE k % n_pes.
struct Note {
  std::uint32_t number;
  std::int16_t from;
  std::int16_t thread;
};

/// Counts and adds up what comes, by sender and thread.
class Notes {
 public:
  explicit Notes(std::size_t n_threads)
      : m_n_threads(n_threads),
        m_counts(n_threads * static_cast<std::size_t>(symm::n_pes())),
        m_sums(m_counts.size()) {}

  void operator()(Note const& its) {
    auto const i = static_cast<std::size_t>(its.from) * m_n_threads +
                   static_cast<std::size_t>(its.thread);
    ++m_counts.at(i);
    m_sums.at(i) += its.number;
  }
  /// Whether each thread of each PE has sent numbers 0 to n - 1. Begins again.
  bool are_all_of(std::uint32_t n) {
    std::uint64_t count = 0;
    std::uint64_t sum   = 0;
    auto const me       = static_cast<std::uint32_t>(symm::my_pe());
    for (auto k = me; k < n; k += static_cast<std::uint32_t>(symm::n_pes())) {
      ++count;
      sum += k;
    }
    bool are_all = true;
    for (std::size_t i = 0; i < m_counts.size(); ++i) {
      are_all     = are_all && m_counts[i] == count && m_sums[i] == sum;
      m_counts[i] = m_sums[i] = 0;
    }
    return are_all;
  }

 private:
  std::size_t m_n_threads;
  std::vector<std::uint64_t> m_counts, m_sums;
};

void send_notes(MailSender<Note> const& sender, std::size_t thread,
                std::uint32_t n) {
  auto const n_pes = static_cast<std::uint32_t>(symm::n_pes());
  for (std::uint32_t k = 0; k < n; ++k) {
    sender.send(static_cast<Pe>(k % n_pes),
                {k, static_cast<std::int16_t>(symm::my_pe()),
                 static_cast<std::int16_t>(thread)});
  }
}

class MailOfThreads
    : public testing::TestWithParam<std::pair<std::size_t, MailRouting>> {
 protected:
  [[nodiscard]] static MailboxOptions options() {
    return {.block_bytes = GetParam().first, .routing = GetParam().second};
  }
};

INSTANTIATE_TEST_SUITE_P(
    Blocks, MailOfThreads,
    testing::Values(std::pair(std::size_t{0}, MailRouting::direct),
                    std::pair(std::size_t{64}, MailRouting::direct),
                    std::pair(std::size_t{1024}, MailRouting::by_nodes)),
    [](auto const& info) {
      return std::to_string(info.param.first) + "_bytes_" +
             (info.param.second == MailRouting::direct ? "direct" : "by_nodes");
    });

TEST_P(MailOfThreads, threads_send_while_the_mailbox_makes_progress) {
  constexpr std::size_t n_threads = 3;
  Notes notes(n_threads);
  Mailbox<Note> mailbox(
      "threads", [&](Note const& its) { notes(its); }, options());
  auto const sender = mailbox.sender();
  for (std::uint32_t const n : {0U, 1U, 4'000U}) {
    std::atomic<std::size_t> n_running = n_threads;
    std::vector<std::thread> threads;
    for (std::size_t t = 0; t < n_threads; ++t) {
      threads.emplace_back([&, t] {
        send_notes(sender, t, n);
        --n_running;
      });
    }
    while (n_running > 0) mailbox.progress();
    for (auto& thread : threads) thread.join();
    mailbox.finish();
    EXPECT_TRUE(notes.are_all_of(n)) << n;
  }
}

TEST_P(MailOfThreads, threads_wait_for_nobody) {
  // More than inboxes have room for, and nobody makes progress.
  constexpr std::size_t n_threads = 2;
  std::uint32_t const n           = GetParam().first == 64 ? 5'000 : 50'000;
  Notes notes(n_threads + 1);
  Mailbox<Note> mailbox(
      "threads", [&](Note const& its) { notes(its); }, options());
  std::vector<std::thread> threads;
  for (std::size_t t = 1; t <= n_threads; ++t)
    threads.emplace_back(
        [sender = mailbox.sender(), t, n] { send_notes(sender, t, n); });
  for (auto& thread : threads) thread.join();
  send_notes(mailbox.sender(), 0, n);  // this thread may, too
  mailbox.finish();
  EXPECT_TRUE(notes.are_all_of(n));
}

struct SendInKernel {
  MailSender<Note> sender;
  Pe me;
  int n_pes;
  void operator()(int k) const {
    sender.send(k % n_pes, {static_cast<std::uint32_t>(k),
                            static_cast<std::int16_t>(me), 0});
  }
};

TEST_P(MailOfThreads, kernels_of_the_host_send) {
  Notes notes(1);
  Mailbox<Note> mailbox(
      "kernels", [&](Note const& its) { notes(its); }, options());
  for (int const n : {3, 20'000, 1'000}) {
    Kokkos::parallel_for(
        "send", Kokkos::RangePolicy<HostExec>(0, n),
        SendInKernel{mailbox.sender(), symm::my_pe(), symm::n_pes()});
    HostExec().fence();
    mailbox.finish();
    EXPECT_TRUE(notes.are_all_of(static_cast<std::uint32_t>(n))) << n;
  }
}

struct SendOn {
  MailSender<int> sender;
  int generation;
  int n_pes;
  void operator()(int k) const { sender.send(k % n_pes, generation + 1); }
};

TEST(MailThreads, handlers_may_run_kernels_that_send) {
  Mailbox<int>* its = nullptr;
  std::uint64_t n   = 0;
  Mailbox<int> mailbox("handlers", [&](int generation) {
    ++n;
    if (generation == 3) return;
    Kokkos::parallel_for("send", Kokkos::RangePolicy<HostExec>(0, 12),
                         SendOn{its->sender(), generation, symm::n_pes()});
    HostExec().fence();
  });
  its = &mailbox;
  mailbox.send(symm::my_pe(), 0);
  mailbox.finish();
  EXPECT_EQ(symm::reduce(symm::team_world(), n, symm::Sum{}),
            (1U + 12U + 144U + 1728U) * static_cast<unsigned>(symm::n_pes()));
}

TEST(MailThreads, a_thread_sends_to_several_mailboxes) {
  constexpr std::size_t n_boxes = 6;
  std::vector<std::uint64_t> sums(n_boxes);
  std::vector<std::unique_ptr<Mailbox<int>>> boxes;
  std::vector<MailSender<int>> senders;
  for (std::size_t b = 0; b < n_boxes; ++b) {
    boxes.push_back(std::make_unique<Mailbox<int>>(
        "box", [&sum = sums[b]](int x) { sum += static_cast<unsigned>(x); }));
    senders.push_back(boxes.back()->sender());
  }
  std::thread thread([&] {
    for (int k = 0; k < 3'000; ++k)
      senders[static_cast<std::size_t>(k) % n_boxes].send(k % symm::n_pes(), 1);
  });
  thread.join();
  for (auto const& box : boxes) box->finish();
  for (auto const sum : sums)
    EXPECT_EQ(symm::reduce(symm::team_world(), sum, symm::Sum{}),
              500U * static_cast<unsigned>(symm::n_pes()));
}

TEST(MailThreads, what_a_thread_cannot_send_is_an_error_of_all_PEs) {
  std::uint64_t n = 0;
  Mailbox<int> mailbox("errors", [&](int const&) { ++n; });
  auto const sender = mailbox.sender();
  Pe const who      = symm::n_pes() - 1;
  std::thread thread([&] {
    sender.send(0, 1);
    if (symm::my_pe() == who) sender.send(-7, 1);
    sender.send(0, 1);
  });
  thread.join();
  std::string error = "no error";
  try {
    mailbox.finish();
  } catch (UsageError const& caught) {
    error = caught.what();
  }
  EXPECT_THAT(error, (AllOf(HasSubstr("symm::Mailbox \"errors\""),
                            HasSubstr("PE " + std::to_string(who) + ": "),
                            HasSubstr("sender"), HasSubstr("invalid PE -7"))));
  EXPECT_EQ(n, symm::my_pe() == 0
                   ? 2 * static_cast<std::uint64_t>(symm::n_pes())
                   : 0U);
  sender.send(who, 1);
  mailbox.finish();  // has no error
}

}  // namespace
