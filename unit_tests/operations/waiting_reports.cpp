// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

// What the host says when it waits too long. (test_kokkos_failures has those
// who wait for a process that is gone.)

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <Kokkos_Core.hpp>
#include <chrono>
#include <cstdint>
#include <string>
#include <thread>

#include <Kokkos_SymmetricSpace.hpp>
#include <heap/heap_with.hpp>
#include <kokkos/view_helpers.hpp>
#include <runtime/base/Failure.hpp>

namespace {

using namespace symm_test;
using symm::Compare;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
using namespace std::chrono_literals;

/// What a PE has written on stderr while its variable 1 became `value`, which
/// its left neighbor stored `delay` after all had called.
template <class Wait>
std::string report_of(std::chrono::milliseconds delay, std::int64_t value,
                      Wait const& wait) {
  Kokkos::View<std::int64_t*, symm::SymmetricHostSpace> const ivars("ivars", 3);
  Kokkos::deep_copy(ivars, -5);
  auto* const its = &symm::global_view(ivars)(right(), 1);
  testing::internal::CaptureStderr();
  symm::barrier_all();
  std::thread late([&] {
    std::this_thread::sleep_for(delay);
    symm::store_release(its, value);
  });
  wait(ivars.data());
  late.join();
  symm::barrier_all();
  return testing::internal::GetCapturedStderr();
}

symm::PeTeam others_than(symm::Pe pe) {
  return symm::team_split(symm::team_world(), symm::my_pe() == pe ? -1 : 0, 0);
}

auto has_waited(std::string const& call) {
  return HasSubstr("symm: PE " + std::to_string(symm::my_pe()) +
                   " has waited 1 s in " + call + " for\n");
}

auto names(int index, std::int64_t const* address, std::string const& rest) {
  return HasSubstr("\n  variable " + std::to_string(index) + " at " +
                   symm::Impl::address_text(address) + ", now -5, to become " +
                   rest + "\n");
}

TEST(WaitingReports, a_wait_longer_than_SYMM_TIMEOUT_reports_and_goes_on) {
  HeapWith const heap_with(Variables{{"SYMM_TIMEOUT", "1"}});
  std::int64_t const* address = nullptr;
  auto const report = report_of(2500ms, 40, [&](std::int64_t const* ivars) {
    address = ivars;
    EXPECT_EQ(symm::wait_until(ivars + 1, Compare::gt, 39), 40);
  });
  EXPECT_THAT(report, AllOf(has_waited("symm::wait_until"),
                            names(0, address + 1, "> 39"),
                            HasSubstr("Still waiting (SYMM_TIMEOUT sets")));
}

TEST(WaitingReports, a_wait_for_several_names_those_that_are_missing) {
  HeapWith const heap_with(Variables{{"SYMM_TIMEOUT", "1"}});
  std::int64_t const values[] = {-5, 7, 6};
  int const status[]          = {0, 0, 1};
  std::int64_t const* address = nullptr;
  auto const report = report_of(2500ms, 7, [&](std::int64_t const* ivars) {
    address = ivars;
    symm::wait_until_all_vector(ivars, 3, status, Compare::eq, values);
  });
  EXPECT_THAT(report,
              AllOf(has_waited("symm::wait_until_all_vector"),
                    names(1, address + 1, "== 7"), Not(HasSubstr("variable 0")),
                    Not(HasSubstr("variable 2"))));
}

TEST(WaitingReports, a_SYMM_TIMEOUT_of_0_reports_nothing) {
  HeapWith const heap_with(Variables{{"SYMM_TIMEOUT", "0"}});
  EXPECT_EQ(report_of(500ms, 40,
                      [](std::int64_t const* ivars) {
                        symm::wait_until(ivars + 1, Compare::ne, -5);
                      }),
            "");
}

TEST(WaitingReports, a_wait_for_a_lock_names_the_PE_before_in_its_queue) {
  HeapWith const heap_with(Variables{{"SYMM_TIMEOUT", "1"}});
  Kokkos::View<symm::Lock, symm::SymmetricHostSpace> const lock("lock");
  bool const is_first = symm::my_pe() == 0;
  if (is_first) symm::set_lock(lock.data());
  testing::internal::CaptureStderr();
  symm::barrier_all();
  if (is_first) std::this_thread::sleep_for(2500ms);
  if (symm::my_pe() == 1) symm::set_lock(lock.data());
  if (symm::my_pe() <= 1) symm::clear_lock(lock.data());
  wait_for_all_pes();
  auto const report = testing::internal::GetCapturedStderr();
  if (symm::my_pe() != 1) return;
  EXPECT_THAT(report, AllOf(has_waited("symm::set_lock"),
                            HasSubstr("\n  the lock at " +
                                      symm::Impl::address_text(lock.data()) +
                                      ", which PE 0 holds or waits for\n")));
}

/// The last PE has left for finalize().
TEST(WaitingReports, a_PE_in_finalize_is_not_missed_by_those_who_do_without) {
  HeapWith const heap_with(Variables{});
  Kokkos::View<std::int64_t*, symm::SymmetricHostSpace> const ivars("ivars", 3);
  auto const its   = symm::global_view(ivars);
  auto const me    = symm::my_pe();
  auto const last  = symm::n_pes() - 1;
  auto const first = symm::n_pes() == 1 ? symm::PeTeam() : others_than(last);
  symm::barrier_all();
  if (me == last) return;
  // Longer than it takes to look.
  auto const wait = [] { std::this_thread::sleep_for(300ms); };
  if (me == 0) wait();
  symm::barrier(first);
  if (me == 0) wait();
  symm::store_release(&its((me + 1) % last, 0), 5);
  EXPECT_EQ(symm::wait_until(&ivars(0), Compare::ne, 0), 5);
  // A thread of this PE can store, whoever has left.
  std::thread late([&] {
    wait();
    symm::store_release(&ivars(1), 6);
  });
  EXPECT_EQ(symm::wait_until(&ivars(1), Compare::ne, 0), 6);
  late.join();
}

}  // namespace
