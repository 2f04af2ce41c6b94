// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
// Blocks that engines of network libraries move without messages. UCX's are
// ProcessMemory's, and off by default; those of libfabric need a network that
// has them.
#include <csignal>
#include <cstdlib>
#include <support/Shared.hpp>

#include "network_test.hpp"

namespace {

using namespace symm_test;
using namespace std::chrono_literals;
using symm::Impl::OneSided;

class MessageEngineOneSided : public NetworkTest {
 protected:
  void SetUp() override {
    NetworkTest::SetUp();
    if (GetParam() == std::string("ucx"))
      ::setenv("UCX_TLS", "tcp,cma,self", 1);
  }
  void TearDown() override {
    ::unsetenv("UCX_TLS");
    NetworkTest::TearDown();
  }
};

SYMM_TEST_FOR_ALL_NETWORKS(MessageEngineOneSided);

/// PE 1 opens `memory` to PE 0; nothing: this machine cannot.
std::optional<OneSided::Place> open_to_first(TestEngine& test,
                                             ForkedBootstrap& bootstrap,
                                             std::vector<std::byte>& memory) {
  // A message has come from there first.
  EXPECT_TRUE(test.me != 1 || test.ask(0, 1));
  EXPECT_TRUE(test.me != 0 || test.ask(1, 1));
  auto* const one_sided = test.engine->one_sided();
  if (one_sided == nullptr) return {};
  struct Opened {
    OneSided::Key key{};
    std::uint64_t address = 0;
  } mine;
  std::array<Opened, 2> all;
  mine.key     = *one_sided->open_chunk(memory.data(), memory.size());
  mine.address = reinterpret_cast<std::uint64_t>(memory.data());
  bootstrap.allgather(&mine, all.data(), sizeof mine);
  OneSided::Place const place{1, all[1].key, all[1].address};
  if (test.me == 0 && !one_sided->reaches(1, place.key)) return {};
  return place;
}

TEST_P(MessageEngineOneSided, blocks_go_there_and_come_back) {
  constexpr std::size_t bytes = 3'000'001;
  Shared<std::atomic<bool>> const is_there;
  expect_on_pes(2, [&](ForkedBootstrap& bootstrap) {
    TestEngine test(bootstrap);
    std::vector<std::byte> memory(bytes);
    auto place = open_to_first(test, bootstrap, memory);
    if (place && test.me == 0) {
      *is_there       = true;
      auto& one_sided = *test.engine->one_sided();
      std::size_t n   = 0;
      auto const wait = [&] {
        if (one_sided.is_immediate()) return true;
        ++n;
        return test.poll_until([&] { return test.receiver.n_sent == n; });
      };
      auto const block = test.payload_to(1, 2, bytes);
      for (std::size_t const size : {std::size_t{1}, std::size_t{513}, bytes}) {
        one_sided.put(*place, block.data(), size, 7);
        EXPECT_TRUE(wait());
        EXPECT_TRUE(test.ask(1, size));
        std::vector<std::byte> got(size);
        auto const begin = place->address;
        place->address += bytes - size;
        one_sided.get(got.data(), *place, size, 8);
        EXPECT_TRUE(wait());
        if (size == bytes) {
          EXPECT_EQ(got, block);
        }
        place->address = begin;
      }
    }
    bootstrap.barrier();
    if (*is_there && test.me == 1) {
      for (std::size_t i = 0; i < bytes; ++i) {
        ASSERT_EQ(memory[i], pattern(0, 1, 2, i)) << i;
      }
      test.engine->one_sided()->close_chunk(memory.data());
    }
    bootstrap.barrier();
    test.engine->close();
    EXPECT_EQ(test.receiver.n_lost, 0U) << test.receiver.lost_why;
  });
  if (!*is_there) GTEST_SKIP() << "no one-sided operations here";
}

TEST_P(MessageEngineOneSided, a_block_for_a_pe_that_ends_is_never_done) {
  constexpr std::size_t bytes = std::size_t{64} << 20U;
  Shared<std::atomic<bool>> const is_there;
  auto const results =
      try_pes(2, {.after_bad_end = 20s}, [&](ForkedBootstrap& bootstrap) {
        TestEngine test(bootstrap);
        std::vector<std::byte> memory(bytes);
        auto const place = open_to_first(test, bootstrap, memory);
        if (place) *is_there = true;
        bootstrap.barrier();
        if (test.me == 1) ::raise(SIGKILL);
        if (!place) return;
        std::this_thread::sleep_for(20ms);
        auto& one_sided = *test.engine->one_sided();
        try {
          one_sided.put(*place, memory.data(), bytes, 7);
          EXPECT_FALSE(one_sided.is_immediate()) << "nobody is there";
        } catch (symm::SystemError const&) {
          return;  // known at once
        }
        watch_if_needed(test, 1);
        EXPECT_TRUE(test.poll_until([&] { return test.receiver.n_lost != 0; }));
        EXPECT_EQ(test.receiver.n_sent, 0U);
        EXPECT_THROW(one_sided.put(*place, memory.data(), bytes, 8),
                     symm::SystemError);
      });
  EXPECT_TRUE(results[0].has_succeeded()) << results[0].output;
  if (!*is_there) GTEST_SKIP() << "no one-sided operations here";
}

}  // namespace
