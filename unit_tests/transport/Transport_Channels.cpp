// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
// Channels of Transport_Messages over a fake engine: each has an order and a
// completion of its own, and single operations can be waited for.
#include <atomic>
#include <thread>

#include "transport_test.hpp"

namespace {

using namespace symm_test;
using Order = FakeNetwork::Order;

constexpr PeMemory at(std::size_t offset) {
  return {1, Segment::host_heap, offset};
}

TEST(TransportChannels, quiet_completes_the_operations_of_its_channel) {
  FakeJob job(2, Order::random, 21);
  auto& mine        = *job[0].open_channel();
  auto& other       = *job[0].open_channel();
  auto const large  = block_of(7, 100'000);
  std::uint64_t one = 1;
  for (std::uint64_t round = 1; round <= 20; ++round) {
    other.put(at(4096), large.data(), large.size(), Completion::none);
    mine.put(at(8), &round, 8, Completion::none);
    mine.post_atomic(at(16), AtomicOp::add, WordType::u64, 1);
    job[0].channel().put(at(24), &round, 8, Completion::none);
    mine.quiet();
    EXPECT_EQ(job.target(1).at(8), round);
    EXPECT_EQ(job.target(1).at(16), round);
    other.quiet();
    EXPECT_TRUE(holds(job.target(1).heap() + 4096, 7, large.size()));
    std::fill_n(job.target(1).heap() + 4096, large.size(), std::byte{});
    job[0].quiet();
    EXPECT_EQ(job.target(1).at(24), round);
  }
  static_cast<void>(one);
}

TEST(TransportChannels, quiet_does_not_wait_for_another_channel) {
  FakeJob job(2);
  auto& mine                = *job[0].open_channel();
  std::uint64_t const value = 3;
  job[0].channel().put(at(24), &value, 8, Completion::none);
  job[0].channel().quiet();
  // A batch of the other channel stays open.
  job[0].channel().put(at(24), &value, 8, Completion::none);
  auto const n_before = job.network.n_sent();
  mine.quiet();
  EXPECT_EQ(job.network.n_sent(), n_before);
  job[0].quiet();
  EXPECT_GT(job.network.n_sent(), n_before);
}

TEST(TransportChannels, quiet_of_all_waits_for_all_at_once) {
  /// The messages of PE 0 before the first one comes back.
  struct Count final : FakeNetwork::Observer {
    void sent(Pe from, Pe /*to*/, std::span<std::byte const> /*header*/,
              std::size_t /*bytes*/, bool /*is_copied*/) override {
      if (from == 0 && !has_answer) ++n;
      if (from == 1) has_answer = true;
    }
    void delivered(Pe /*from*/, Pe /*to*/,
                   std::span<std::byte const> /*header*/) override {}

    int n           = 0;
    bool has_answer = false;
  };
  Count count;
  FakeJob job(2);
  job.network.set_observer(count);
  constexpr int n_channels  = 5;
  std::uint64_t const value = 3;
  job[0].channel().put(at(0), &value, 8, Completion::none);
  for (std::size_t i = 1; i < n_channels; ++i) {
    job[0].open_channel()->put(at(8 * i), &value, 8, Completion::none);
  }
  job[0].quiet();
  EXPECT_EQ(count.n, n_channels);
  for (std::size_t i = 0; i < n_channels; ++i) {
    EXPECT_EQ(job.target(1).at(8 * i), value);
  }
}

TEST(TransportChannels, fence_orders_its_channel_and_no_other) {
  FakeJob job(2, Order::random, 23);
  auto& mine  = *job[0].open_channel();
  auto& other = *job[0].open_channel();
  int n_early = 0;
  for (std::uint64_t round = 1; round <= 200; ++round) {
    mine.put(at(8), &round, 8);
    other.put(at(16), &round, 8);
    mine.fence();
    mine.put(at(24), &round, 8);
    while (job.target(1).at(24) != round) ASSERT_TRUE(job.network.step());
    EXPECT_EQ(job.target(1).at(8), round);
    if (job.target(1).at(16) != round) ++n_early;
    job[0].quiet();
  }
  EXPECT_GT(n_early, 20);
}

TEST(TransportChannels, a_channel_that_is_opened_again_goes_on) {
  FakeJob job(2, Order::random, 25);
  for (std::uint64_t round = 1; round <= 50; ++round) {
    auto& channel = *job[0].open_channel();
    channel.put(at(8), &round, 8);
    channel.fence();
    channel.put(at(16), &round, 8, Completion::none);
    job[0].close_channel(channel);
  }
  job[0].quiet();  // closed ones, too
  EXPECT_EQ(job.target(1).at(16), 50);
  EXPECT_EQ(job.target(1).at(8), 50);
}

TEST(TransportChannels, there_are_255_beside_the_first) {
  FakeJob job(2);
  std::vector<Channel*> channels;
  while (auto* const channel = job[0].open_channel()) {
    channels.push_back(channel);
  }
  EXPECT_EQ(channels.size(), 255);
  std::uint64_t value = 0;
  for (auto* const channel : channels) {
    ++value;
    channel->put(at(8 * value), &value, 8);
    EXPECT_EQ(channel->atomic(at(8 * value), AtomicOp::add, WordType::u64, 1),
              value);
  }
  for (auto* const channel : channels) job[0].close_channel(*channel);
  EXPECT_NE(job[0].open_channel(), nullptr);
  job[0].quiet();
}

TEST(TransportChannels, quiet_of_some_pes_takes_each_as_often_as_it_comes) {
  FakeJob job(4);
  auto& channel             = *job[0].open_channel();
  std::uint64_t const value = 9;
  for (Pe const pe : {1, 2}) {
    channel.put({pe, Segment::host_heap, 8}, &value, 8, Completion::none);
  }
  // 3: nothing was sent there.
  std::array<Pe, 5> const pes{2, 3, 2, 0, 2};
  channel.quiet(pes);
  EXPECT_EQ(job.target(2).at(8), value);
  EXPECT_EQ(job.target(1).at(8), 0);
  channel.quiet(std::span<Pe const>());
  EXPECT_EQ(job.target(1).at(8), 0);
  channel.quiet();
  EXPECT_EQ(job.target(1).at(8), value);
}

TEST(TransportChannels, both_directions_at_once) {
  FakeJob job(2, Order::random, 27);
  auto& there = *job[0].open_channel();
  auto& back  = *job[1].open_channel();
  auto& more  = *job[1].open_channel();
  for (std::uint64_t round = 1; round <= 100; ++round) {
    there.put(at(8), &round, 8, Completion::none);
    back.put({0, Segment::host_heap, 8}, &round, 8, Completion::none);
    more.put({0, Segment::host_heap, 16}, &round, 8);
    std::uint64_t was = 0;
    there.fetch_nbi(at(24), AtomicOp::add, WordType::u64, 1, 0, &was, nullptr);
    back.quiet();
    EXPECT_EQ(job.target(0).at(8), round);
    there.quiet();
    EXPECT_EQ(job.target(1).at(8), round);
    EXPECT_EQ(was, round - 1);
    more.quiet();
    EXPECT_EQ(job.target(0).at(16), round);
  }
}

TEST(TransportChannels, quiet_of_some_pes_waits_for_these) {
  FakeJob job(3, Order::as_sent);
  auto& channel             = *job[0].open_channel();
  std::uint64_t const value = 9;
  for (Pe pe = 1; pe < 3; ++pe) {
    channel.put({pe, Segment::host_heap, 8}, &value, 8, Completion::none);
  }
  Pe const only = 2;
  channel.quiet(std::span(&only, 1));
  EXPECT_EQ(job.target(2).at(8), value);
  EXPECT_EQ(job.target(1).at(8), 0);  // in its batch
  channel.quiet();
  EXPECT_EQ(job.target(1).at(8), value);
}

/// Waits until the target has carried it out; looks meanwhile.
/// A call whose request is `handle`.
HostCall with(OperationHandle& handle) { return {nullptr, nullptr, &handle}; }

void expect_completion(Channel& channel, OperationHandle& handle) {
  int n_looks = 0;
  while (!channel.test(handle, Stage::operation)) ASSERT_LT(++n_looks, 10'000);
}

TEST(TransportRequests, one_put_of_any_size_is_waited_for) {
  FakeJob job(2, Order::random, 29);
  auto& channel    = *job[0].open_channel();
  std::uint64_t id = 0;
  for (bool const looks : {false, true}) {
    for (auto const bytes : block_sizes) {
      ++id;
      auto const block = block_of(id, bytes);
      auto const noise = block_of(1000 + id, 3000);
      channel.put(at(2 << 20U), noise.data(), noise.size(), Completion::none);
      OperationHandle handle;
      channel.put(at(4096), block.data(), bytes, Completion::none,
                  with(handle));
      channel.put(at(3 << 20U), noise.data(), 8, Completion::none);
      if (looks) {
        expect_completion(channel, handle);
      } else {
        channel.wait(handle, Stage::side);
        channel.wait(handle, Stage::operation);
      }
      EXPECT_TRUE(holds(job.target(1).heap() + 4096, id, bytes)) << bytes;
      channel.quiet();
      std::fill_n(job.target(1).heap() + 4096, bytes, std::byte{});
    }
  }
}

TEST(TransportRequests, one_get_is_waited_for_before_earlier_ones) {
  FakeJob job(2, Order::random, 31);
  auto& channel = *job[0].open_channel();
  for (std::size_t i = 0; i < 64; ++i) job.target(1).at(8 * i) = 100 + i;
  std::array<std::uint64_t, 64> got{};
  std::array<OperationHandle, 64> handle;
  for (std::size_t i = 0; i < 64; ++i) {
    channel.get(&got[i], at(8 * i), 8, Completion::none, with(handle[i]));
  }
  for (std::size_t i = 64; i-- != 0;) {
    if (i % 2 == 0) {
      channel.wait(handle[i], Stage::operation);
    } else {
      expect_completion(channel, handle[i]);
    }
    EXPECT_EQ(got[i], 100 + i);
  }
}

TEST(TransportRequests, one_get_of_any_size_is_waited_for) {
  FakeJob job(2);  // data of large ones come after their header
  auto& channel = *job[0].open_channel();
  for (auto const bytes : block_sizes) {
    auto const block = block_of(bytes, bytes);
    std::copy(block.begin(), block.end(), job.target(1).heap() + 4096);
    std::vector<std::byte> got(bytes);
    OperationHandle handle;
    channel.get(got.data(), at(4096), bytes, Completion::none, with(handle));
    if (bytes != 0) expect_completion(channel, handle);
    EXPECT_EQ(got, block) << bytes;
  }
}

TEST(TransportRequests, words_that_come_back_have_their_size) {
  FakeJob job(2, Order::random, 33);
  auto& channel                       = job[0].channel();
  job.target(1).at<std::uint32_t>(64) = 7;
  std::array<std::uint32_t, 3> was{1, 2, 3};
  OperationHandle handle;
  channel.fetch_nbi(at(64), AtomicOp::add, WordType::u32, 5, 0, &was[1],
                    with(handle));
  channel.wait(handle, Stage::operation);
  EXPECT_EQ(was, (std::array<std::uint32_t, 3>{1, 7, 3}));
  EXPECT_EQ(job.target(1).at<std::uint32_t>(64), 12);
}

TEST(TransportRequests, a_test_sends_no_batch_of_another_channel) {
  FakeJob job(2);
  auto& other               = *job[0].open_channel();
  auto& mine                = *job[0].open_channel();
  std::uint64_t const value = 3;
  other.put(at(8), &value, 8, Completion::none);
  OperationHandle put;
  mine.put(at(16), &value, 8, Completion::none, with(put));
  while (!mine.test(put, Stage::operation)) {
  }
  EXPECT_EQ(job.target(1).at(16), value);
  EXPECT_EQ(job.target(1).at(8), 0);
  other.quiet();
  EXPECT_EQ(job.target(1).at(8), value);
}

TEST(TransportRequests, nobody_has_to_wait) {
  FakeJob job(2, Order::random, 35);
  auto const block = block_of(5, 200'000);
  std::vector<std::byte> got(200'000);
  auto& channel = *job[0].open_channel();
  for (int i = 0; i < 20; ++i) {
    OperationHandle put;
    OperationHandle get;
    channel.put(at(4096), block.data(), block.size(), Completion::none,
                with(put));
    channel.get(got.data(), at(4096), block.size(), Completion::none,
                with(get));
  }  // the operations outlive these
  channel.quiet();
  EXPECT_TRUE(holds(job.target(1).heap() + 4096, 5, block.size()));
}

TEST(TransportRequests, a_signal_is_there_with_its_data) {
  FakeJob job(2, Order::random, 37);
  auto& channel = *job[0].open_channel();
  for (std::size_t const bytes : {0U, 8U, 5000U, 100'000U}) {
    auto const block = block_of(bytes, bytes);
    OperationHandle handle;
    channel.put_signal(at(4096), block.data(), bytes, at(8), bytes + 1,
                       AtomicOp::set, Completion::none, with(handle));
    channel.wait(handle, Stage::operation);
    EXPECT_EQ(job.target(1).at(8), bytes + 1);
    EXPECT_TRUE(holds(job.target(1).heap() + 4096, bytes, bytes));
    std::fill_n(job.target(1).heap() + 4096, bytes, std::byte{});
  }
}

TEST(TransportChannels, of_several_threads) {
  constexpr int n_threads   = 4;
  constexpr std::uint64_t n = 3000;
  FakeJob job(2, Order::random, 39, Transport_Messages::Options{});
  std::vector<std::thread> threads;
  for (std::size_t t = 0; t < n_threads; ++t) {
    threads.emplace_back([&, t] {
      auto& channel   = *job[0].open_channel();
      auto const mine = 4096 + 1024 * t;
      for (std::uint64_t i = 1; i <= n; ++i) {
        channel.put(at(mine), &i, 8, Completion::none);
        channel.post_atomic(at(mine + 64), AtomicOp::add, WordType::u64, 1);
        channel.fence();
        channel.put(at(mine + 128), &i, 8, Completion::none);
        if (i % 64 != 0) continue;
        channel.quiet();
        EXPECT_EQ(job.target(1).at(mine), i);
        EXPECT_EQ(job.target(1).at(mine + 64), i);
        EXPECT_EQ(job.target(1).at(mine + 128), i);
        // The answer may come to any of the threads.
        std::uint64_t got = 0;
        OperationHandle handle;
        channel.get(&got, at(mine), 8, Completion::none, with(handle));
        channel.wait(handle, Stage::side);
        EXPECT_EQ(got, i);
      }
      job[0].close_channel(channel);
    });
  }
  for (auto& thread : threads) thread.join();
  job[0].quiet();
  for (std::size_t t = 0; t < n_threads; ++t) {
    EXPECT_EQ(job.target(1).at(4096 + 1024 * t + 64), n);
  }
}

}  // namespace
