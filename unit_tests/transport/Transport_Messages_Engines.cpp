// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
// Transport_Messages over engines of all network libraries: all operations
// between processes.
#include <unistd.h>

#include <csignal>
#include <support/Shared.hpp>

#include "network_test.hpp"
#include "transport_test.hpp"

namespace {

using namespace symm_test;

class TransportOverEngine : public NetworkTest {};

SYMM_TEST_FOR_ALL_NETWORKS(TransportOverEngine);

/// A PE that is a node of its own.
struct NodePe {
  explicit NodePe(ForkedBootstrap& its_bootstrap)
      : bootstrap(its_bootstrap),
        me(bootstrap.my_pe()),
        parts(bootstrap),
        transport(
            me, bootstrap.n_pes(), parts.make({}), target,
            [this] { bootstrap.abort(); }, Transport_Messages::Options{}) {
    bootstrap.barrier();
  }
  [[nodiscard]] Pe next() const { return (me + 1) % bootstrap.n_pes(); }
  [[nodiscard]] Pe before() const {
    return (me + bootstrap.n_pes() - 1) % bootstrap.n_pes();
  }

  ForkedBootstrap& bootstrap;
  Pe me;
  EngineParts parts;
  TestTarget target;
  Transport_Messages transport;
};

std::uint64_t id_of(Pe from, std::size_t i) {
  return static_cast<std::uint64_t>(from) * 1000 + i;
}

TEST_P(TransportOverEngine, blocks_of_all_sizes_are_put_and_got) {
  expect_on_pes(3, [](ForkedBootstrap& bootstrap) {
    NodePe pe(bootstrap);
    constexpr std::size_t first = 4096;
    for (auto const completion : {Completion::local, Completion::none}) {
      for (std::size_t i = 0; i < block_sizes.size(); ++i) {
        auto const bytes  = block_sizes[i];
        auto const offset = first + i % 3;
        auto const block  = block_of(id_of(pe.me, i), bytes);
        pe.transport.channel().put({pe.next(), Segment::host_heap, offset},
                                   block.data(), bytes, completion);
        pe.transport.channel().quiet();
        bootstrap.barrier();
        EXPECT_TRUE(
            holds(pe.target.heap() + offset, id_of(pe.before(), i), bytes))
            << bytes;
        std::vector<std::byte> got(64 + bytes + 64);
        pe.transport.channel().get(got.data() + 64,
                                   {pe.before(), Segment::host_heap, offset},
                                   bytes, completion);
        pe.transport.channel().quiet();
        auto const two_before = (pe.me + 1) % 3;
        EXPECT_TRUE(holds(got.data() + 64, id_of(two_before, i), bytes));
        bootstrap.barrier();
        std::fill_n(pe.target.heap() + offset, bytes, std::byte{});
        bootstrap.barrier();
      }
    }
    pe.transport.close();
  });
}

TEST_P(TransportOverEngine, strided_elements_go_where_they_belong) {
  expect_on_pes(2, [](ForkedBootstrap& bootstrap) {
    NodePe pe(bootstrap);
    Strides const strides{12, 5000, 24, 36};
    auto const local =
        block_of(id_of(pe.me, 0), strides.count * strides.local_bytes);
    PeMemory const there{pe.next(), Segment::host_heap, 4096};
    pe.transport.channel().put_strided(there, local.data(), strides);
    pe.transport.channel().quiet();
    bootstrap.barrier();
    for (std::size_t i = 0; i < strides.count * strides.remote_bytes; ++i) {
      auto const at       = i % strides.remote_bytes;
      auto const element  = i / strides.remote_bytes;
      bool const is_there = at < strides.element_bytes;
      auto const wanted   = is_there
                                ? pattern_of(id_of(pe.before(), 0),
                                             element * strides.local_bytes + at)
                                : std::byte{};
      ASSERT_EQ(pe.target.heap()[4096 + i], wanted) << i;
    }
    std::vector<std::byte> got(local.size());
    pe.transport.channel().get_strided(got.data(), there, strides);
    for (std::size_t i = 0; i < got.size(); ++i) {
      bool const is_element = i % strides.local_bytes < strides.element_bytes;
      ASSERT_EQ(got[i], is_element ? local[i] : std::byte{}) << i;
    }
    bootstrap.barrier();
    pe.transport.close();
  });
}

/// Waits as a program does.
void wait_for_word(NodePe& pe, std::size_t offset, std::uint64_t value) {
  std::atomic_ref<std::uint64_t> const word(pe.target.at(offset));
  auto const deadline = Clock::now() + std::chrono::seconds(20);
  while (word.load(std::memory_order_acquire) != value) {
    if (!pe.transport.poll()) std::this_thread::yield();
    ASSERT_LT(Clock::now(), deadline) << "waiting for " << value;
  }
}

TEST_P(TransportOverEngine,
       signals_and_flags_behind_fences_come_after_the_data) {
  expect_on_pes(2, [](ForkedBootstrap& bootstrap) {
    NodePe pe(bootstrap);
    PeMemory const data{pe.next(), Segment::host_heap, 4096};
    PeMemory const signal{pe.next(), Segment::host_heap, 64};
    std::uint64_t round = 0;
    for (int repeat = 0; repeat < 20; ++repeat) {
      for (std::size_t const bytes : {8U, 3001U, 65'536U, 65'537U, 1U << 20U}) {
        ++round;
        auto const block = block_of(id_of(pe.me, round), bytes);
        if (round % 2 == 0) {
          pe.transport.channel().put_signal(data, block.data(), bytes, signal,
                                            round, AtomicOp::set,
                                            Completion::none);
        } else {
          pe.transport.channel().put(data, block.data(), bytes,
                                     Completion::none);
          pe.transport.channel().fence();
          pe.transport.channel().post_atomic(signal, AtomicOp::set,
                                             WordType::u64, round);
        }
        wait_for_word(pe, 64, round);
        EXPECT_TRUE(
            holds(pe.target.heap() + 4096, id_of(pe.before(), round), bytes))
            << bytes;
        std::fill_n(pe.target.heap() + 4096, bytes, std::byte{});
        pe.transport.channel().quiet();
        bootstrap.barrier();
      }
    }
    pe.transport.close();
  });
}

TEST_P(TransportOverEngine, atomics_of_all_pes_add_up) {
  expect_on_pes(4, [](ForkedBootstrap& bootstrap) {
    NodePe pe(bootstrap);
    constexpr std::uint64_t n = 2000;
    std::uint64_t sum         = 0;
    for (Pe to = 0; to < 4; ++to) {
      if (to == pe.me) continue;
      for (std::uint64_t i = 0; i < n; ++i) {
        pe.transport.channel().post_atomic({to, Segment::host_heap, 64},
                                           AtomicOp::add, WordType::u64, 1);
        if (i % 16 != 0) continue;
        sum += pe.transport.channel().atomic({to, Segment::host_team_words, 8},
                                             AtomicOp::add, WordType::u64, 1);
      }
    }
    EXPECT_GT(sum, 0U);
    pe.transport.channel().quiet();
    bootstrap.barrier();
    EXPECT_EQ(pe.target.at(64), 3 * n);
    auto* const words = pe.target.find(Segment::host_team_words, 8, 8);
    EXPECT_EQ(*reinterpret_cast<std::uint64_t*>(words), 3 * n / 16);
    bootstrap.barrier();
    pe.transport.close();
  });
}

TEST_P(TransportOverEngine,
       a_pe_that_never_calls_serves_puts_gets_and_batches) {
  expect_on_pes(2, [](ForkedBootstrap& bootstrap) {
    NodePe pe(bootstrap);
    if (pe.me == 0) {
      std::uint64_t word = 41;
      pe.transport.channel().put({1, Segment::host_heap, 64}, &word, 8,
                                 Completion::none);
      // Neither does this one call, and yet it arrives.
      std::this_thread::sleep_for(std::chrono::milliseconds(200));
    } else {
      auto const deadline = Clock::now() + std::chrono::seconds(10);
      std::atomic_ref<std::uint64_t> const word(pe.target.at(64));
      while (word.load() != 41 && Clock::now() < deadline) {
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
      }
      EXPECT_EQ(word.load(), 41U);
    }
    bootstrap.barrier();
    if (pe.me == 0) {
      std::uint64_t got = 0;
      pe.transport.channel().get(&got, {1, Segment::host_heap, 64}, 8);
      EXPECT_EQ(got, 41U);
    }
    bootstrap.barrier();
    pe.transport.close();
  });
}

TEST_P(TransportOverEngine, threads_of_all_pes_put_and_get_at_once) {
  expect_on_pes(2, [](ForkedBootstrap& bootstrap) {
    NodePe pe(bootstrap);
    std::vector<std::thread> threads;
    for (std::size_t t = 0; t < 3; ++t) {
      threads.emplace_back([&, t] {
        std::size_t const mine = (1 + t) << 19U;
        for (std::size_t i = 0; i < 300; ++i) {
          auto const bytes = block_sizes[(i + t) % block_sizes.size()] % 70'000;
          auto const block = block_of(id_of(pe.me, i), bytes);
          PeMemory const there{pe.next(), Segment::host_heap, mine};
          pe.transport.channel().put(
              there, block.data(), bytes,
              i % 2 == 0 ? Completion::local : Completion::none);
          pe.transport.channel().quiet();
          std::vector<std::byte> got(bytes);
          pe.transport.channel().get(got.data(), there, bytes);
          ASSERT_EQ(got, block) << i;
        }
      });
    }
    for (auto& thread : threads) thread.join();
    bootstrap.barrier();
    pe.transport.close();
  });
}

TEST_P(TransportOverEngine, notes_of_all_sizes_come_by_their_numbers) {
  expect_on_pes(3, [](ForkedBootstrap& bootstrap) {
    NodePe pe(bootstrap);
    for (Pe to = 0; to < 3; ++to) {
      if (to == pe.me) continue;
      for (std::size_t i = 0; i < block_sizes.size(); ++i) {
        pe.transport.send(to, i, block_of(id_of(pe.me, i), block_sizes[i]));
      }
    }
    for (Pe from = 0; from < 3; ++from) {
      if (from == pe.me) continue;
      for (std::size_t i = block_sizes.size(); i-- > 0;) {
        EXPECT_EQ(pe.transport.receive(from, i),
                  block_of(id_of(from, i), block_sizes[i]));
      }
    }
    bootstrap.barrier();
    pe.transport.close();
  });
}

/// A thread that puts to PE 1 until the job says that it is over.
class Putter {
 public:
  Putter(Channel& channel, std::size_t bytes, std::atomic<bool> const& is_over)
      : m_thread([this, &channel, bytes, &is_over] {
          std::vector<std::byte> const block(bytes);
          while (!is_over) {
            channel.put({1, Segment::host_heap, 4096}, block.data(), bytes);
            ++m_n_puts;
          }
        }) {}
  ~Putter() { m_thread.join(); }
  Putter(Putter const&)            = delete;
  Putter& operator=(Putter const&) = delete;

