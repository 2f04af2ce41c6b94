// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
// Transport_Messages over a fake engine: threads, and random operations.
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
  FakeJob job(2, Order::as_sent, 1, 250us);
  for (std::uint64_t round = 1; round <= 3; ++round) {
    job[0].put({1, Segment::host_heap, 64}, &round, 8, Until::is_begun);
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
    Remote const there{1 - me, Segment::host_heap, 64};
    std::vector<std::byte> large(100'000);
    for (int i = 0; i < 2000; ++i) {
      std::uint64_t got = 0;
      job[me].get(&got, there, 8);
      EXPECT_EQ(got, static_cast<std::uint64_t>(101 - me));
      if (i % 100 == 0) {
        job[me].get(large.data(), {1 - me, Segment::host_heap, 4096},
                    large.size());
        job[me].put({1 - me, Segment::host_heap, 1 << 20}, large.data(),
                    large.size());
      }
    }
    job[me].quiet();
  });
}

TEST(TransportThreads, atomics_of_many_threads_add_up) {
  FakeJob job(3, Order::random, 5, 250us);
  constexpr std::uint64_t n = 3000;
  on_threads(4, [&](int thread) {
    auto& pe = job[thread / 2];
    Remote const there{2, Segment::host_heap, 64};
    for (std::uint64_t i = 0; i < n; ++i) {
      pe.post_atomic(there, AtomicOp::add, WordType::u64, 1);
      if (i % 8 == 0) {
        static_cast<void>(pe.atomic({2, Segment::host_heap, 72}, AtomicOp::add,
                                    WordType::u64, 1));
      }
      if (i % 100 == 0) pe.fence();
    }
    pe.quiet();
  });
  EXPECT_EQ(job.target(2).at(64), 4 * n);
  EXPECT_EQ(job.target(2).at(72), 4 * n / 8);
}

TEST(TransportThreads, quiet_of_one_thread_does_not_hide_what_others_did) {
  FakeJob job(2, Order::random, 5);
  on_threads(4, [&](int thread) {
    auto const at = 64 + 8 * static_cast<std::size_t>(thread);
    for (std::uint64_t i = 1; i <= 2000; ++i) {
      job[0].put({1, Segment::host_heap, at}, &i, 8,
                 i % 2 == 0 ? Until::is_begun : Until::is_safe);
      job[0].quiet();
      std::atomic_ref<std::uint64_t> const word(job.target(1).at(at));
      EXPECT_EQ(word.load(), i);
    }
  });
}

/// What one PE does: random operations on memory of the others that no other PE
/// changes, and what has to be there after each quiet().
class Actor {
 public:
  Actor(FakeJob& job, Pe me, std::uint64_t seed)
      : m_job(job), m_me(me), m_random(seed) {
    for (auto& model : m_models) model.resize(region);
  }

