// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

// Threads of one PE that set and test a lock at the same time, which another PE
// holds and clears.

#include <gtest/gtest.h>

#include <Kokkos_Core.hpp>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <thread>

#include <Kokkos_SymmetricSpace.hpp>
#include <runtime/symm.hpp>
#include "support/pes.hpp"

namespace {

using namespace symm_test;
using symm::Compare;
using symm::Pe;

using Locks = Kokkos::View<symm::Lock*, symm::SymmetricHostSpace>;
using Steps = Kokkos::View<std::uint64_t*, symm::SymmetricHostSpace>;

/// PE 0 has the threads, PE 1 holds the lock before.
constexpr Pe with_threads = 0;
constexpr Pe holder       = 1;

std::uint64_t n_rounds() {
  return static_cast<std::uint64_t>(are_all_near() ? 40 : 20);
}

/// A lock of each home PE.
class LockOfThreads : public testing::Test {
 protected:
  LockOfThreads()
      : locks("locks", static_cast<std::size_t>(symm::n_pes())),
        steps("steps", 2) {}

  [[nodiscard]] symm::Lock* lock_of(std::uint64_t round) const {
    return &locks(round % static_cast<std::uint64_t>(symm::n_pes()));
  }
  /// That step `i` of a round is over, to PE `pe`.
  void tell(std::size_t i, std::uint64_t round, Pe pe) const {
    symm::p(&steps(i), round, pe);
    symm::quiet();
  }
  void wait_for(std::size_t i, std::uint64_t round) const {
    static_cast<void>(symm::wait_until(&steps(i), Compare::ge, round));
  }

  Locks locks;
  Steps steps;
};

TEST_F(LockOfThreads, a_test_does_not_keep_another_thread_from_setting_it) {
  if (symm::n_pes() < 2) GTEST_SKIP() << "no other PE";
  int n_refused = 0;
  for (std::uint64_t round = 1; round <= n_rounds(); ++round) {
    auto* const lock = lock_of(round);
    if (symm::my_pe() == holder) {
      symm::set_lock(lock);
      tell(0, round, with_threads);
      // Until PE 0 is in the queue.
      while (symm::g(&lock->next, holder) == 0) std::this_thread::yield();
      symm::clear_lock(lock);
      wait_for(1, round);
    } else if (symm::my_pe() == with_threads) {
      wait_for(0, round);
      std::atomic<bool> is_over{false};
      int n_got = 0;
      std::thread tester([&] {
        while (!is_over) n_got += symm::test_lock(lock) == 0 ? 1 : 0;
      });
      for (bool has_lock = false; !has_lock;) {
        try {
          symm::set_lock(lock);
          has_lock = true;
        } catch (symm::UsageError const&) {
          ++n_refused;
        }
      }
      is_over = true;
      tester.join();
      EXPECT_EQ(n_got, 0);  // PE 1 held it, then this PE did
      symm::clear_lock(lock);
      tell(1, round, holder);
    }
  }
  EXPECT_EQ(n_refused, 0);
  symm::barrier_all();
}

TEST_F(LockOfThreads, of_two_tests_of_a_free_lock_one_gets_it) {
  if (symm::n_pes() < 2) GTEST_SKIP() << "no other PE";
  int n_wrong = 0;
  for (std::uint64_t round = 1; round <= n_rounds(); ++round) {
    auto* const lock = lock_of(round);
    if (symm::my_pe() == holder) {
      symm::set_lock(lock);
      tell(0, 2 * round, with_threads);
      wait_for(1, 2 * round);
      symm::clear_lock(lock);
      tell(0, 2 * round + 1, with_threads);
      wait_for(1, 2 * round + 1);
    } else if (symm::my_pe() == with_threads) {
      wait_for(0, 2 * round);
      std::atomic<bool> is_over{false};
      std::atomic<std::uint64_t> n_begun{0}, n_ended{0}, got_in{0};
      std::thread tester([&] {
        while (!is_over && got_in == 0) {
          auto const mine = ++n_begun;
          if (symm::test_lock(lock) == 0) got_in = mine;
          n_ended = mine;
        }
      });
      while (n_begun < 3) std::this_thread::yield();
      tell(1, 2 * round, holder);
      wait_for(0, 2 * round + 1);
      // It is free. So if this call does not get it, the other thread has it in
      // a call that has begun before this one ends.
      bool const has_it = symm::test_lock(lock) == 0;
      auto const last   = n_begun.load();
      while (n_ended < last) std::this_thread::yield();
      is_over = true;
      tester.join();
      auto const its_call     = got_in.load();
      bool const other_has_it = its_call != 0 && its_call <= last;
      if (has_it == other_has_it) ++n_wrong;
      if (has_it || its_call != 0) symm::clear_lock(lock);
      tell(1, 2 * round + 1, holder);
    }
  }
  EXPECT_EQ(n_wrong, 0);
  symm::barrier_all();
}

}  // namespace
