// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <thread>

#include <runtime/base/Backoff.hpp>

namespace {

using namespace std::chrono_literals;
using symm::Impl::Backoff;

TEST(Backoff, spins_as_often_as_told_before_it_looks_at_the_clock) {
  Backoff backoff(3);
  for (int i = 0; i < 3; ++i) {
    std::this_thread::sleep_for(1ms);
    EXPECT_EQ(backoff.pause(), 0s) << "spin " << i;
  }
  EXPECT_EQ(backoff.pause(), 0s) << "the clock starts here";
  std::this_thread::sleep_for(1ms);
  EXPECT_GE(backoff.pause(), 1ms);
}

TEST(Backoff, returns_how_long_the_wait_has_lasted) {
  Backoff backoff(0);
  auto const start = Backoff::Clock::now();
  auto waited      = backoff.pause();
  EXPECT_EQ(waited, 0s);
  while (waited < 20ms) {
    auto const now_waited = backoff.pause();
    ASSERT_GE(now_waited, waited);
    ASSERT_LE(now_waited, Backoff::Clock::now() - start);
    waited = now_waited;
  }
}

TEST(Backoff, a_long_wait_sleeps_and_takes_little_of_the_core) {
  Backoff backoff(0);
  static_cast<void>(backoff.pause());
  auto const start = Backoff::Clock::now();
  int n_pauses     = 0;
  while (backoff.pause() < 200ms) ++n_pauses;
  // 2 ms of yields may be thousands of pauses; the rest sleeps.
  auto n_late = 0;
  while (Backoff::Clock::now() - start < 400ms) {
    static_cast<void>(backoff.pause());
    ++n_late;
  }
  EXPECT_LE(n_late, 200) << "sleeps of 1 ms";
  EXPECT_GE(n_pauses, 1);
}

TEST(Backoff, what_has_moved_puts_off_the_sleep_and_not_the_count_of_time) {
  Backoff backoff(0);
  static_cast<void>(backoff.pause());
  std::this_thread::sleep_for(100ms);  // as if it had waited that long
  EXPECT_GE(backoff.pause(true), 100ms);
  // It would sleep 1 ms each time: one pause in each try. A try in which the
  // core was taken away has few pauses, too.
  int most = 0;
  for (int i = 0; i < 100 && most < 2; ++i) {
    auto const start = Backoff::Clock::now();
    int n_pauses     = 0;
    EXPECT_GE(backoff.pause(true), 100ms);
    for (; Backoff::Clock::now() - start < 1ms; ++n_pauses) {
      static_cast<void>(backoff.pause());
    }
    most = std::max(most, n_pauses);
  }
  EXPECT_GE(most, 2);
  EXPECT_GE(backoff.pause(true), 101ms);
}

TEST(Backoff, a_sleep_is_never_long) {
  Backoff backoff(0);
  static_cast<void>(backoff.pause());
  std::this_thread::sleep_for(100ms);  // as if it had waited that long
  auto shortest = Backoff::Clock::duration::max();
  for (int i = 0; i < 10; ++i) {
    auto const start = Backoff::Clock::now();
    static_cast<void>(backoff.pause());
    shortest = std::min(shortest, Backoff::Clock::now() - start);
  }
  EXPECT_LT(shortest, 5ms);
}

}  // namespace
