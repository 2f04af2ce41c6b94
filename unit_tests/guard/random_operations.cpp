// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

// The messages between nodes: random operations against a model, over a network
// that delays messages and changes their order.

#include <gtest/gtest.h>

#include <cstdint>
#include <cstdlib>
#include <guard/GuardOptions.hpp>
#include <guard/ProtocolCoverage.hpp>
#include <guard/RandomOperations.hpp>
#include <memory>
#include <numeric>
#include <string>
#include <support/Sanitizers.hpp>
#include <thread>
#include <vector>

#include "../transport/transport_test.hpp"

namespace symm_test {
namespace {

using Kind    = ProtocolCoverage::Kind;
using Arrival = ProtocolCoverage::Arrival;
using Window  = ProtocolCoverage::Window;

/// So small that states of the window change all the time.
constexpr std::size_t half_window       = std::size_t{32} << 10U;
constexpr int n_pes                     = 3;
constexpr int n_threads                 = 5;  // PE 0 has three
constexpr std::uint64_t n_steps_a_round = 2000;

Pe pe_of(int thread) { return thread < 3 ? 0 : thread - 2; }

struct Round {
  Round(std::uint64_t seed, Transport_Messages::Options options)
      : job(n_pes, FakeNetwork::Order::random, seed, options) {
    for (int i = 0; i < n_threads; ++i) {
      std::vector<Pe> far_pes;
      for (Pe pe = 0; pe < n_pes; ++pe) {
        if (pe != pe_of(i)) far_pes.push_back(pe);
      }
      auto const pass = [this, from = pe_of(i)](
                            Pe to, std::uint64_t number,
                            std::span<std::byte const> message) {
        job[from].send(to, number, message);
        auto const come = job[to].receive(from, number);
        EXPECT_TRUE(std::equal(come.begin(), come.end(), message.begin(),
                               message.end()));
      };
      threads.emplace_back(RandomOperations::Job{
          job[pe_of(i)], far_pes,
          static_cast<std::size_t>(i) * RandomOperations::region_bytes,
          seed * n_threads + static_cast<std::uint64_t>(i), pass,
          // In every other round they have channels of their own.
          seed % 2 == 0 ? nullptr : job[pe_of(i)].open_channel()});
    }
  }

  FakeJob job;
  std::vector<RandomOperations> threads;
};
static_assert(n_threads * RandomOperations::region_bytes <=
              TestTarget::heap_bytes);

/// Steps of all threads: at least so many, and as many as time allows where
/// scripts/guard.sh gives some.
class Steps {
 public:
  explicit Steps(std::uint64_t at_least) : m_left(at_least) {}
  bool goes_on() {
    bool const has_time =
        std::getenv("SYMM_GUARD_SECONDS") != nullptr &&
        m_clock.has_time_left(std::to_string(m_done) + " operations");
    m_done += n_steps_a_round;
    bool const is_wanted = m_left != 0;
    m_left -= std::min(m_left, n_steps_a_round);
    return is_wanted || has_time;
  }

