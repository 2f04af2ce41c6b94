// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

// Random collective calls: with a model beside them, and with a PE that is
// killed at some time.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <time.h>
#include <support/ForkedPes.hpp>

#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <guard/GuardOptions.hpp>
#include <guard/RandomCalls.hpp>
#include <memory>
#include <random>
#include <string>

#include <runtime/job/Runtime.hpp>
#include <runtime/symm_job.hpp>

namespace symm_test {
namespace {

using symm::Pe;
using symm::Impl::Runtime;
using testing::HasSubstr;

constexpr JobLimits limits{std::chrono::seconds(60), std::chrono::seconds(5)};

void start(ForkedBootstrap const& bootstrap) {
  ASSERT_EQ(::setenv("SYMM_HEAP_LIMIT", RandomCalls::heap_limit, 1), 0);
  Runtime::initialize(std::make_unique<ForkedBootstrap>(bootstrap));
}

TEST(RandomCollectiveCalls, agree_with_a_model) {
  constexpr int n_calls = 1000;
  int n_rounds          = 0;
  GuardClock clock(15);
  // The first round has the seed that is printed, the next one the next.
  for (auto seed = guard_seed();
       clock.has_time_left(std::to_string(n_rounds) + " rounds of " +
                           std::to_string(n_calls) + " calls");
       ++seed, ++n_rounds) {
    auto const results =
        try_pes(RandomCalls::n_pes, limits, [&](ForkedBootstrap& bootstrap) {
          start(bootstrap);
          {
            RandomCalls calls(bootstrap, seed);
            for (int i = 0; i < n_calls && !testing::Test::HasFailure(); ++i) {
              calls.call();
            }
            if (testing::Test::HasFailure()) return;
            calls.end();
          }
          Runtime::finalize();
        });
    for (auto const& result : results) {
      ASSERT_TRUE(result.has_succeeded())
          << "wait status " << result.wait_status << "; again: scripts/guard.sh"
          << " --seed " << seed << "\n"
          << result.output;
    }
  }
}

/// This process is killed then, whatever it does.
void kill_after(std::chrono::microseconds time) {
  sigevent event{};
  event.sigev_notify = SIGEV_SIGNAL;
  event.sigev_signo  = SIGKILL;
  timer_t timer{};
  ASSERT_EQ(::timer_create(CLOCK_MONOTONIC, &event, &timer), 0);
  itimerspec when{};
  when.it_value.tv_nsec = 1000 * static_cast<long>(time.count());
  ASSERT_EQ(::timer_settime(timer, 0, &when, nullptr), 0);
}

// The start is not part of it: there, it is for MPI to end the job.
TEST(KillAtRandom, others_end_with_a_message) {
  constexpr auto time_to_notice = std::chrono::seconds(5);
  std::mt19937_64 random(guard_seed());
  int n_kills = 0;
  for (GuardClock clock(10);
       clock.has_time_left(std::to_string(n_kills) + " kills"); ++n_kills) {
    auto const victim = static_cast<Pe>(random() % RandomCalls::n_pes);
    std::chrono::microseconds const time(
        1 + random() % (std::uint64_t{1} << (8 + random() % 10)));
    auto const seed = random();
    auto const results =
        try_pes(RandomCalls::n_pes, limits, [&](ForkedBootstrap& bootstrap) {
          start(bootstrap);
          RandomCalls calls(bootstrap, seed);
          if (bootstrap.my_pe() == victim) kill_after(time);
          while (!testing::Test::HasFailure()) calls.call();
        });
    auto const& dead   = results[static_cast<std::size_t>(victim)];
    bool is_dead_named = false;
    EXPECT_TRUE(dead.was_killed_by(SIGKILL)) << dead.output;
    for (std::size_t pe = 0; pe < results.size(); ++pe) {
      auto const& result = results[pe];
      if (static_cast<Pe>(pe) == victim) continue;
      EXPECT_TRUE(result.has_exited_with(aborted_status))
          << "PE " << pe << ": "
          << (result.is_timed_out ? "hangs"
                                  : std::to_string(result.wait_status))
          << "\n"
          << result.output;
      EXPECT_THAT(result.output, HasSubstr(" is gone"));
      EXPECT_LT(result.ended_at - dead.ended_at, time_to_notice);
      is_dead_named =
          is_dead_named || result.output.find("PE " + std::to_string(victim) +
                                              " is gone") != std::string::npos;
    }
    EXPECT_TRUE(is_dead_named);
    ASSERT_FALSE(HasFailure())
        << "PE " << victim << " was killed after " << time.count()
        << " us; again: scripts/guard.sh --seed " << guard_seed();
  }
}

}  // namespace
}  // namespace symm_test
