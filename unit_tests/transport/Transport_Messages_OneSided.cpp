// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
// Transport_Messages over a fake engine with one-sided operations, which are
// late and come in any order: their order with messages, and what ends the job.
#include "order_test.hpp"

namespace {

using namespace symm_test;
using Can   = FakeNetwork::Can;
using Order = FakeNetwork::Order;
using testing::ExitedWithCode;

constexpr std::size_t least = FakeNetwork::least_one_sided;
// The last one is more than what goes at once, and reaches into a second chunk.
constexpr std::array<std::size_t, 6> one_sided_sizes{
    least, least + 1, 3001, 65'536, 65'537, std::size_t{1} << 20U};
std::uint64_t parts_of(std::size_t bytes) {
  return bytes == one_sided_sizes.back() ? 3 : 1;
}

struct OneSidedJob : FakeJob {
  explicit OneSidedJob(std::uint64_t seed, Can can = Can::one_sided,
                       Order order = Order::random)
      : FakeJob(2, order, seed, without_thread, can) {}

  void clear(std::size_t bytes) {
    std::fill_n(target(1).heap() + data.offset(), bytes, std::byte{});
  }
};

TEST(TransportOneSided, blocks_go_without_messages_and_small_ones_with) {
  for (auto const& [can, order] : {std::pair(Can::one_sided, Order::as_sent),
                                   std::pair(Can::one_sided, Order::random),
                                   std::pair(Can::immediate, Order::random)}) {
    OneSidedJob job(1, can, order);
    auto const first = block_of(1, one_sided_sizes.back());
    // Asks for the keys of two chunks.
    job[0].channel().put(data, first.data(), first.size());
    job.clear(first.size());
    job[0].channel().quiet();
    std::uint64_t n         = job.network.n_one_sided();
    auto const n_messages   = job.network.n_sent();
    std::uint64_t n_wanted  = n;
    std::uint64_t operation = 1;
    for (auto const completion : {Completion::local, Completion::none}) {
      for (auto const bytes : one_sided_sizes) {
        auto const block = block_of(++operation, bytes);
        job[0].channel().put(data, block.data(), bytes, completion);
        job[0].channel().quiet();
        EXPECT_TRUE(
            holds(job.target(1).heap() + data.offset(), operation, bytes));
        std::vector<std::byte> got(bytes);
        job[0].channel().get(got.data(), data, bytes, completion);
        job[0].channel().quiet();
        EXPECT_EQ(got, block);
        job.clear(bytes);
        n_wanted += 2 * parts_of(bytes);
      }
    }
    n = job.network.n_one_sided();
    EXPECT_EQ(n, n_wanted);
    EXPECT_EQ(job.network.n_sent(), n_messages);
    job[0].channel().put(data, first.data(), least - 1);
    job[0].channel().quiet();
    EXPECT_EQ(job.network.n_one_sided(), n);
    EXPECT_GT(job.network.n_sent(), n_messages);
  }
}

TEST(TransportOneSided, several_blocks_are_under_way_until_quiet) {
  OneSidedJob job(3, Can::one_sided, Order::as_sent);
  auto const block = block_of(1, 3001);
  job[0].channel().put(data, block.data(), block.size());  // asks for the key
  auto const place = [&](std::size_t i) { return data.moved(4096 * (1 + i)); };
  constexpr std::size_t n = 64;
  for (std::size_t i = 0; i < n; ++i) {
    job[0].channel().put(place(i), block.data(), block.size(),
                         Completion::none);
  }
  EXPECT_EQ(job.network.n_waiting(), n);
  auto* const last = job.target(1).heap() + place(n - 1).offset();
  EXPECT_FALSE(holds(last, 1, block.size()));
  // One more waits for one of them.
  job[0].channel().put(place(n), block.data(), block.size(), Completion::none);
  EXPECT_LE(job.network.n_waiting(), n);
  job[0].channel().quiet();
  EXPECT_EQ(job.network.n_waiting(), 0U);
  EXPECT_TRUE(holds(last, 1, block.size()));

  std::vector<std::vector<std::byte>> got(n);
  for (std::size_t i = 0; i < n; ++i) {
    got[i].resize(block.size());
    job[0].channel().get(got[i].data(), place(i), block.size(),
                         Completion::none);
  }
  EXPECT_NE(got.back(), block);
  job[0].channel().quiet();
  for (auto const& its : got) EXPECT_EQ(its, block);
}

TEST(TransportOneSided, the_source_of_a_put_may_be_written_again) {
  OneSidedJob job(2);
  for (std::uint64_t round = 1; round <= 100; ++round) {
    auto block = block_of(round, 3001);
    job[0].channel().put(data, block.data(), block.size());
    std::fill(block.begin(), block.end(), std::byte{0xff});
    job[0].channel().quiet();
    EXPECT_TRUE(holds(job.target(1).heap() + data.offset(), round, 3001));
  }
}

TEST(TransportOneSided,
     a_message_behind_a_fence_is_behind_the_block_before_it) {
  for (auto const can : {Can::one_sided, Can::immediate}) {
    OneSidedJob job(5, can);
    auto const n_blocks = expect_blocks_before_flags(job, one_sided_sizes);
    auto const n_large  = n_blocks / one_sided_sizes.size();
    EXPECT_EQ(job.network.n_one_sided(), n_blocks + 2 * n_large);
  }
}

TEST(TransportOneSided, a_block_behind_a_fence_waits_for_what_is_before) {
  OneSidedJob job(9);
  std::uint64_t const n_rounds = 60;
  std::vector<std::byte> const blocks[]{block_of(1, 3001), block_of(1, 65'537)};
  for (std::uint64_t round = 1; round <= n_rounds; ++round) {
    auto const& block = blocks[round % 2];
    for (std::size_t i = 0; i < 8; ++i) {
      job[0].channel().put({1, Segment::host_heap, 64 + 8 * i}, &round, 8,
                           i % 2 == 0 ? Completion::local : Completion::none);
    }
    job[0].channel().fence();
    // Behind the fence, but before the block: it need not be there.
    job[0].channel().put(flag, &round, 8, Completion::none);
    job[0].channel().put(data, block.data(), block.size(), Completion::none);
    while (!holds(job.target(1).heap() + data.offset(), 1, block.size())) {
      ASSERT_TRUE(job.network.step());
    }
    for (std::size_t i = 0; i < 8; ++i) {
      EXPECT_EQ(job.target(1).at(64 + 8 * i), round);
    }
    job[0].channel().quiet();
    job.clear(block.size());
  }
  // The small ones are messages, if they would have to wait.
  EXPECT_GE(job.network.n_one_sided(), n_rounds / 2);
  EXPECT_LT(job.network.n_one_sided(), n_rounds);
}

TEST(TransportOneSided, a_signal_comes_when_its_block_is_there) {
  for (auto const can : {Can::one_sided, Can::immediate}) {
    OneSidedJob job(13, can);
    std::uint64_t round   = 0;
    std::uint64_t n_parts = 0;
    for (auto const completion : {Completion::local, Completion::none}) {
      bool const waits =
          completion == Completion::local || can == Can::immediate;
      for (auto const bytes : one_sided_sizes) {
        for (int repeat = 0; repeat < 20; ++repeat) {
          auto const block = block_of(++round, bytes);
          if (waits) n_parts += parts_of(bytes);
          job[0].channel().put_signal(data, block.data(), bytes, flag, 1,
                                      AtomicOp::add, completion);
          EXPECT_TRUE(flag_comes(job, round));
          EXPECT_TRUE(
              holds(job.target(1).heap() + data.offset(), round, bytes));
          job[0].channel().quiet();
          job.clear(bytes);
        }
      }
    }
    EXPECT_EQ(job.network.n_one_sided(), n_parts);
  }
}

TEST(TransportOneSided, threads_that_meet_a_chunk_ask_once) {
  OneSidedJob job(14);
  auto const block = block_of(1, 3001);
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < 4; ++i) {
    threads.emplace_back([&, i] {
      job[0].channel().put(data.moved(4096 * i), block.data(), block.size());
    });
  }
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(job.network.n_sent(), 2U);
  EXPECT_EQ(job.network.n_one_sided(), 4U);
}

TEST(TransportOneSided, a_chunk_that_comes_again_has_a_new_key) {
  OneSidedJob job(14);
  constexpr std::size_t chunk = TestTarget::chunk_bytes;
  auto const block            = block_of(1, 3001);
  PeMemory const other{1, Segment::host_heap, chunk + 64};
  job[0].channel().put(data, block.data(), block.size());
  job[0].channel().put(other, block.data(), block.size());
  auto const n_messages = job.network.n_sent();
  for (Pe pe = 0; pe < 2; ++pe) job[pe].forget_chunk(0);
  std::vector<std::byte> got(block.size());
  job[0].channel().get(got.data(), data, got.size());
  EXPECT_EQ(got, block);
  EXPECT_EQ(job.network.n_sent(), n_messages + 2);  // a question, an answer
  job[0].channel().get(got.data(), other, got.size());
  EXPECT_EQ(job.network.n_sent(), n_messages + 2);
  EXPECT_EQ(job.network.n_one_sided(), 4U);
}

TEST(TransportOneSided, requests_of_blocks_are_done) {
  OneSidedJob job(15);
  for (std::uint64_t round = 1; round <= 50; ++round) {
    auto const block = block_of(round, 3001);
    std::vector<std::byte> got(3001);
    OperationHandle put;
    OperationHandle get;
    HostCall call;
    call.request = &put;
    job[0].channel().put(data, block.data(), 3001, Completion::none, call);
    job[0].channel().wait(put, Stage::operation);
    EXPECT_TRUE(holds(job.target(1).heap() + data.offset(), round, 3001));
    call.request = &get;
    job[0].channel().get(got.data(), data, 3001, Completion::none, call);
    while (!job[0].channel().test(get, Stage::side)) {
    }
    EXPECT_EQ(got, block);
  }
  EXPECT_EQ(job.network.n_one_sided(), 100U);
}

TEST(TransportOneSided, a_request_waits_for_all_parts) {
  OneSidedJob job(16);
  std::size_t const bytes = one_sided_sizes.back();
  for (std::uint64_t round = 1; round <= 20; ++round) {
    auto const block = block_of(round, bytes);
    std::vector<std::byte> got(bytes);
    OperationHandle put;
    OperationHandle get;
    HostCall call;
    call.request = &put;
    job[0].channel().put(data, block.data(), bytes, Completion::none, call);
    job[0].channel().wait(put, Stage::operation);
    EXPECT_TRUE(holds(job.target(1).heap() + data.offset(), round, bytes));
    call.request = &get;
    job[0].channel().get(got.data(), data, bytes, Completion::none, call);
    job[0].channel().wait(get, Stage::side);
    EXPECT_EQ(got, block);
  }
}

TEST(TransportOneSided, other_memory_than_the_host_heap_takes_messages) {
  OneSidedJob job(17);
  auto const block = block_of(1, 2048);
  PeMemory const words{1, Segment::host_team_words, 64};
  job[0].channel().put(words, block.data(), block.size());
  job[0].channel().quiet();
  std::vector<std::byte> got(block.size());
  job[0].channel().get(got.data(), words, got.size());
  EXPECT_EQ(got, block);
  EXPECT_EQ(job.network.n_one_sided(), 0U);
}

TEST(TransportOneSided, a_pe_that_is_not_reached_takes_messages) {
  OneSidedJob job(19, Can::unreached);
  for (std::uint64_t round = 1; round <= 20; ++round) {
    auto const block = block_of(round, 3001);
    job[0].channel().put(data, block.data(), block.size());
    job[0].channel().quiet();
    std::vector<std::byte> got(block.size());
    job[0].channel().get(got.data(), data, got.size());
    EXPECT_EQ(got, block);
  }
  EXPECT_EQ(job.network.n_one_sided(), 0U);
}

class TransportOneSidedDeathTest : public testing::Test {
 protected:
  void SetUp() override {
    testing::FLAGS_gtest_death_test_style = "threadsafe";
  }
};

TEST_F(TransportOneSidedDeathTest, a_block_for_a_lost_pe_ends_the_job) {
  auto const put = [](Can can, bool has_met) {
    OneSidedJob job(21, can);
    auto const block = block_of(1, 3001);
    if (has_met) job[0].channel().put(data, block.data(), block.size());
    job.network.lose(1);
    job[0].channel().put(data, block.data(), block.size(), Completion::local,
                         "test::put");
  };
  for (bool const has_met : {false, true}) {
    EXPECT_EXIT(put(Can::one_sided, has_met), ExitedWithCode(ended_status),
                "PE 1 is lost.*test::put, which needs PE 1");
  }
}

TEST_F(TransportOneSidedDeathTest, an_operation_that_fails_ends_the_job) {
  auto const get = [] {
    OneSidedJob job(23, Can::failing);
    std::vector<std::byte> got(3001);
    job[0].channel().get(got.data(), data, got.size());
  };
  EXPECT_EXIT(
      get(), ExitedWithCode(ended_status),
      "a get of 3001 bytes in the memory of PE 1 failed: no such memory");
}

}  // namespace