 private:
  std::uint64_t m_left;
  std::uint64_t m_done = 0;
  GuardClock m_clock{0};
};

std::string again(std::uint64_t seed) {
  return "again: scripts/guard.sh --seed " + std::to_string(seed);
}

/// Calls f(how often, what) for all that must occur.
template <class F>
void for_each_state(ProtocolCoverage const& coverage, F const& f) {
  for (auto const kind : {Kind::put, Kind::put_strided, Kind::put_signal,
                          Kind::atomic, Kind::batch}) {
    for (bool const wants_ack : {false, true}) {
      for (auto const arrival : {Arrival::next, Arrival::gap, Arrival::held}) {
        for (auto const window : {Window::first_half, Window::second_half}) {
          ProtocolCoverage::Cell const cell{kind, wants_ack, arrival, window};
          auto const found = coverage.cells().find(cell);
          f(found == coverage.cells().end() ? 0 : found->second,
            ProtocolCoverage::name_of(cell));
        }
      }
    }
  }
  for (auto const kind :
       {Kind::get, Kind::get_strided, Kind::get_reply, Kind::atomic_reply,
        Kind::ack, Kind::ack_request, Kind::note})
    f(coverage.count_of(kind), ProtocolCoverage::name_of(kind));
}

bool has_all_states(ProtocolCoverage const& coverage) {
  bool has_all = true;
  for_each_state(coverage, [&](std::uint64_t n, std::string const&) {
    has_all = has_all && n > 0;
  });
  return has_all;
}

void expect_all_states(ProtocolCoverage const& coverage) {
  for_each_state(coverage, [](std::uint64_t n, std::string const& what) {
    if (std::getenv("SYMM_GUARD_SECONDS") != nullptr) {
      std::printf("%10llu %s\n", static_cast<unsigned long long>(n),
                  what.c_str());
    }
    EXPECT_GT(n, 0U) << "has never occurred: " << what;
  });
}

TEST(RandomOperationsOfFarPes, by_one_thread_leave_what_the_model_says) {
  ProtocolCoverage coverage(half_window);
  Steps steps(is_sanitized ? 12'000 : 100'000);
  // (The rarest state may be missing after as many.)
  int n_rounds_more  = 500;
  auto const goes_on = [&] {
    return steps.goes_on() ||
           (!is_sanitized && !has_all_states(coverage) && n_rounds_more-- > 0);
  };
  for (auto seed = guard_seed(); goes_on(); ++seed) {
    SCOPED_TRACE(again(seed));
    Round round(seed, {.flush_interval = std::chrono::microseconds(0),
                       .half_window    = half_window});
    coverage.begin_round();
    round.job.network.set_observer(coverage);
    for (std::uint64_t i = 0; i < n_steps_a_round; ++i) {
      round.threads[i % n_threads].step();
      if (testing::Test::HasFailure()) FAIL() << "step " << i;
    }
    for (auto& thread : round.threads) thread.check_all();
  }
  if (!is_sanitized) expect_all_states(coverage);
}

TEST(RandomOperationsOfFarPes, by_threads_leave_what_the_model_says) {
  Steps steps(is_sanitized ? 8'000 : 40'000);
  for (auto seed = guard_seed(); steps.goes_on(); ++seed) {
    SCOPED_TRACE(again(seed));
    Round round(seed, {.half_window = half_window});
    std::vector<std::thread> threads;
    for (auto& thread : round.threads) {
      threads.emplace_back([&] {
        for (std::uint64_t i = 0; i < n_steps_a_round / n_threads; ++i) {
          thread.step();
        }
        thread.check_all();
      });
    }
    for (auto& thread : threads) thread.join();
    if (testing::Test::HasFailure()) FAIL();
  }
}

/// Threads of PE 0 that put to PE 1, and call nothing that waits for it.
void put_without_end(std::uint64_t seed) {
  FakeJob job(2, FakeNetwork::Order::random, seed,
              {.half_window = half_window});
  auto const block          = block_of(seed, 4096);
  constexpr std::size_t n   = is_sanitized ? 2'000 : 20'000;
  constexpr std::size_t row = 8192;
  std::vector<std::thread> threads;
  for (std::size_t thread = 0; thread < 4; ++thread) {
    threads.emplace_back([&, thread] {
      PeMemory const to{1, Segment::host_heap, 64 + thread * row};
      for (std::size_t i = 0; i < n; ++i) {
        if (thread % 2 == 0) {
          job[0].channel().put(to, block.data(), 512, Completion::none);
        } else {
          job[0].channel().put(to, block.data(), block.size());
        }
      }
      job[0].channel().quiet();
      EXPECT_TRUE(holds(job.target(1).heap() + to.offset(), seed,
                        thread % 2 == 0 ? 512 : block.size()));
    });
  }
  for (auto& thread : threads) thread.join();
}

// A batch that one thread waits to send is sent by another one meanwhile.
TEST(RandomOperationsOfFarPes, of_threads_that_never_wait_go_on) {
  constexpr std::uint64_t n_jobs = is_sanitized ? 1 : 20;
  for (auto seed = guard_seed(), end = seed + n_jobs; seed != end; ++seed) {
    SCOPED_TRACE(again(seed));
    put_without_end(seed);
  }
}

}  // namespace
}  // namespace symm_test
