// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

// set_lock, clear_lock and test_lock (OpenSHMEM 1.5, distributed locking).

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <Kokkos_Core.hpp>
#include <cstddef>
#include <cstdint>
#include <string>
#include <thread>
#include <vector>

#include <Kokkos_SymmetricSpace.hpp>

#include "wait_helpers.hpp"

namespace {

using namespace symm_test;
using symm::Pe;
using testing::AllOf;
using testing::HasSubstr;

using Locks    = Kokkos::View<symm::Lock*, symm::SymmetricHostSpace>;
using Counters = Kokkos::View<std::int64_t*, symm::SymmetricHostSpace>;

/// One of each home PE, and one more.
std::size_t n_locks() { return static_cast<std::size_t>(symm::n_pes()) + 1; }

/// Adds 1 to PE `pe`'s counter, not atomically.
void increment(std::int64_t* counter, Pe pe) {
  auto const was = symm::g(counter, pe);
  symm::p(counter, was + 1, pe);
}

TEST(Locks, one_PE_at_a_time_holds_a_lock) {
  int const n_rounds = rounds_of_all(2000);
  Locks const locks("locks", n_locks());
  Counters const counters("counters", n_locks());
  auto random = random_of_this_pe(1);
  for (int round = 0; round < n_rounds; ++round) {
    auto const i   = static_cast<std::size_t>(random()) % n_locks();
    Pe const owner = static_cast<Pe>(i * 3) % symm::n_pes();
    symm::set_lock(&locks(i));
    increment(&counters(i), owner);
    if (round % 8 == 0) random_pause(random);
    symm::clear_lock(&locks(i));
  }
  symm::barrier_all();
  std::int64_t sum = 0;
  for (std::size_t i = 0; i < n_locks(); ++i)
    sum += symm::g(&counters(i), static_cast<Pe>(i * 3) % symm::n_pes());
  EXPECT_EQ(sum, std::int64_t{n_rounds} * symm::n_pes());
  symm::barrier_all();
}

TEST(Locks, all_PEs_at_one_lock_come_and_go) {
  int const n_rounds = rounds_of_all(2000);
  Locks const lock("lock", 1);
  Counters const counter("counter", 1);
  for (int round = 0; round < n_rounds; ++round) {
    symm::set_lock(lock.data());
    increment(counter.data(), symm::n_pes() - 1);
    symm::clear_lock(lock.data());
  }
  symm::barrier_all();
  EXPECT_EQ(symm::g(counter.data(), symm::n_pes() - 1),
            std::int64_t{n_rounds} * symm::n_pes());
  symm::barrier_all();
}

/// More than fits into the buffers between nodes: without a quiet() the next
/// holder overtakes the last elements.
TEST(Locks, what_a_holder_has_put_is_there_for_the_next) {
  std::size_t const n = are_all_near() ? 1000 : 100'000;
  int const n_rounds  = rounds_of_all(200);
  Locks const locks("locks", n_locks());
  Kokkos::View<std::int64_t*, symm::SymmetricHostSpace> const block("block", n);
  std::vector<std::int64_t> mine(n);
  Pe const owner = symm::n_pes() / 2;
  int n_wrong    = 0;
  for (int round = 0; round < n_rounds; ++round) {
    symm::set_lock(&locks(n_locks() - 1));
    symm::get(mine.data(), block.data(), n, owner);
    for (std::size_t i = 0; i < n; ++i) n_wrong += mine[i] != mine[0] ? 1 : 0;
    mine.assign(n, mine[0] + 1);
    symm::put_nbi(block.data(), mine.data(), n, owner);
    symm::clear_lock(&locks(n_locks() - 1));
  }
  EXPECT_EQ(n_wrong, 0);
  symm::barrier_all();
  EXPECT_EQ(symm::g(&block(n - 1), owner),
            std::int64_t{n_rounds} * symm::n_pes());
  symm::barrier_all();
}

/// Whether PE `pe` is the last in the lock's queue, as a word of one PE says.
bool is_last_in_queue(symm::Lock* lock, Pe pe) {
  auto const number = static_cast<std::uint64_t>(pe) + 1;
  for (Pe home = 0; home < symm::n_pes(); ++home) {
    if (symm::atomic_fetch(&lock->last, home) == number) return true;
  }
  return false;
}

TEST(Locks, PEs_get_a_lock_in_the_order_in_which_they_have_asked) {
  Locks const locks("locks", n_locks());
  auto const n_pes = symm::n_pes();
  Counters const order("order", static_cast<std::size_t>(n_pes) + 1);
  for (std::size_t i = 0; i < n_locks(); ++i) {
    symm::Lock* const lock = &locks(i);
    // They ask in the order 0, n - 1, n - 2, ...
    Pe const place  = (n_pes - symm::my_pe()) % n_pes;
    Pe const before = (symm::my_pe() + 1) % n_pes;
    if (place > 0) {
      while (!is_last_in_queue(lock, before)) std::this_thread::yield();
    }
    symm::set_lock(lock);
    if (place == 0) {  // until all others wait
      while (!is_last_in_queue(lock, 1 % n_pes)) std::this_thread::yield();
    }
    auto const n_before = symm::g(&order(0), 0);
    symm::p(&order(static_cast<std::size_t>(n_before) + 1), place, 0);
    symm::p(&order(0), n_before + 1, 0);
    symm::clear_lock(lock);
    symm::barrier_all();
    for (Pe n = 0; n < n_pes; ++n)
      EXPECT_EQ(symm::g(&order(static_cast<std::size_t>(n) + 1), 0), n);
    symm::barrier_all();
    order(0) = 0;
    symm::barrier_all();
  }
}

TEST(Locks, test_lock_takes_a_free_lock_and_leaves_a_held_one) {
  Locks const locks("locks", n_locks());
  for (std::size_t i = 0; i < n_locks(); ++i) {
    symm::Lock* const lock = &locks(i);
    Pe const holder        = static_cast<Pe>(i) % symm::n_pes();
    bool const is_mine     = symm::my_pe() == holder;
    if (is_mine) {
      EXPECT_EQ(symm::test_lock(lock), 0);
    }
    symm::barrier_all();
    EXPECT_EQ(symm::test_lock(lock), 1);
    symm::barrier_all();
    if (is_mine) symm::clear_lock(lock);
    symm::barrier_all();
    // Now all try at once, and again until they have had it.
    while (symm::test_lock(lock) != 0) std::this_thread::yield();
    symm::clear_lock(lock);
    symm::barrier_all();
  }
}

TEST(Locks, test_lock_and_set_lock_exclude_each_other) {
  int const n_rounds = rounds_of_all(1000);
  Locks const lock("lock", 1);
  Counters const counter("counter", 1);
  for (int round = 0; round < n_rounds; ++round) {
    if (round % 2 == 0) {
      symm::set_lock(lock.data());
    } else {
      while (symm::test_lock(lock.data()) != 0) std::this_thread::yield();
    }
    increment(counter.data(), 0);
    symm::clear_lock(lock.data());
  }
  symm::barrier_all();
  EXPECT_EQ(symm::g(counter.data(), 0), std::int64_t{n_rounds} * symm::n_pes());
  symm::barrier_all();
}

TEST(Locks, a_PE_may_hold_several_locks) {
  Locks const locks("locks", n_locks());
  Counters const counter("counter", 1);
  for (int round = 0; round < 20; ++round) {
    for (std::size_t i = 0; i < n_locks(); ++i) symm::set_lock(&locks(i));
    increment(counter.data(), 0);
    for (std::size_t i = 0; i < n_locks(); ++i) symm::clear_lock(&locks(i));
  }
  symm::barrier_all();
  EXPECT_EQ(symm::g(counter.data(), 0), 20 * symm::n_pes());
  symm::barrier_all();
}

TEST(Locks, zeroed_memory_is_a_free_lock) {
  if constexpr (!is_on_host<symm::SymmetricSpace>) {
    GTEST_SKIP() << "symm::calloc() gives GPU memory";
  }
  auto* const lock =
      static_cast<symm::Lock*>(symm::calloc(1, sizeof(symm::Lock)));
  symm::set_lock(lock);
  EXPECT_EQ(symm::test_lock(lock), 1);
  symm::clear_lock(lock);
  symm::free(lock);
}

/// The text of what `body` throws.
template <class Body>
std::string refused(Body const& body) {
  try {
    body();
  } catch (symm::UsageError const& error) {
    return error.what();
  }
  return "";
}

TEST(Locks, wrong_calls_are_refused_on_the_PE_that_makes_them) {
  Locks const locks("locks", n_locks());
  symm::Lock* const lock = &locks(static_cast<std::size_t>(symm::my_pe()));
  EXPECT_THAT(refused([&] { symm::clear_lock(lock); }),
              AllOf(HasSubstr("symm::clear_lock: this PE does not hold"),
                    HasSubstr("call symm::set_lock() first")));
  symm::set_lock(lock);
  EXPECT_THAT(refused([&] { symm::set_lock(lock); }),
              HasSubstr("symm::set_lock: this PE already holds the lock at "));
  symm::clear_lock(lock);
  EXPECT_THAT(refused([&] { symm::clear_lock(lock); }),
              HasSubstr("symm::clear_lock: this PE does not hold"));

  symm::Lock mine{};
  EXPECT_THAT(refused([&] { symm::set_lock(&mine); }),
              AllOf(HasSubstr("symm::set_lock: 24 bytes at "),
                    HasSubstr("not in this PE's part")));
  EXPECT_THAT(refused([] { symm::set_lock(nullptr); }),
              AllOf(HasSubstr("symm::set_lock"), HasSubstr("is null")));
  EXPECT_THAT(refused([] { static_cast<void>(symm::test_lock(nullptr)); }),
              HasSubstr("symm::test_lock"));
  if (symm::n_pes() > 1 && are_all_near()) {
    EXPECT_THAT(refused([&] { symm::set_lock(symm::ptr(lock, right())); }),
                HasSubstr("not in this PE's part"));
  }
  if constexpr (!is_on_host<Space>) {
    Kokkos::View<symm::Lock, Space> const on_gpu("on GPU");
    EXPECT_THAT(refused([&] { symm::set_lock(on_gpu.data()); }),
                HasSubstr("is in GPU memory, where the host cannot wait"));
  }
  // The locks are as before.
  symm::set_lock(lock);
  symm::clear_lock(lock);
  symm::barrier_all();
}

TEST(Locks, another_thread_may_clear_a_lock_and_not_set_it_meanwhile) {
  Locks const locks("locks", n_locks());
  symm::Lock* const lock = &locks(static_cast<std::size_t>(symm::my_pe()));
  symm::set_lock(lock);
  std::thread([&] {
    EXPECT_NE(refused([&] { symm::set_lock(lock); }), "");
    EXPECT_EQ(symm::test_lock(lock), 1);
    symm::clear_lock(lock);
  }).join();
  EXPECT_EQ(symm::test_lock(lock), 0);
  symm::clear_lock(lock);
  symm::barrier_all();
}

}  // namespace
