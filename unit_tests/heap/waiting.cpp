// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

// A PE that is late: the others wait, and say for whom after SYMM_TIMEOUT.

#include <algorithm>
#include <chrono>
#include <functional>
#include <string>
#include <thread>

#include <heap/heap_test.hpp>
#include <heap/heap_with.hpp>

namespace {

using namespace symm_test;
using Clock = std::chrono::steady_clock;

/// The last PE makes the call later than all others, which wait for it and
/// report it with what it has called last. No PE returns before all have begun
/// the call: by the one clock of their machine.
void expect_waiting(std::string const& name,
                    std::function<void()> const& call) {
  constexpr auto delay = std::chrono::milliseconds(500);
  auto const late      = symm::n_pes() - 1;
  symm::barrier_all();
  testing::internal::CaptureStderr();
  if (symm::my_pe() == late) std::this_thread::sleep_for(delay);
  auto const begun = Clock::now();
  call();
  auto const returned  = Clock::now();
  auto const report    = testing::internal::GetCapturedStderr();
  auto const all_begun = gather(begun);
  EXPECT_GE(returned, *std::max_element(all_begun.begin(), all_begun.end()))
      << name << " has not waited";
  if (symm::my_pe() == late) {
    EXPECT_EQ(report, "");
  } else {
    using testing::HasSubstr;
    EXPECT_THAT(report, HasSubstr(pe_text(symm::my_pe()) + " has waited"));
    EXPECT_THAT(report, HasSubstr(name + "("));
    EXPECT_THAT(report, HasSubstr(pe_text(late) + ", whose last collective call"
                                                  " was"));
    EXPECT_THAT(report, HasSubstr("symm::barrier_all()"));
    EXPECT_THAT(report, HasSubstr("SYMM_TIMEOUT"));
  }
}

TEST(Waiting, M25_M44_S18_all_pes_must_call_malloc_realloc_and_free) {
  HeapWith const heap_with(Variables{{"SYMM_TIMEOUT", "0.15"}});
  if (symm::n_pes() == 1) GTEST_SKIP() << "needs two PEs";
  void* block = nullptr;
  expect_waiting("symm::malloc", [&] { block = symm::malloc(64); });
  expect_waiting("symm::realloc", [&] { block = symm::realloc(block, 640); });
  expect_waiting("symm::free", [&] { symm::free(block); });
}

TEST(Waiting, M25_all_pes_must_call_align_and_calloc) {
  HeapWith const heap_with(Variables{{"SYMM_TIMEOUT", "0.15"}});
  if (symm::n_pes() == 1) GTEST_SKIP() << "needs two PEs";
  void* a = nullptr;
  void* c = nullptr;
  expect_waiting("symm::align", [&] { a = symm::align(64, 64); });
  expect_waiting("symm::calloc", [&] { c = symm::calloc(8, 8); });
  symm::free(a);
  symm::free(c);
}

TEST(Waiting, M25_a_timeout_of_0_reports_nothing) {
  HeapWith const heap_with(Variables{{"SYMM_TIMEOUT", "0"}});
  symm::barrier_all();
  testing::internal::CaptureStderr();
  if (symm::my_pe() == 0) {
    std::this_thread::sleep_for(std::chrono::milliseconds(250));
  }
  symm::barrier_all();
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
}

}  // namespace
