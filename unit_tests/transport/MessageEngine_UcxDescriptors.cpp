// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
// MessageEngine_Ucx: what programs and processes that a PE starts get of it.
#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <set>

#include <runtime/base/UniqueFd.hpp>

#include "ucx_test.hpp"

namespace {

using namespace symm_test;
using namespace std::chrono_literals;
using symm::Impl::UniqueFd;

class MessageEngineUcxDescriptors : public UcxTest {};

/// The descriptors that a program would get.
std::set<int> inheritable_descriptors() {
  std::set<int> found;
  for (int fd = 0; fd < 1024; ++fd) {
    int const flags = ::fcntl(fd, F_GETFD);
    if (flags >= 0 && (flags & FD_CLOEXEC) == 0) found.insert(fd);
  }
  return found;
}

/// Soon: UCX's thread accepts connections at any time.
void expect_inheritable(std::set<int> const& expected, char const* which) {
  auto const end = Clock::now() + 1s;
  auto found     = inheritable_descriptors();
  while (found != expected && Clock::now() < end) {
    std::this_thread::sleep_for(1ms);
    found = inheritable_descriptors();
  }
  EXPECT_EQ(found, expected) << which;
}

TEST_F(MessageEngineUcxDescriptors, programs_that_a_pe_starts_get_none) {
  expect_on_pes(4, [](ForkedBootstrap& bootstrap) {
    auto const before = inheritable_descriptors();
    TestEngine test(bootstrap);
    expect_inheritable(before, "before the first message");
    bootstrap.barrier();
    // The program's own stay as they are.
    UniqueFd const mine(::socket(AF_INET, SOCK_STREAM, 0));
    auto with_mine = before;
    with_mine.insert(mine.get());
    // Some connect themselves, to some the others do.
    EXPECT_TRUE(test.me != 0 || test.ask(1, 1));
    bootstrap.barrier();
    expect_inheritable(with_mine, "of who connects, or does not");
    bootstrap.barrier();
    // And all at once.
    for (Pe to = 0; to < 4; ++to) EXPECT_TRUE(to == test.me || test.ask(to, 2));
    bootstrap.barrier();
    expect_inheritable(with_mine, "of who connects while others do");
    test.engine->close();
  });
}

/// PE 1 starts a process that lives on, and is killed.
void expect_death_is_noticed(std::function<void()> const& start_process) {
  auto const results =
      try_pes(2, {.after_bad_end = 20s}, [&](ForkedBootstrap& bootstrap) {
        TestEngine test(bootstrap, {.peer_timeout = 10});
        // Both may connect at the same time.
        EXPECT_TRUE(test.ask(1 - test.me, 1));
        bootstrap.barrier();
        if (test.me == 1) {
          start_process();
          ::raise(SIGKILL);
        }
        test.engine->watch(1);
        auto const begin = Clock::now();
        while (test.receiver.n_lost == 0 && Clock::now() < begin + 15s) {
          std::this_thread::sleep_for(1ms);
        }
        EXPECT_LT(Clock::now() - begin, 1s);
        EXPECT_EQ(test.receiver.lost_pe, 1);
      });
  EXPECT_TRUE(results[0].has_succeeded()) << results[0].output;
  EXPECT_TRUE(results[1].was_killed_by(SIGKILL)) << results[1].output;
}

TEST_F(MessageEngineUcxDescriptors,
       a_killed_pe_is_lost_at_once_while_a_program_of_it_runs) {
  for (int i = 0; i < 8 && !HasFailure(); ++i) {
    expect_death_is_noticed([] { EXPECT_EQ(std::system("sleep 12 &"), 0); });
  }
}

TEST_F(MessageEngineUcxDescriptors,
       a_killed_pe_is_lost_at_once_while_a_process_that_it_forked_lives) {
  expect_death_is_noticed([] {
    if (::fork() != 0) return;
    std::this_thread::sleep_for(12s);
    ::_exit(0);
  });
}

}  // namespace