  void step() {
    auto const pe = static_cast<Pe>((m_me + 1 + int(below(2))) % 3);
    switch (below(12)) {
      case 0:
      case 1: put(pe, below(600), Until::is_begun); break;
      case 2: put(pe, below(3000), Until::is_safe); break;
      case 3: put(pe, 65'000 + below(2000), any_until()); break;
      case 4: put_strided(pe); break;
      case 5: add(pe, false); break;
      case 6: add(pe, true); break;
      case 7: put_signal(pe); break;
      case 8: m_job[m_me].fence(); break;
      case 9: check_get(pe); break;
      case 10: static_cast<void>(m_job[m_me].poll()); break;
      default: check_all();
    }
  }

  void check_all() {
    settle();
    for (Pe pe = 0; pe < 3; ++pe) {
      if (pe == m_me) continue;
      EXPECT_EQ(std::memcmp(m_job.target(pe).heap() + base(), model(pe).data(),
                            region),
                0)
          << "PE " << m_me << " at PE " << pe;
    }
  }

 private:
  static constexpr std::size_t region  = 256U << 10U;
  static constexpr std::size_t n_words = 64;  // for atomics and signals

  std::uint64_t below(std::uint64_t n) { return m_random() % n; }
  Until any_until() { return below(2) == 0 ? Until::is_safe : Until::is_begun; }
  [[nodiscard]] std::size_t base() const {
    return static_cast<std::size_t>(m_me) * region;
  }
  std::vector<std::byte>& model(Pe pe) {
    return m_models[static_cast<std::size_t>(pe)];
  }
  void settle() {
    m_job[m_me].quiet();
    m_sources.clear();
    m_is_written.assign(3 * region, false);
  }
  /// Two puts to one place may come in any order, so there is a quiet()
  /// between them.
  std::size_t free_place(Pe pe, std::size_t bytes) {
    auto const at = n_words * 8 + below(region - n_words * 8 - bytes + 1);
    auto const first =
        m_is_written.begin() +
        static_cast<std::ptrdiff_t>(static_cast<std::size_t>(pe) * region + at);
    auto const last = first + static_cast<std::ptrdiff_t>(bytes);
    if (std::find(first, last, true) != last) settle();
    std::fill(first, last, true);
    return at;
  }
  std::byte const* source(std::size_t bytes) {
    m_sources.push_back(block_of(++m_id * 3 + std::uint64_t(m_me), bytes));
    return m_sources.back().data();
  }
  void put(Pe pe, std::size_t bytes, Until until) {
    auto const at    = free_place(pe, bytes);
    auto const* from = source(bytes);
    m_job[m_me].put(there(pe, at), from, bytes, until);
    std::copy_n(from, bytes, model(pe).data() + at);
  }
  void put_strided(Pe pe) {
    Strides const strides{1 + below(40), below(500), 50 + below(50),
                          40 + below(9)};
    auto const at    = free_place(pe, strides.count * strides.remote_bytes);
    auto const* from = source(strides.count * strides.local_bytes + 1);
    m_job[m_me].put_strided(there(pe, at), from, strides);
    for (std::size_t i = 0; i < strides.count; ++i) {
      std::copy_n(from + i * strides.local_bytes, strides.element_bytes,
                  model(pe).data() + at + i * strides.remote_bytes);
    }
  }
  void add(Pe pe, bool fetches) {
    auto const at = below(n_words / 2) * 8;
    std::uint64_t word{};
    std::memcpy(&word, model(pe).data() + at, 8);
    auto const value = below(1000);
    if (fetches) {
      // Posted ones may not be there yet.
      EXPECT_LE(m_job[m_me].atomic(there(pe, at), AtomicOp::add, WordType::u64,
                                   value),
                word);
    } else {
      m_job[m_me].post_atomic(there(pe, at), AtomicOp::add, WordType::u64,
                              value);
    }
    word += value;
    std::memcpy(model(pe).data() + at, &word, 8);
  }
  void put_signal(Pe pe) {
    auto const bytes  = below(2) == 0 ? below(100) : 65'500 + below(100);
    auto const at     = free_place(pe, bytes);
    auto const* from  = source(bytes);
    auto const signal = (n_words / 2 + below(n_words / 2)) * 8;
    std::uint64_t word{};
    std::memcpy(&word, model(pe).data() + signal, 8);
    m_job[m_me].put_signal(there(pe, at), from, bytes, there(pe, signal), 3,
                           AtomicOp::add, any_until());
    word += 3;
    std::memcpy(model(pe).data() + signal, &word, 8);
    std::copy_n(from, bytes, model(pe).data() + at);
  }
  void check_get(Pe pe) {
    settle();
    auto const bytes = below(2) == 0 ? below(300) : below(100'000);
    auto const at    = below(region - bytes);
    std::vector<std::byte> got(bytes);
    m_job[m_me].get(got.data(), there(pe, at), bytes);
    EXPECT_TRUE(std::equal(got.begin(), got.end(), model(pe).data() + at));
  }
  [[nodiscard]] Remote there(Pe pe, std::size_t at) const {
    return {pe, Segment::host_heap, base() + at};
  }

  FakeJob& m_job;
  Pe m_me;
  std::mt19937_64 m_random;
  std::uint64_t m_id = 0;
  std::array<std::vector<std::byte>, 3> m_models;
  std::vector<bool> m_is_written = std::vector<bool>(3 * region);
  std::deque<std::vector<std::byte>> m_sources;
};

TEST(TransportStress, random_operations_leave_what_the_model_says) {
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    FakeJob job(3, Order::random, seed);
    std::vector<Actor> actors;
    for (Pe pe = 0; pe < 3; ++pe) actors.emplace_back(job, pe, seed * 3 + 7U);
    for (int i = 0; i < 900; ++i) {
      actors[static_cast<std::size_t>(i % 3)].step();
      if (testing::Test::HasFailure()) {
        FAIL() << "seed " << seed << ", step " << i;
      }
    }
    for (auto& actor : actors) actor.check_all();
  }
}

TEST(TransportStress, the_same_with_a_thread_each) {
  FakeJob job(3, Order::random, 77, 250us);
  std::vector<Actor> actors;
  for (Pe pe = 0; pe < 3; ++pe)
    actors.emplace_back(job, pe, 78U + unsigned(pe));
  on_threads(3, [&](int pe) {
    auto& actor = actors[static_cast<std::size_t>(pe)];
    for (int i = 0; i < 800; ++i) actor.step();
    actor.check_all();
  });
}

}  // namespace
