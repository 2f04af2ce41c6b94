// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
// Channels of Transport_Messages over a fake engine: what they do where the
// engine has no room for a PE, and what memory they keep.
#include <malloc.h>

#include <atomic>
#include <thread>

#include "transport_test.hpp"

namespace {

using namespace symm_test;
using Order = FakeNetwork::Order;

TEST(TransportChannels, closed_ones_give_the_memory_of_their_batches_back) {
  FakeJob job(9);
  auto const put_to_all = [&](Channel& channel, std::uint64_t value) {
    for (Pe pe = 1; pe < 9; ++pe) {
      PeMemory const there{pe, Segment::host_heap, 8 * value};
      channel.put(there, &value, 8, Completion::none);
    }
  };
  std::vector<Channel*> channels;
  channels.reserve(255);
  auto const before = ::mallinfo2();
  while (auto* const channel = job[0].open_channel()) {
    channels.push_back(channel);
    put_to_all(*channel, channels.size());
    if (channels.size() % 2 == 0) channel->quiet();
  }
  for (auto* const channel : channels) job[0].close_channel(*channel);
  job[0].quiet();  // what closed ones have begun goes on
  // What is left: 400 bytes for each channel and PE.
  EXPECT_LT(::mallinfo2().uordblks, before.uordblks + (2U << 20U));
  for (Pe pe = 1; pe < 9; ++pe) {
    for (std::uint64_t value = 1; value <= channels.size(); ++value) {
      EXPECT_EQ(job.target(pe).at(8 * value), value);
    }
  }
  // And again.
  auto& channel = *job[0].open_channel();
  put_to_all(channel, 1000);
  channel.quiet();
  EXPECT_EQ(job.target(8).at(8000), 1000);
}

TEST(TransportChannels, a_full_pe_keeps_its_batch_where_others_have_room) {
  auto options        = FakeJob::without_thread;
  options.max_batches = 2;
  FakeJob job(4, Order::as_sent, 1, options);
  auto& channel             = job[0].channel();
  std::uint64_t const value = 9;
  auto const put_to         = [&](Pe pe) {
    channel.put({pe, Segment::host_heap, 8}, &value, 8, Completion::none);
  };
  put_to(1);
  put_to(2);
  job.network.set_full(1);
  auto const n_before = job.network.n_sent();
  put_to(3);  // in the memory of PE 2
  put_to(2);  // in that of PE 3
  EXPECT_EQ(job.network.n_sent(), n_before + 2);
  EXPECT_EQ(job.target(1).at(8), 0);
  job.network.set_full(-1);
  job[0].quiet();
  for (Pe pe = 1; pe < 4; ++pe) EXPECT_EQ(job.target(pe).at(8), value);
}

TEST(TransportChannels, a_full_pe_is_waited_for_without_the_channels_lock) {
  FakeJob job(3, Order::as_sent);
  auto& channel             = job[0].channel();
  std::uint64_t const value = 9;
  job.network.set_full(1);
  std::atomic<bool> is_there{false};
  std::thread blocked([&] {
    channel.put({1, Segment::host_heap, 8}, &value, 8);
    is_there = true;
  });
  for (std::size_t i = 0; i < 100; ++i) {
    channel.put({2, Segment::host_heap, 8 * i}, &value, 8);
    Pe const only = 2;
    channel.quiet(std::span(&only, 1));
    EXPECT_EQ(job.target(2).at(8 * i), value);
  }
  EXPECT_FALSE(is_there);
  job.network.set_full(-1);
  blocked.join();
  channel.quiet();
  EXPECT_EQ(job.target(1).at(8), value);
}

}  // namespace
