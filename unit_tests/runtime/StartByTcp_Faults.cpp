// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

// A start by TCP with signals, with limits of every size, and with steps that
// fail.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>
#include <support/ForkedPes.hpp>
#include <support/Sanitizers.hpp>
#include <support/Shared.hpp>

#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <thread>

#include <runtime/bootstrap/TcpMessages.hpp>
#include <runtime/symm_errors.hpp>

#include "StartByTcp.hpp"

namespace symm_test {
namespace {

using symm::SystemError;
using symm::Impl::JobPes;
using testing::HasSubstr;
using testing::ThrowsMessage;

/// A signal each millisecond, as a sampling profiler has it, while it lives.
class TimerSignals {
 public:
  TimerSignals() {
    struct sigaction action {};
    action.sa_handler = [](int) {};
    action.sa_flags   = SA_RESTART;
    EXPECT_EQ(::sigaction(SIGALRM, &action, nullptr), 0);
    set(1000);
  }
  TimerSignals(TimerSignals const&)            = delete;
  TimerSignals& operator=(TimerSignals const&) = delete;
  ~TimerSignals() { set(0); }

 private:
  static void set(long microseconds) {
    itimerval const timer{{0, microseconds}, {0, microseconds}};
    EXPECT_EQ(::setitimer(ITIMER_REAL, &timer, nullptr), 0);
  }
};

TEST(StartByTcp, is_not_disturbed_by_signals_of_a_timer) {
  auto const root = file_root();
  expect_on_pes(3, [&](ForkedBootstrap& forked) {
    TimerSignals const signals;
    // The others wait for it meanwhile.
    if (forked.my_pe() == 2)
      std::this_thread::sleep_for(std::chrono::milliseconds(100));
    tell(root, forked.my_pe(), 3, "3");
    auto const pes = start_told();
    expect_steps(*pes.bootstrap);
    pes.bootstrap->close();
  });
}

TEST(StartByTcp, takes_a_limit_of_0_for_none_and_one_that_no_clock_counts) {
  for (auto const* const limit : {"0", "10000000000", "1"}) {
    auto const root = file_root();
    expect_on_pes(2, [&](ForkedBootstrap& forked) {
      if (forked.my_pe() == 0)
        std::this_thread::sleep_for(std::chrono::milliseconds(100));
      tell(root, forked.my_pe(), 2, limit);
      auto const pes = start_told();
      expect_steps(*pes.bootstrap);
      pes.bootstrap->close();
    });
  }
}

TEST(StartByTcp, takes_memory_for_the_PEs_that_are_there) {
  if (is_sanitized) GTEST_SKIP() << "sanitizers take all addresses";
  expect_on_pes(1, [&](ForkedBootstrap&) {
    constexpr rlim_t gib = rlim_t{1} << 30U;
    rlimit const limit{2 * gib, 2 * gib};
    ASSERT_EQ(::setrlimit(RLIMIT_AS, &limit), 0);
    tell(file_root(), 0, 2'000'000'000, "0.2");
    EXPECT_THAT([] { auto const pes = start_told(); },
                ThrowsMessage<SystemError>(
                    HasSubstr("1999999999 of 2000000000 PEs are missing")));
  });
}

/// What every PE says of a step that has failed, and of all later ones. Then
/// close() waits for nobody.
void expect_failed(JobPes const& pes, std::string const& why) {
  auto& bootstrap = *pes.bootstrap;
  EXPECT_THAT([&] { bootstrap.barrier(); },
              ThrowsMessage<SystemError>(HasSubstr(why)));
  EXPECT_THAT([&] { static_cast<void>(bootstrap.min(1)); },
              ThrowsMessage<SystemError>(HasSubstr(why)));
}

TEST(StartByTcp, a_step_that_fails_fails_on_all_PEs_and_so_do_all_later_ones) {
  auto const root = file_root();
  expect_on_pes(4, [&](ForkedBootstrap& forked) {
    tell(root, forked.my_pe(), 4);
    auto const pes = start_told();
    std::string const why =
        "PE 2 is in a different step of the start than PE 0";
    if (forked.my_pe() == 2) {
      EXPECT_THAT([&] { static_cast<void>(pes.bootstrap->min(1)); },
                  ThrowsMessage<SystemError>(HasSubstr(why)));
    }
    expect_failed(pes, why);
    forked.barrier();
    pes.bootstrap->close();
  });
}

TEST(StartByTcp, a_PE_that_takes_no_step_in_time_is_named_on_all_others) {
  auto const root = file_root();
  Shared<std::atomic<int>> n_told;
  Shared<std::atomic<int>> n_closed;
  auto const wait_for_two = [](std::atomic<int> const& n) {
    while (n < 2) yield();
  };
  for (symm::Pe const late : {0, 2}) {
    *n_told = *n_closed = 0;
    auto const results  = run_pes(3, [&](ForkedBootstrap& forked) {
      tell(root, forked.my_pe(), 3, "0.7");
      auto const pes = start_told();
      if (forked.my_pe() != late) {
        expect_failed(pes, "PE " + std::to_string(late) +
                                " has not taken the next step of the start "
                                 "or end of the job within SYMM_START_TIMEOUT "
                                 "seconds");
        ++*n_told;
        wait_for_two(*n_told);
        pes.bootstrap->close();
        ++*n_closed;
      } else {
        // That the others have closed may end it before.
        wait_for_two(*n_closed);
        pes.bootstrap->abort(0);
      }
    });
    for (symm::Pe pe = 0; pe < 3; ++pe) {
      auto const& its = results[static_cast<std::size_t>(pe)];
      EXPECT_TRUE(pe == late || its.has_succeeded())
          << pe << ": " << its.output;
    }
  }
}

/// A PE that connects with PE 0 and ends at once.
void connect_and_end(int port, symm::Pe pe, int n_pes) {
  symm::Impl::TcpHello hello;
  hello.process = 1;
  hello.pe      = pe;
  hello.n_pes   = n_pes;
  for (auto const purpose :
       {symm::Impl::TcpPurpose::life, symm::Impl::TcpPurpose::steps}) {
    hello.purpose     = purpose;
    auto const socket = connect_to(port);
    EXPECT_EQ(::send(socket.get(), &hello, sizeof hello, MSG_NOSIGNAL),
              static_cast<ssize_t>(sizeof hello));
  }
}

TEST(StartByTcp, a_PE_that_ends_while_PE_0_waits_for_others_is_missing_too) {
  int const port  = free_port();
  auto const root = "localhost:" + std::to_string(port);
  expect_on_pes(2, [&](ForkedBootstrap& forked) {
    if (forked.my_pe() == 1) return connect_and_end(port, 1, 4);
    tell(root, 0, 4, "2");
    EXPECT_THAT([] { auto const pes = start_told(); },
                ThrowsMessage<SystemError>(HasSubstr("PEs 1, 2, 3 have not")));
  });
}

TEST(StartByTcp, a_PE_that_has_ended_is_named_where_another_is_late) {
  auto const root = file_root();
  Shared<std::atomic<bool>> has_ended;
  auto const results = try_pes(3, {}, [&](ForkedBootstrap& forked) {
    tell(root, forked.my_pe(), 3, "2");
    auto pes = start_told();
    pes.bootstrap->barrier();
    if (forked.my_pe() == 2) {
      pes.bootstrap.reset();
      *has_ended = true;
      ::_exit(EXIT_SUCCESS);
    } else if (forked.my_pe() == 0) {
      while (!*has_ended) yield();
      try {
        pes.bootstrap->close();
      } catch (SystemError const& error) {
        std::fprintf(stderr, "%s\n", error.what());
      }
      ::_exit(EXIT_FAILURE);
    }
    for (;;) ::pause();
  });
  // By close(), or by the one who watches PEs, if PE 0 comes to it late.
  EXPECT_THAT(results[0].output, HasSubstr("PE 2 has ended"));
}

}  // namespace
}  // namespace symm_test
