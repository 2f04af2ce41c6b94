// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
// Transport_Messages over a fake engine: in which order operations are seen at
// the target, and how many messages they take.
#include "order_test.hpp"

namespace {

using namespace symm_test;
using Order = FakeNetwork::Order;

TEST(TransportOrder, without_a_fence_a_later_put_may_be_seen_first) {
  FakeJob job(2, Order::random, 3);
  int n_early = 0;
  for (std::uint64_t round = 1; round <= 100; ++round) {
    job[0].channel().put(data, &round, 8);
    job[0].channel().put(flag, &round, 8);
    EXPECT_TRUE(flag_comes(job, round));
    if (job.target(1).at(data.offset()) != round) ++n_early;
    job[0].channel().quiet();
  }
  EXPECT_GT(n_early, 10);
}

TEST(TransportOrder, what_is_before_a_fence_is_there_before_what_is_behind_it) {
  constexpr std::array<std::size_t, 6> sizes{8,      513,    3001,
                                             65'536, 65'537, 1U << 20U};
  FakeJob job(2, Order::random, 5);
  expect_blocks_before_flags(job, sizes);
}

TEST(TransportOrder, a_large_put_behind_a_fence_waits_for_what_is_before) {
  FakeJob job(2, Order::random, 9);
  auto const block = block_of(1, 100'000);
  for (std::uint64_t round = 1; round <= 50; ++round) {
    for (std::size_t i = 0; i < 8; ++i) {
      job[0].channel().put({1, Segment::host_heap, 64 + 8 * i}, &round, 8);
    }
    job[0].channel().fence();
    job[0].channel().put(data, block.data(), block.size(), Completion::none);
    while (!holds(job.target(1).heap() + data.offset(), 1, block.size())) {
      ASSERT_TRUE(job.network.step());
    }
    for (std::size_t i = 0; i < 8; ++i) {
      EXPECT_EQ(job.target(1).at(64 + 8 * i), round);
    }
    job[0].channel().quiet();
    std::fill_n(job.target(1).heap() + data.offset(), block.size(),
                std::byte{});
  }
}

TEST(TransportOrder, chains_of_fences_keep_their_order) {
  FakeJob job(2, Order::random, 11);
  for (std::uint64_t round = 0; round < 20; ++round) {
    constexpr std::uint64_t n = 100;
    for (std::uint64_t i = 1; i <= n; ++i) {
      auto const value = round * n + i;
      job[0].channel().put(flag, &value, 8,
                           i % 3 == 0 ? Completion::none : Completion::local);
      job[0].channel().fence();
    }
    std::uint64_t last = round * n;
    while (job.network.step()) {
      auto const now = job.target(1).at(flag.offset());
      EXPECT_GE(now, last);
      last = now;
    }
    EXPECT_EQ(last, round * n + n);
  }
}

TEST(TransportOrder, quiet_has_completed_everything_on_all_pes) {
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    FakeJob job(3, Order::random, seed);
    auto const large         = block_of(seed, 70'000);
    std::uint64_t const word = seed + 1;
    std::vector<std::byte> got(70'000 + 128);
    for (Pe pe = 1; pe < 3; ++pe) {
      PeMemory const here{pe, Segment::host_heap, 128};
      job[0].channel().put({pe, Segment::host_heap, 100'000}, large.data(),
                           large.size(), Completion::none);
      job[0].channel().put(here, &word, 8, Completion::none);
      job[0].channel().put({pe, Segment::host_heap, 1024}, large.data(), 600,
                           Completion::none);
      job[0].channel().post_atomic({pe, Segment::host_heap, 256}, AtomicOp::add,
                                   WordType::u64, word);
    }
    job[0].channel().quiet();
    for (Pe pe = 1; pe < 3; ++pe) {
      EXPECT_TRUE(holds(job.target(pe).heap() + 100'000, seed, large.size()));
      EXPECT_EQ(job.target(pe).at(128), word);
      EXPECT_EQ(job.target(pe).at(256), word);
      EXPECT_TRUE(holds(job.target(pe).heap() + 1024, seed, 600));
    }
    job[0].channel().get(got.data() + 64, {1, Segment::host_heap, 100'000},
                         70'000, Completion::none);
    job[0].channel().quiet();
    EXPECT_TRUE(holds(got.data() + 64, seed, 70'000));
  }
}

// --- How many messages

/// Of payloads, and of messages that have not been delivered.
class WaitingMessages final : public FakeNetwork::Observer {
 public:
  void sent(Pe /*from*/, Pe /*to*/, std::span<std::byte const> /*header*/,
            std::size_t bytes, bool is_copied) override {
    m_most = std::max(m_most, ++m_n);
    if (is_copied) n_copied += bytes;
  }
  void delivered(Pe /*from*/, Pe /*to*/,
                 std::span<std::byte const> /*header*/) override {
    --m_n;
  }
  [[nodiscard]] std::size_t most() const { return m_most; }

  std::size_t n_copied = 0;  // bytes

 private:
  std::size_t m_n    = 0;
  std::size_t m_most = 0;
};

std::uint64_t messages_of(FakeJob& job, std::function<void()> const& body) {
  auto const before = job.network.n_sent();
  body();
  job.deliver_all();
  return job.network.n_sent() - before;
}

TEST(TransportMessageCounts, a_fence_sends_nothing_and_is_not_answered) {
  FakeJob job(2);
  std::uint64_t const word = 1;
  job[0].channel().put(data, &word, 8);
  job[0].channel().quiet();
  job.deliver_all();
  // The first put after a quiet() is expected to be the last one.
  EXPECT_EQ(messages_of(job,
                        [&] {
                          job[0].channel().put(data, &word, 8);
                          job[0].channel().fence();
                          job[0].channel().put(flag, &word, 8);
                        }),
            3U);
}

TEST(TransportMessageCounts, a_put_and_quiet_are_a_message_and_its_ack) {
  FakeJob job(2);
  std::uint64_t const word = 1;
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(messages_of(job,
                          [&] {
                            job[0].channel().put(data, &word, 8);
                            job[0].channel().quiet();
                          }),
              2U);
  }
}

TEST(TransportMessageCounts, many_puts_have_one_ack) {
  FakeJob job(2);
  std::uint64_t const word = 1;
  auto const many          = [&] {
    for (int i = 0; i < 1000; ++i) job[0].channel().put(data, &word, 8);
    job[0].channel().quiet();
  };
  static_cast<void>(messages_of(job, many));
  EXPECT_EQ(messages_of(job, many), 1001U);
}

TEST(TransportMessageCounts, a_large_put_is_acknowledged_before_the_next_asks) {
  FakeJob job(2);
  auto const large = block_of(1, 70'000);
  auto const put   = [&] {
    job[0].channel().put({1, Segment::host_heap, 100'000}, large.data(),
                           large.size());
    job[0].channel().fence();
  };
  static_cast<void>(messages_of(job, put));  // counts puts before a quiet()
  static_cast<void>(messages_of(job, put));
  // Otherwise, each put after a fence() asks and waits for the answer: a
  // message more, and a round trip.
  for (int i = 0; i < 3; ++i) EXPECT_EQ(messages_of(job, put), 2U);
}

TEST(TransportMessageCounts, an_answer_acknowledges) {
  FakeJob job(2);
  EXPECT_EQ(messages_of(job,
                        [&] {
                          static_cast<void>(job[0].channel().atomic(
                              flag, AtomicOp::add, WordType::u64, 1));
                          job[0].channel().quiet();
                        }),
            2U);
}

TEST(TransportOrder,
     operations_of_a_batch_are_carried_out_one_after_the_other) {
  FakeJob job(2);
  constexpr std::uint64_t n = 100;
  for (std::uint64_t i = 1; i <= n; ++i) {
    job[0].channel().put(flag, &i, 8, Completion::none);
    job[0].channel().post_atomic(flag, AtomicOp::add, WordType::u64, 1000);
  }
  job[0].channel().quiet();
  EXPECT_EQ(job[0].channel().atomic(flag, AtomicOp::fetch, WordType::u64, 0),
            n + 1000);
}

TEST(TransportOrder, gets_and_fetches_of_a_batch_see_what_is_before_them) {
  for (auto const order : {Order::as_sent, Order::random}) {
    FakeJob job(2, order, 7);
    constexpr std::size_t n = 5000;
    std::vector<std::uint64_t> got(n), was(n), swapped(n);
    std::vector<std::uint32_t> half(n, 7);
    PeMemory const word{1, Segment::host_heap, 512};
    for (std::size_t i = 0; i < n; ++i) {
      std::uint64_t const value = 10 * i;
      auto& it                  = job[0].channel();
      it.put(data, &value, 8, Completion::none);
      it.get(&got[i], data, 8, Completion::none);
      it.fetch_nbi(data, AtomicOp::add, WordType::u64, 3, 0, &was[i]);
      it.fetch_nbi(data, AtomicOp::compare_swap, WordType::u64, i, value + 3,
                   &swapped[i]);
      it.fetch_nbi(word, AtomicOp::add, WordType::u32, 1, 0, &half[i]);
      if (order == Order::random) it.fence();  // batches keep their order
    }
    job[0].channel().quiet();
    for (std::size_t i = 0; i < n; ++i) {
      EXPECT_EQ(got[i], 10 * i);
      EXPECT_EQ(was[i], 10 * i);
      EXPECT_EQ(swapped[i], 10 * i + 3);
      EXPECT_EQ(half[i], i);
    }
    EXPECT_EQ(job.target(1).at(data.offset()), n - 1);
  }
}

/// Answers of all sizes share a reply; what is around their places stays.
TEST(TransportOrder, small_gets_that_are_answered_together_bring_their_data) {
  FakeJob job(3, Order::random, 11);
  constexpr std::size_t pitch = 1024;
  std::vector<std::vector<std::byte>> got;
  for (std::size_t bytes = 1; bytes <= 520; ++bytes) {
    for (Pe const pe : {1, 2}) {
      auto const shift = static_cast<std::size_t>(pe);
      auto const block = block_of(2 * bytes + shift, bytes);
      std::copy(block.begin(), block.end(),
                job.target(pe).heap() + bytes * pitch + shift);
      got.emplace_back(64 + bytes + 64);
      job[0].channel().get(got.back().data() + 64,
                           {pe, Segment::host_heap, bytes * pitch + shift},
                           bytes, Completion::none);
    }
  }
  job[0].channel().quiet();
  for (std::size_t i = 0; i < got.size(); ++i) {
    auto const bytes = i / 2 + 1;
    EXPECT_TRUE(holds(got[i].data() + 64, 2 * bytes + 1 + i % 2, bytes));
  }
}

TEST(TransportMessageCounts, small_nbi_gets_share_a_message_and_its_answer) {
  FakeJob job(2);
  std::vector<std::uint64_t> got(2048);
  EXPECT_EQ(messages_of(job,
                        [&] {
                          for (auto& word : got) {
                            job[0].channel().get(&word, data, 8,
                                                 Completion::none);
                          }
                        }),
            0U);
  EXPECT_EQ(messages_of(job, [&] { job[0].channel().quiet(); }), 2U);
  // Answers of 512 bytes: a message has as many as 16 KiB take.
  std::vector<std::byte> large(64U * 512U);
  EXPECT_EQ(messages_of(job,
                        [&] {
                          for (std::size_t i = 0; i < 64; ++i) {
                            job[0].channel().get(large.data() + i * 512, data,
                                                 512, Completion::none);
                          }
                          job[0].channel().quiet();
                        }),
            4U);
}

TEST(TransportMessageCounts, no_more_than_1_MiB_of_small_gets_is_under_way) {
  FakeJob job(2);
  std::vector<std::uint64_t> got(1'000'000);
  WaitingMessages most;
  job.network.set_observer(most);
  for (std::size_t i = 0; i < got.size(); ++i) {
    job.target(1).at(8 * (i % 4096)) = i % 4096;
    job[0].channel().get(&got[i], {1, Segment::host_heap, 8 * (i % 4096)}, 8,
                         Completion::none);
  }
  job[0].channel().quiet();
  EXPECT_GT(most.most(), 32U);
  EXPECT_LE(most.most(), 66U) << "of 16 KiB each";
  for (std::size_t i = 0; i < got.size(); ++i) ASSERT_EQ(got[i], i % 4096);
}

TEST(TransportMessageCounts, small_nbi_puts_share_messages_of_16_KiB) {
  FakeJob job(2);
  std::uint64_t const word = 1;
  EXPECT_EQ(messages_of(job,
                        [&] {
                          for (int i = 0; i < 1024; ++i) {
                            job[0].channel().put(data, &word, 8,
                                                 Completion::none);
                          }
                        }),
            0U);
  EXPECT_EQ(messages_of(job, [&] { job[0].channel().quiet(); }), 2U);
  EXPECT_EQ(messages_of(job,
                        [&] {
                          for (int i = 0; i < 4092; ++i) {
                            job[0].channel().post_atomic(flag, AtomicOp::add,
                                                         WordType::u64, 1);
                          }
                        }),
            1U + 1U);  // expected to be the last one
}

TEST(TransportMessageCounts, what_is_called_for_a_pe_sends_its_batch) {
  std::uint64_t const word = 17;
  std::uint64_t got        = 0;
  std::vector<std::function<void(Transport&)>> const calls{
      [&](Transport& it) {
        it.channel().put({1, Segment::host_heap, 64}, &word, 8);
      },
      [&](Transport& it) {
        it.channel().get(&got, {1, Segment::host_heap, 64}, 8);
      },
      [&](Transport& it) {
        static_cast<void>(
            it.channel().atomic(flag, AtomicOp::fetch, WordType::u64, 0));
      },
      [&](Transport& it) { it.channel().fence(); },
      [&](Transport& it) { it.send(1, 5, {}); },
      [&](Transport& it) { static_cast<void>(it.poll()); },
      [&](Transport& it) { it.channel().quiet(); }};
  for (auto const& call : calls) {
    FakeJob job(2);
    job[0].channel().put(data, &word, 8, Completion::none);
    job.deliver_all();
    EXPECT_EQ(job.target(1).at(data.offset()), 0U);
    call(job[0]);
    job.deliver_all();
    EXPECT_EQ(job.target(1).at(data.offset()), word);
  }
}

TEST(TransportMessageCounts, no_more_than_a_few_MiB_are_under_way) {
  FakeJob job(2);
  auto const block = block_of(1, 65'536);
  std::size_t most = 0;
  for (int i = 0; i < 1000; ++i) {
    job[0].channel().put(data, block.data(), block.size());
    most = std::max(most, job.network.n_waiting());
  }
  EXPECT_GT(most, 32U) << "2 MiB";
  EXPECT_LE(most, 66U) << "4 MiB and acks";
}

TEST(TransportMessageCounts,
     no_more_than_2_MiB_of_a_strided_get_are_under_way) {
  FakeJob job(2);
  constexpr std::size_t n = 400'000;
  std::vector<std::uint64_t> got(n);
  for (std::size_t i = 0; i < n; ++i) job.target(1).at(8 * i) = i;
  WaitingMessages most;
  job.network.set_observer(most);
  job[0].channel().get_strided(got.data(), {1, Segment::host_heap, 0},
                               {8, n, 8, 8});
  EXPECT_GT(most.most(), 16U);
  EXPECT_LE(most.most(), 32U) << "of 64 KiB each";
  for (std::size_t i = 0; i < n; ++i) ASSERT_EQ(got[i], i);
}

TEST(TransportMessageCounts, an_answer_is_read_from_the_heap) {
  FakeJob job(2);
  WaitingMessages seen;
  job.network.set_observer(seen);
  std::vector<std::byte> got(65'536);
  for (std::size_t const bytes : {64U, 65U, 513U, 65'536U}) {
    seen.n_copied = 0;
    job[0].channel().get(got.data(), data, bytes,
                         bytes > 512 ? Completion::none : Completion::local);
    job[0].channel().quiet();
    EXPECT_EQ(seen.n_copied, bytes == 64 ? 64U : 0U) << bytes;
  }
}

TEST(TransportMessageCounts, no_more_than_two_large_blocks_are_under_way) {
  FakeJob job(2);
  auto const block = block_of(1, 100'000);
  std::vector<std::vector<std::byte>> got(10, std::vector<std::byte>(100'000));
  std::size_t most = 0;
  for (std::size_t i = 0; i < got.size(); ++i) {
    job[0].channel().put(data, block.data(), block.size(), Completion::none);
    most = std::max(most, job.network.n_waiting());
  }
  EXPECT_EQ(most, 4U) << "two blocks, and an ack of each";
  job[0].channel().quiet();
  job.deliver_all();
  most = 0;
  for (auto& memory : got) {
    job[0].channel().get(memory.data(), data, block.size(), Completion::none);
    most = std::max(most, job.network.n_waiting());
  }
  EXPECT_EQ(most, 3U) << "and one of which the target is not told yet";
  job[0].channel().quiet();
  for (auto const& memory : got) EXPECT_EQ(memory, block);
}

}  // namespace
