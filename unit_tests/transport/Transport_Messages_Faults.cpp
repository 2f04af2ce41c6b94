// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
// Transport_Messages over a fake engine: what ends the job.
#include <thread>

#include <runtime/transport/NodeUpdates.hpp>

#include "transport_test.hpp"

namespace {

using namespace symm_test;
using symm::Impl::MessageHeader;
using symm::Impl::MessageKind;
using testing::ExitedWithCode;

class TransportDeathTest : public testing::Test {
 protected:
  void SetUp() override {
    testing::FLAGS_gtest_death_test_style = "threadsafe";
  }
};

std::uint64_t const word = 7;

void use_lost_peer(std::function<void(Transport&)> const& call) {
  FakeJob job(3);
  job.network.lose(2);
  call(job[0]);
}

TEST_F(TransportDeathTest, whoever_waits_for_a_lost_pe_ends_the_job) {
  PeMemory const there{2, Segment::host_heap, 64};
  std::uint64_t got = 0;
  std::vector<std::pair<char const*, std::function<void(Transport&)>>> const
      calls{{"a put", [&](auto& it) { it.channel().put(there, &word, 8); }},
            {"an operation",
             [&](auto& it) {
               it.channel().put(there, &word, 8, Completion::none);
               it.channel().quiet();
             }},
            {"a get", [&](auto& it) { it.channel().get(&got, there, 8); }},
            {"an atomic operation",
             [&](auto& it) {
               static_cast<void>(
                   it.channel().atomic(there, AtomicOp::add, WordType::u64, 1));
             }},
            {"a collective call",
             [&](auto& it) { static_cast<void>(it.receive(2, 1)); }},
            {"the library", [&](auto& it) { static_cast<void>(it.poll()); }},
            // Calls that have a name.
            {"test::put",
             [&](auto& it) {
               it.channel().put(there, &word, 8, Completion::local,
                                "test::put");
             }},
            {"test::get",
             [&](auto& it) {
               it.channel().get(&got, there, 8, Completion::local, "test::get");
             }},
            {"test::atomic",
             [&](auto& it) {
               static_cast<void>(it.channel().atomic(
                   there, AtomicOp::add, WordType::u64, 1, 0, "test::atomic"));
             }},
            {"test::wait",
             [&](auto& it) { static_cast<void>(it.poll("test::wait")); }}};
  for (auto const& [name, call] : calls) {
    EXPECT_EXIT(use_lost_peer(call), ExitedWithCode(ended_status),
                std::string("PE 0: PE 2 is lost: the test cut its link. This "
                            "PE is in ") +
                    name + ".*Ending the job");
  }
}

void lose_while_waiting(std::function<void(Transport&)> const& call) {
  FakeJob job(3);
  std::thread cutter([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    job.network.lose(2);
  });
  cutter.detach();
  call(job[0]);
}

TEST_F(TransportDeathTest, a_pe_that_gets_lost_ends_the_waits_for_it) {
  // The test's network delivers nothing to PE 2 that has no receiver.
  EXPECT_EXIT(
      lose_while_waiting([](auto& it) { static_cast<void>(it.receive(2, 1)); }),
      ExitedWithCode(ended_status),
      "This PE is in a collective call, which needs PE 2");
}

void use_bad_memory(std::function<void(Transport&)> const& call) {
  FakeJob job(2);
  call(job[0]);
  job[0].channel().quiet();
}

TEST_F(TransportDeathTest, a_target_checks_offsets) {
  constexpr auto all = TestTarget::heap_bytes;
  std::vector<std::byte> bytes(100'000);
  std::uint64_t got = 0;
  auto const at     = [](std::size_t offset) {
    return PeMemory{1, Segment::host_heap, offset};
  };
  std::vector<
      std::pair<char const*, std::function<void(Transport&)>>> const calls{
      {"a put of 8 bytes at offset 4194297 of segment 0",
       [&](auto& it) { it.channel().put(at(all - 7), &word, 8); }},
      {"a put of 8 bytes",
       [&](auto& it) {
         it.channel().put(at(all), &word, 8, Completion::none);
       }},
      {"a put of 100000 bytes",
       [&](auto& it) { it.channel().put(at(all - 8), bytes.data(), 100'000); }},
      {"a put of 101 bytes",
       [&](auto& it) {
         it.channel().put_strided(at(all - 100), bytes.data(), {1, 2, 100, 1});
       }},
      {"a put of 18446744073709551615 bytes",
       [&](auto& it) {
         it.channel().put_strided(at(0), bytes.data(),
                                  {1, 3, std::size_t{1} << 63U, 1});
       }},
      {"an atomic operation of 8 bytes",
       [&](auto& it) {
         it.channel().put_signal(at(0), &word, 8, at(all), 1, AtomicOp::set);
       }},
      {"a get of 8 bytes",
       [&](auto& it) { it.channel().get(&got, at(SIZE_MAX - 3), 8); }},
      {"a get of 8 bytes at offset 4194297 of segment 0",
       [&](auto& it) {
         it.channel().get(&got, at(all - 8), 8, Completion::none);
         it.channel().get(&got, at(all - 7), 8, Completion::none);
       }},
      {"an atomic operation of 8 bytes",
       [&](auto& it) {
         it.channel().fetch_nbi(at(all), AtomicOp::add, WordType::u64, 1, 0,
                                &got);
       }},
      {"a get of 101 bytes",
       [&](auto& it) {
         it.channel().get_strided(bytes.data(), at(all - 100), {1, 2, 100, 1});
       }},
      {"an atomic operation of 4 bytes",
       [&](auto& it) {
         static_cast<void>(
             it.channel().atomic(at(all), AtomicOp::add, WordType::u32, 1));
       }},
      {"an atomic operation on 8 bytes at offset 4 .*not a multiple",
       [&](auto& it) {
         it.channel().post_atomic(at(4), AtomicOp::add, WordType::i64, 1);
       }},
      {"an atomic operation on 8 bytes at offset 12 .*not a multiple",
       [&](auto& it) {
         auto const update = [](std::uint64_t offset) {
           return symm::Impl::NodeUpdate{offset, 0, AtomicOp::add,
                                         WordType::u64}
               .word();
         };
         std::array const updates{update(8), update(12)};
         it.channel().post_node_updates(1, std::as_bytes(std::span(updates)),
                                        false, 1, nullptr);
       }},
      {"a put of 8 bytes at offset 4096 of segment 2",
       [&](auto& it) {
         it.channel().put({1, Segment::host_team_words, 4096}, &word, 8);
       }},
      {"has sent an invalid message", [&](auto& it) {
         it.channel().post_atomic(at(0), AtomicOp::bit_or, WordType::f64, 1);
       }}};
  for (auto const& [text, call] : calls) {
    EXPECT_EXIT(use_bad_memory(call), ExitedWithCode(ended_status),
                std::string("PE 1: PE 0 .*") + text + ".*Ending the job");
  }
}

// Replies.

/// Keeps the header of the last message of PE 0.
struct LastAsked final : FakeNetwork::Observer {
  void sent(Pe from, Pe /*to*/, std::span<std::byte const> bytes,
            std::size_t /*bytes*/, bool /*is_copied*/) override {
    if (from == 0) header = symm::Impl::header_of(bytes);
  }
  void delivered(Pe /*from*/, Pe /*to*/,
                 std::span<std::byte const> /*header*/) override {}

  MessageHeader header{};
};

/// An answer of PE `from` to what PE 0 has asked, as a correct PE 1 sends it
/// but for a change.
struct Reply {
  explicit Reply(MessageHeader const& asked, std::size_t bytes)
      : payload(bytes) {
    bool const is_atomic = asked.kind == MessageKind::atomic;
    header.kind =
        is_atomic ? MessageKind::atomic_reply : MessageKind::get_reply;
    header.channel = asked.channel;
    if (is_atomic) {
      header.detail.atomic = {5, 0, asked.detail.atomic.token};
    } else if (asked.kind == MessageKind::get_strided) {
      header.number     = asked.number;
      header.detail.get = {bytes, asked.detail.strided.token};
    } else {
      header.detail.get = {bytes, asked.detail.get.token};
    }
  }

  Pe from = 1;
  MessageHeader header{};
  std::vector<std::byte> payload;
  int n_times = 1;
};

/// PE 0 asks, and gets this reply instead of PE 1's.
void answer(std::function<void(Channel&)> const& ask, std::size_t bytes,
            std::function<void(Reply&)> const& change) {
  LastAsked asked;
  FakeJob job(3);
  job.network.set_observer(asked);
  ask(job[0].channel());
  static_cast<void>(job[0].poll());  // sends a batch
  job.network.drop_all();
  Reply reply(asked.header, bytes);
  change(reply);
  Channel::Counter n_unsent = 0;
  symm::Impl::PendingOperation unsent{.left = &n_unsent};
  auto const engine = job.network.engine_of(reply.from);
  for (int i = 0; i < reply.n_times; ++i) {
    bool const is_large = bytes > MessageEngine::max_eager;
    engine->send(0, symm::Impl::bytes_of(reply.header), reply.payload,
                 is_large ? reinterpret_cast<std::size_t>(&unsent) : 0);
  }
  job.deliver_all();
  ::_exit(0);
}

TEST_F(TransportDeathTest, a_reply_that_fits_no_question_names_its_pe) {
  PeMemory const there{1, Segment::host_heap, 64};
  std::vector<std::byte> got(100'000);
  std::uint64_t was = 0;
  OperationHandle handle;
  auto const get = [&](std::size_t bytes) {
    return [&, bytes](Channel& it) {
      it.get(got.data(), there, bytes, Completion::none,
             {"test", nullptr, &handle});
    };
  };
  auto const fetch = [&](Channel& it) {
    it.fetch_nbi(there, AtomicOp::add, WordType::u64, 1, 0, &was,
                 {"test", nullptr, &handle});
  };
  auto const batch = [&](Channel& it) {
    it.get(got.data(), there, 8, Completion::none);
    it.get(got.data() + 8, there, 5, Completion::none);
  };
  auto const as_it_is = [](Reply&) {};
  auto const twice    = [](Reply& it) { it.n_times = 2; };
  auto const by_2     = [](Reply& it) { it.from = 2; };
  auto const as_word  = [](Reply& it) {
    auto const token        = it.header.detail.get.token;
    it.header.kind          = MessageKind::atomic_reply;
    it.header.detail.atomic = {5, 0, token};
  };
  auto const as_block = [](Reply& it) {
    auto const token     = it.header.detail.atomic.token;
    it.header.kind       = MessageKind::get_reply;
    it.header.detail.get = {8, token};
  };
  auto const with_wild_token = [](Reply& it) {
    it.header.detail.get.token ^= 0x00ff'00ff'00ffU;
    it.header.detail.atomic.token ^= 0x00ff'00ff'00ffU;
  };
  struct Case {
    std::function<void(Channel&)> ask;
    std::size_t bytes;
    std::function<void(Reply&)> change;
    Pe wrong;  // -1: none
  };
  std::vector<Case> const cases{
      {get(8), 8, as_it_is, -1},
      {get(8), 8, twice, 1},
      {get(8), 8, with_wild_token, 1},
      {get(8), 8, [](Reply& it) { it.header.detail.get.token = 1; }, 1},
      {get(8), 8, [](Reply& it) { it.header.detail.get.token = 0; }, 1},
      {get(8), 8, [](Reply& it) { it.header.channel = 77; }, 1},
      {get(8), 8, by_2, 2},
      {get(8), 4, as_it_is, 1},
      {get(8), 16, as_it_is, 1},
      {get(8), 0, as_it_is, 1},
      {get(8), 0, as_word, 1},
      {get(70'000), 70'000, as_it_is, -1},
      {get(70'000), 70'000, twice, 1},
      {get(70'000), 70'000, with_wild_token, 1},
      {get(70'000), 69'999, as_it_is, 1},
      {get(70'000), 99'000, as_it_is, 1},
      {get(70'000), 8, as_it_is, 1},
      {fetch, 0, as_it_is, -1},
      {fetch, 0, twice, 1},
      {fetch, 0, with_wild_token, 1},
      {fetch, 8, as_it_is, 1},
      {fetch, 8, as_block, 1},
      {batch, 16, as_it_is, -1},
      {batch, 16, twice, 1},
      {batch, 8, as_it_is, 1},
      {batch, 24, as_it_is, 1},
      {batch, 70'000, as_it_is, 1},
      {batch, 0, as_word, 1},
  };
  for (std::size_t i = 0; i < cases.size(); ++i) {
    auto const& [ask, bytes, change, wrong] = cases[i];
    bool const is_right                     = wrong < 0;
    auto const text = "PE 0: PE " + std::to_string(wrong) +
                      " of another node has sent an invalid message";
    EXPECT_EXIT(answer(ask, bytes, change),
                ExitedWithCode(is_right ? 0 : ended_status),
                is_right ? "" : text)
        << "case " << i;
  }
}

void say_farewell(std::uint64_t lost, std::uint64_t found_by) {
  FakeJob job(2);
  MessageHeader const header{
      .kind = MessageKind::farewell, .number = lost, .offset = found_by};
  auto const engine = job.network.engine_of(1);
  engine->send(0, symm::Impl::bytes_of(header));
  job.deliver_all();
  static_cast<void>(job[0].poll());
}

TEST_F(TransportDeathTest, a_farewell_of_a_pe_that_is_not_there_is_nonsense) {
  EXPECT_EXIT(say_farewell(1, 1), ExitedWithCode(ended_status),
              "PE 1 has ended the job");
  for (auto const& [lost, found_by] : {std::pair{2U, 1U}, std::pair{1U, ~0U}}) {
    EXPECT_EXIT(say_farewell(lost, found_by), ExitedWithCode(ended_status),
                "PE 1 of another node has sent an invalid message");
  }
}

TEST_F(TransportDeathTest, memory_of_gpus_is_refused_with_a_remedy) {
  for (auto const segment :
       {Segment::device_heap, Segment::device_team_words}) {
    EXPECT_EXIT(use_bad_memory([&](auto& it) {
                  it.channel().put({1, segment, 0}, &word, 8);
                }),
                ExitedWithCode(ended_status),
                "a put of 8 bytes at offset .* of segment [13] of this PE, "
                "which has no memory there");
  }
}

TEST(TransportFaults, a_message_that_comes_at_the_end_is_answered) {
  FakeJob job(2);
  std::uint64_t const value = 5;
  job[0].channel().put({1, Segment::host_heap, 8}, &value, 8);
  ASSERT_EQ(job.network.n_waiting(), 1);  // it asks for an ack
  job.pes[1].reset();
  EXPECT_EQ(job.target(1).at(8), value);
  job[0].quiet();
}

}  // namespace
