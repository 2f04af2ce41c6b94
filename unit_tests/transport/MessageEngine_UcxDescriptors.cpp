// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
// MessageEngine_Ucx: a killed PE is lost at once, whatever it has started.
#include <unistd.h>

#include <csignal>
#include <cstdlib>

#include "ucx_test.hpp"

namespace {

using namespace symm_test;
using namespace std::chrono_literals;

class MessageEngineUcxDescriptors : public UcxTest {};

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
