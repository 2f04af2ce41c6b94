// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

// A PE whose process ends in the middle of a job: the others say so and stop.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/types.h>
#include <unistd.h>
#include <support/ForkedPes.hpp>
#include <support/PeStack.hpp>
#include <support/Shared.hpp>

#include <atomic>
#include <chrono>
#include <csignal>
#include <cstddef>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include <runtime/heap/SymmetricHeap.hpp>
#include <runtime/job/Runtime.hpp>
#include <runtime/symm_job.hpp>
#include <runtime/symm_memory.hpp>

namespace symm_test {
namespace {

using namespace std::chrono_literals;
using symm::Pe;
using symm::Impl::Bootstrap;
using symm::Impl::RuntimeCall;
using testing::AllOf;
using testing::HasSubstr;

constexpr Pe lost             = 1;
constexpr std::size_t mebi    = std::size_t{1} << 20U;
constexpr auto time_to_notice = 5s;

/// All PEs but the lost one must have aborted soon after it ended, and said
/// which PE is gone: the lost one or, in a chain, one that noticed before them.
void expect_others_aborted(std::vector<PeResult> const& results,
                           std::string const& text) {
  auto const is_gone = [](std::size_t pe) {
    return "the process of PE " + std::to_string(pe) + " is gone";
  };
  bool is_lost_named = false;
  for (std::size_t pe = 0; pe < results.size(); ++pe) {
    if (static_cast<Pe>(pe) == lost) continue;
    auto const& result = results[pe];
    is_lost_named =
        is_lost_named || result.output.find(is_gone(lost)) != std::string::npos;
    EXPECT_TRUE(result.has_exited_with(aborted_status))
        << "PE " << pe << ": wait status " << result.wait_status << "\n"
        << result.output;
    EXPECT_THAT(result.output, AllOf(HasSubstr("PE " + std::to_string(pe)),
                                     HasSubstr(" is gone"), HasSubstr(text)));
    EXPECT_LT(result.ended_at - results[lost].ended_at, time_to_notice);
  }
  EXPECT_TRUE(is_lost_named);
}

class LostPe : public testing::TestWithParam<int> {};

TEST_P(LostPe, others_that_wait_in_a_rendezvous_stop_with_a_message) {
  auto const results = run_pes(GetParam(), [](Bootstrap& bootstrap) {
    PeStack stack(bootstrap);
    stack.rendezvous.meet({.operation = RuntimeCall::barrier_all});
    stack.rendezvous.meet(
        {.operation = RuntimeCall::free, .arguments = {4096}});
    if (bootstrap.my_pe() == lost) std::raise(SIGKILL);
    stack.rendezvous.meet(
        {.operation = RuntimeCall::malloc, .arguments = {64}});
  });
  EXPECT_TRUE(results[lost].was_killed_by(SIGKILL));
  expect_others_aborted(results,
                        "waits in collective call #3 "
                        "symm::malloc(bytes = 64)");
  expect_others_aborted(results,
                        "last collective call was #2 "
                        "symm::free(offset = 4096)");
}

TEST_P(LostPe, others_that_pass_descriptors_stop_with_a_message) {
  auto const results = run_pes(GetParam(), [](Bootstrap& bootstrap) {
    symm::Impl::FdExchange exchange(bootstrap);
    static_cast<void>(exchange.exchange(STDERR_FILENO));
    if (bootstrap.my_pe() == lost) std::raise(SIGKILL);
    static_cast<void>(exchange.exchange(STDERR_FILENO));
  });
  EXPECT_TRUE(results[lost].was_killed_by(SIGKILL));
  expect_others_aborted(results, "while file descriptors were exchanged");
}

INSTANTIATE_TEST_SUITE_P(Pes, LostPe, testing::Values(2, 3, 4));

// (test_kokkos_failures has what a launcher makes of it.)
TEST(GlobalExit, ends_this_process_with_its_status_and_others_notice) {
  for (int const status : {0, 7}) {
    auto const results = run_pes(3, [&](ForkedBootstrap& bootstrap) {
      EXPECT_THROW(symm::global_exit(9), symm::UsageError) << "before";
      symm::Impl::Runtime::initialize(
          std::make_unique<ForkedBootstrap>(bootstrap));
      if (bootstrap.my_pe() == lost) symm::global_exit(status);
      symm::barrier_all();
    });
    EXPECT_TRUE(results[lost].has_exited_with(status));
    expect_others_aborted(results, "waits in collective call");
  }
}

// A process that a PE has forked holds all that the PE has open, and lives on.
TEST(LostPeOfMesh, one_whose_child_lives_is_lost) {
  Shared<std::atomic<pid_t>> const child;
  for (bool const is_in_rendezvous : {true, false}) {
    auto const results = run_pes(3, [&](Bootstrap& bootstrap) {
      PeStack stack(bootstrap);
      if (bootstrap.my_pe() == lost) {
        pid_t const forked = ::fork();
        if (forked == 0) ::_exit(::pause());
        *child = forked;
        std::raise(SIGKILL);
      }
      if (is_in_rendezvous) {
        stack.rendezvous.meet({.operation = RuntimeCall::barrier_all});
      } else {
        static_cast<void>(stack.exchange.exchange(STDERR_FILENO));
      }
    });
    EXPECT_TRUE(results[lost].was_killed_by(SIGKILL));
    EXPECT_EQ(::kill(*child, SIGKILL), 0) << "it lived";
    expect_others_aborted(results, is_in_rendezvous
                                       ? "waits in collective call"
                                       : "while file descriptors were");
  }
}

/// A step of the growth of the heap in which PE 1 is killed.
class LostPeInGrowth : public testing::TestWithParam<VmmStep> {};

TEST_P(LostPeInGrowth, others_stop_with_a_message) {
  auto const results = run_pes(3, [](Bootstrap& bootstrap) {
    PeStack stack(bootstrap);
    symm::Impl::SymmetricHeap heap(stack.vmm, stack.exchange, bootstrap,
                                   stack.rendezvous, {false, 0, 64 * mebi});
    heap.free(heap.malloc(mebi));
    if (bootstrap.my_pe() == lost) {
      stack.vmm.fail(GetParam(), 0, 1, [] { std::raise(SIGKILL); });
    }
    static_cast<void>(heap.malloc(32 * mebi));
  });
  EXPECT_TRUE(results[lost].was_killed_by(SIGKILL));
  expect_others_aborted(results, "");
}

INSTANTIATE_TEST_SUITE_P(Steps, LostPeInGrowth,
                         testing::Values(VmmStep::create, VmmStep::map,
                                         VmmStep::import_handle));

/// PE 1 ends its process; the others wait for it in a barrier.
std::vector<PeResult> run_with_end(void (*end)()) {
  return run_pes(3, [end](ForkedBootstrap& bootstrap) {
    symm::Impl::Runtime::initialize(
        std::make_unique<ForkedBootstrap>(bootstrap));
    static_cast<void>(symm::malloc(64));
    if (bootstrap.my_pe() == lost) {
      end();
      return;
    }
    symm::barrier_all();
  });
}

TEST(LostPeOfRuntime, one_that_exits_without_finalize_is_lost) {
  auto const results = run_with_end([] { std::exit(0); });
  EXPECT_TRUE(results[lost].has_succeeded());
  expect_others_aborted(results, "symm::barrier_all()");
}

TEST(LostPeOfRuntime, one_that_returns_without_finalize_is_lost) {
  auto const results = run_with_end([] {});
  EXPECT_TRUE(results[lost].has_succeeded());
  expect_others_aborted(results, "last collective call was #");
}

TEST(LostPeOfRuntime, one_that_crashes_is_lost) {
  auto const results = run_with_end([] {
    std::signal(SIGSEGV, SIG_DFL);  // sanitizers handle it
    std::raise(SIGSEGV);
  });
  EXPECT_TRUE(results[lost].was_killed_by(SIGSEGV));
  expect_others_aborted(results, "Ending the job");
}

// The last PE to finalize may find the others gone already; it must not mind.
TEST(LostPeOfRuntime, one_that_has_finalized_is_not_lost) {
  for (int round = 0; round < 20; ++round) {
    expect_on_pes(4, [](ForkedBootstrap& bootstrap) {
      symm::Impl::Runtime::initialize(
          std::make_unique<ForkedBootstrap>(bootstrap));
      symm::Impl::Runtime::finalize();
      std::_Exit(0);
    });
  }
}

}  // namespace
}  // namespace symm_test
