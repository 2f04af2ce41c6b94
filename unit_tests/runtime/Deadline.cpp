// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

#include <gtest/gtest.h>
#include <sys/time.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <climits>
#include <csignal>
#include <limits>

#include <runtime/base/Deadline.hpp>
#include <runtime/base/UniqueFd.hpp>

namespace {

using namespace std::chrono_literals;
using symm::Impl::Deadline;
using symm::Impl::poll_now;
using symm::Impl::poll_until;
using symm::Impl::UniqueFd;
using Seconds = std::chrono::duration<double>;

TEST(Deadline, of_0_is_never) {
  Deadline const never(0s);
  EXPECT_FALSE(never.is_over());
  EXPECT_FALSE(never.end());
  EXPECT_EQ(never.milliseconds_left(), -1);
}

TEST(Deadline, takes_times_that_no_clock_counts) {
  for (double const seconds :
       {1e8, 1e10, 1e300, std::numeric_limits<double>::infinity()}) {
    Deadline const late{Seconds(seconds)};
    EXPECT_FALSE(late.is_over()) << seconds;
    EXPECT_EQ(late.milliseconds_left(), INT_MAX) << seconds;
  }
}

TEST(Deadline, does_not_end_a_millisecond_early) {
  Deadline const soon{Seconds(1e-6)};
  EXPECT_LE(soon.milliseconds_left(), 1);
  while (!soon.is_over()) continue;
  EXPECT_EQ(soon.milliseconds_left(), 0);
}

/// Of which the writing end is open.
struct Pipe {
  UniqueFd from, to;

  Pipe() {
    std::array<int, 2> ends{};
    EXPECT_EQ(::pipe(ends.data()), 0);
    from = UniqueFd(ends[0]);
    to   = UniqueFd(ends[1]);
  }
};

TEST(Deadline, is_waited_for_in_spite_of_signals) {
  struct sigaction action {};
  action.sa_handler = [](int) {};
  ASSERT_EQ(::sigaction(SIGALRM, &action, nullptr), 0);
  itimerval const often{{0, 1000}, {0, 1000}};
  ASSERT_EQ(::setitimer(ITIMER_REAL, &often, nullptr), 0);
  Pipe const pipe;
  std::array events{pollfd{pipe.from.get(), POLLIN, 0}};
  auto const start = std::chrono::steady_clock::now();
  EXPECT_EQ(poll_until(events, Deadline(50ms)), 0);
  EXPECT_GE(std::chrono::steady_clock::now() - start, 50ms);
  EXPECT_EQ(poll_now(events), 0);
  EXPECT_EQ(::write(pipe.to.get(), "x", 1), 1);
  EXPECT_EQ(poll_until(events, Deadline(0s)), 1);
  EXPECT_EQ(poll_now(events), 1);
  itimerval const never{};
  EXPECT_EQ(::setitimer(ITIMER_REAL, &never, nullptr), 0);
}

}  // namespace