  /// Until it has put nothing for a while; false: it goes on for too long.
  [[nodiscard]] bool waits_in_time() const {
    auto const deadline = Clock::now() + std::chrono::seconds(20);
    auto seen           = m_n_puts.load();
    auto seen_at        = Clock::now();
    while (Clock::now() < deadline) {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
      if (auto const now = m_n_puts.load(); now != seen) {
        seen    = now;
        seen_at = Clock::now();
      }
      if (Clock::now() - seen_at > std::chrono::milliseconds(200)) return true;
    }
    return false;
  }

 private:
  std::atomic<std::uint64_t> m_n_puts{0};
  std::thread m_thread;
};

bool is_set_within(std::atomic<bool> const& flag, std::chrono::seconds most) {
  auto const deadline = Clock::now() + most;
  while (!flag && Clock::now() < deadline) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return flag;
}

TEST_P(TransportOverEngine,
       a_pe_that_takes_no_messages_holds_up_no_operation_on_another) {
  using namespace std::chrono_literals;
  struct Steps {
    std::atomic<pid_t> pe{0};  // that is stopped
    std::atomic<bool> is_stopped{false};
    std::atomic<bool> is_full{false};
    std::atomic<bool> is_over{false};
  };
  for (std::size_t const bytes : {8U, 300U, 60'000U}) {
    Shared<Steps> const steps;
    expect_on_pes(3, [&](ForkedBootstrap& bootstrap) {
      NodePe pe(bootstrap);
      auto& first              = pe.transport.channel();
      std::uint64_t const word = 7;
      if (pe.me == 0) {
        for (Pe const to : {1, 2}) {
          first.put({to, Segment::host_heap, 64}, &word, 8);
        }
        first.quiet();
      }
      if (pe.me == 1) steps->pe = ::getpid();
      bootstrap.barrier();
      if (pe.me == 2) {
        EXPECT_EQ(::kill(steps->pe, SIGSTOP), 0);
        steps->is_stopped = true;
        EXPECT_TRUE(is_set_within(steps->is_full, 30s));
        EXPECT_TRUE(is_set_within(steps->is_over, 10s)) << bytes << " bytes";
        EXPECT_EQ(::kill(steps->pe, SIGCONT), 0);
      } else if (pe.me == 0) {
        EXPECT_TRUE(is_set_within(steps->is_stopped, 10s));
        auto& other = *pe.transport.open_channel();
        // One channel fills its window, two fill what the engine takes.
        Putter const in_other(other, bytes, steps->is_over);
        EXPECT_TRUE(in_other.waits_in_time()) << bytes;
        Putter const in_first(first, bytes, steps->is_over);
        EXPECT_TRUE(in_first.waits_in_time()) << bytes;
        steps->is_full = true;
        Pe const only  = 2;
        for (auto* const channel : {&other, &first}) {
          channel->put({2, Segment::host_heap, 72}, &word, 8);
          channel->quiet(std::span(&only, 1));
          std::uint64_t got = 0;
          channel->get(&got, {2, Segment::host_heap, 72}, 8);
          EXPECT_EQ(got, word);
        }
        steps->is_over = true;
      }
      bootstrap.barrier();
      pe.transport.close();
    });
  }
}

TEST_P(TransportOverEngine, a_killed_pe_ends_those_that_wait_for_it) {
  auto const results = try_pes(2, {}, [](ForkedBootstrap& bootstrap) {
    NodePe pe(bootstrap);
    std::uint64_t got = 0;
    pe.transport.channel().get(&got, {pe.next(), Segment::host_heap, 64}, 8);
    bootstrap.barrier();
    if (pe.me == 1) ::_exit(9);
    static_cast<void>(pe.transport.receive(1, 1));
  });
  EXPECT_TRUE(results[0].has_exited_with(aborted_status));
  EXPECT_NE(results[0].output.find("PE 0: PE 1 is lost: "), std::string::npos)
      << results[0].output;
  EXPECT_NE(results[0].output.find("in a collective call, which needs PE 1"),
            std::string::npos);
}

}  // namespace
