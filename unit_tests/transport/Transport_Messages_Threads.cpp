// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
// Transport_Messages over a fake engine: threads. (Random operations are in
// guard/.)
#include <atomic>
#include <thread>

#include "transport_test.hpp"

namespace {

using namespace symm_test;
using namespace std::chrono_literals;
using Order = FakeNetwork::Order;
using Clock = std::chrono::steady_clock;

/// Runs body(i) on threads of their own.
template <class Body>
void on_threads(int n, Body const& body) {
  std::vector<std::thread> threads;
  for (int i = 0; i < n; ++i) threads.emplace_back([&, i] { body(i); });
  for (auto& thread : threads) thread.join();
}

TEST(TransportThreads, a_batch_is_sent_in_time) {
  FakeJob job(2, Order::as_sent, 1, {});
  for (std::uint64_t round = 1; round <= 3; ++round) {
    job[0].channel().put({1, Segment::host_heap, 64}, &round, 8,
                         Completion::none);
    auto const deadline = Clock::now() + 10s;
    while (job.target(1).at(64) != round && Clock::now() < deadline) {
      job.deliver_all();  // as the engine's thread does
      std::this_thread::sleep_for(100us);
    }
    EXPECT_EQ(job.target(1).at(64), round);
    std::this_thread::sleep_for(20ms);  // until the thread sleeps
  }
}

TEST(TransportThreads, pes_in_blocking_calls_to_each_other_go_on) {
  FakeJob job(2, Order::random, 3);
  job.target(0).at(64) = 100;
  job.target(1).at(64) = 101;
  on_threads(2, [&](int me) {
    PeMemory const there{1 - me, Segment::host_heap, 64};
    std::vector<std::byte> large(100'000);
    for (int i = 0; i < 2000; ++i) {
      std::uint64_t got = 0;
      job[me].channel().get(&got, there, 8);
      EXPECT_EQ(got, static_cast<std::uint64_t>(101 - me));
      if (i % 100 == 0) {
        job[me].channel().get(large.data(), {1 - me, Segment::host_heap, 4096},
                              large.size());
        job[me].channel().put({1 - me, Segment::host_heap, 1 << 20},
                              large.data(), large.size());
      }
    }
    job[me].channel().quiet();
  });
}

TEST(TransportThreads, atomics_of_many_threads_add_up) {
  FakeJob job(3, Order::random, 5, {});
  constexpr std::uint64_t n = 3000;
  on_threads(4, [&](int thread) {
    auto& pe = job[thread / 2];
    PeMemory const there{2, Segment::host_heap, 64};
    for (std::uint64_t i = 0; i < n; ++i) {
      pe.channel().post_atomic(there, AtomicOp::add, WordType::u64, 1);
      if (i % 8 == 0) {
        static_cast<void>(pe.channel().atomic({2, Segment::host_heap, 72},
                                              AtomicOp::add, WordType::u64, 1));
      }
      if (i % 100 == 0) pe.channel().fence();
    }
    pe.channel().quiet();
  });
  EXPECT_EQ(job.target(2).at(64), 4 * n);
  EXPECT_EQ(job.target(2).at(72), 4 * n / 8);
}

TEST(TransportThreads, quiet_of_one_thread_does_not_hide_what_others_did) {
  FakeJob job(2, Order::random, 5);
  on_threads(4, [&](int thread) {
    auto const at = 64 + 8 * static_cast<std::size_t>(thread);
    for (std::uint64_t i = 1; i <= 2000; ++i) {
      job[0].channel().put({1, Segment::host_heap, at}, &i, 8,
                           i % 2 == 0 ? Completion::none : Completion::local);
      job[0].channel().quiet();
      std::atomic_ref<std::uint64_t> const word(job.target(1).at(at));
      EXPECT_EQ(word.load(), i);
    }
  });
}

/// Another thread of the PE, which begins something whenever something is done.
class Busy final : public FakeNetwork::Observer {
 public:
  explicit Busy(std::function<void()> begin) : m_begin(std::move(begin)) {}
  void sent(Pe /*from*/, Pe /*to*/, std::span<std::byte const> /*header*/,
            std::size_t /*bytes*/, bool /*is_copied*/) override {}
  void delivered(Pe /*from*/, Pe /*to*/,
                 std::span<std::byte const> /*header*/) override {}
  void stepped() override {
    if (n >= most || m_is_inside) return;
    m_is_inside = true;
    ++n;
    m_begin();
    m_is_inside = false;
  }
  static constexpr int most = 2000;
  int n                     = 0;

 private:
  std::function<void()> m_begin;
  bool m_is_inside = false;
};

TEST(TransportThreads, quiet_waits_for_nothing_that_others_begin_meanwhile) {
  for (std::size_t const bytes : {8U, 100'000U}) {
    for (bool const gets : {false, true}) {
      FakeJob job(2);
      std::vector<std::byte> memory(bytes);
      PeMemory const there{1, Segment::host_heap, 64};
      Busy other([&] {
        if (gets) {
          job[0].channel().get(memory.data(), there, bytes, Completion::none);
        } else {
          job[0].channel().put(there, memory.data(), bytes, Completion::none);
        }
      });
      std::uint64_t const word = 7;
      job[0].channel().put({1, Segment::host_heap, 8}, &word, 8,
                           Completion::none);
      job[0].channel().get(memory.data(), there, bytes, Completion::none);
      job.network.set_observer(other);
      job[0].channel().quiet();
      EXPECT_LT(other.n, other.most) << bytes << (gets ? " got" : " put");
      EXPECT_EQ(job.target(1).at(8), word);
      other.n = other.most;
      job[0].channel().quiet();
    }
  }
}

TEST(TransportThreads, a_large_put_waits_for_no_fence_that_comes_meanwhile) {
  FakeJob job(2, Order::random, 5);
  std::atomic<bool> is_over = false;
  std::thread other([&] {
    std::uint64_t word = 0;
    while (!is_over) {
      job[0].channel().put({1, Segment::host_heap, 8}, &++word, 8);
      job[0].channel().fence();
    }
  });
  std::this_thread::sleep_for(100ms);  // the window is full of them
  auto const block = block_of(1, 100'000);
  for (int i = 0; i < 20; ++i) {
    job[0].channel().put({1, Segment::host_heap, 4096}, block.data(),
                         block.size());
  }
  is_over = true;
  other.join();
  job[0].channel().quiet();
  EXPECT_TRUE(holds(job.target(1).heap() + 4096, 1, block.size()));
}

}  // namespace
