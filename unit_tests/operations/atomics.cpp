// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

// Atomic sums, swaps and locks: of all PEs at once, on the word of one of them.

#include <gtest/gtest.h>

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>

#include <Kokkos_SymmetricSpace.hpp>
#include <kokkos/view_helpers.hpp>
#include <support/kernels.hpp>
#include <support/pes.hpp>

#include "atomic_helpers.hpp"

namespace {

using namespace symm_test;

template <class Form>
class Atomics : public testing::Test {
 protected:
  void SetUp() override {
    if (std::is_same_v<Form, WithAddress> && !are_all_near()) {
      GTEST_SKIP() << "there are PEs that loads and stores do not reach";
    }
  }
};
TYPED_TEST_SUITE(Atomics, Forms);

/// Every ticket is drawn once: fetch and add are one step.
template <class T, class Form>
void test_tickets(T initial, T price) {
  for (Pe pe = 0; pe < symm::n_pes(); ++pe) {
    Word<T> const word(initial);
    fetch_all<op::atomic_fetch_add, Form>(word, pe, price, T{0});
    T const result = word.result();
    auto tickets   = word.all_returned();
    if (tickets.front() != initial)
      std::reverse(tickets.begin(), tickets.end());
    std::size_t n_wrong = 0;
    for (std::size_t i = 0; i < tickets.size(); ++i) {
      if (tickets[i] != initial + price * static_cast<T>(i)) ++n_wrong;
    }
    EXPECT_EQ(n_wrong, 0U) << "on PE " << pe;
    EXPECT_EQ(result, symm::my_pe() == pe
                          ? initial + price * static_cast<T>(tickets.size())
                          : initial);
    symm::barrier_all();
  }
}

TYPED_TEST(Atomics, fetch_add_draws_every_ticket_once) {
  test_tickets<long, TypeParam>(-billions, billions);
  test_tickets<long long, TypeParam>(billions, -3);
  test_tickets<std::uint64_t, TypeParam>(std::uint64_t{1} << 63U, billions);
  test_tickets<int, TypeParam>(-2000, 7);
  test_tickets<unsigned, TypeParam>(4'000'000'000U, 1);
  test_tickets<double, TypeParam>(-1e9, 0.25);
  test_tickets<float, TypeParam>(10, 1.5F);
}

template <class T, class Form>
void test_inc(T initial) {
  for (Pe pe = 0; pe < symm::n_pes(); ++pe) {
    Word<T> const word(initial);
    run_all<Form>(count(), FetchInc<Form, T>{make<Form>(), word.address(), pe,
                                             word.returned()});
    T const result     = word.result();
    auto const tickets = word.all_returned();
    auto const total   = static_cast<T>(tickets.size());
    EXPECT_EQ(result, symm::my_pe() == pe ? initial + total + total : initial);
    EXPECT_EQ(std::adjacent_find(tickets.begin(), tickets.end()),
              tickets.end());
    EXPECT_GE(tickets.front(), initial);
    EXPECT_LT(tickets.back(), initial + total + total);
    symm::barrier_all();
  }
}

TYPED_TEST(Atomics, inc_and_fetch_inc_count_all_PEs) {
  test_inc<long, TypeParam>(4'294'967'290);
  test_inc<std::uint64_t, TypeParam>(std::numeric_limits<std::uint32_t>::max());
  test_inc<int, TypeParam>(-1500);
  test_inc<unsigned, TypeParam>(2'147'483'000U);
}

template <class T, class Form>
void test_sum(T step) {
  for (Pe pe = 0; pe < symm::n_pes(); ++pe) {
    Word<T> const word(T{3});
    change_all<op::atomic_add, Form>(word, pe, static_cast<T>(symm::my_pe()),
                                     step);
    T sum = 3;
    for (int i = 0; i < n_times(); ++i) {
      for (Pe from = 0; from < symm::n_pes(); ++from) {
        sum += static_cast<T>(from) + step * static_cast<T>(i % 16);
      }
    }
    EXPECT_EQ(word.result(), symm::my_pe() == pe ? sum : T{3});
    symm::barrier_all();
  }
}

TYPED_TEST(Atomics, add_loses_no_update) {
  test_sum<long, TypeParam>(billions);
  test_sum<long long, TypeParam>(-billions);
  test_sum<std::uint64_t, TypeParam>(billions);
  test_sum<int, TypeParam>(-3);
  test_sum<unsigned, TypeParam>(3);
  test_sum<double, TypeParam>(0.5);
  test_sum<float, TypeParam>(1);  // all sums are exact
}

/// Each value that is put in comes out once, or is there at the end.
template <class T, class Form>
void test_swap(T unit) {
  for (Pe pe = 0; pe < symm::n_pes(); ++pe) {
    Word<T> const word(T{0});
    auto const first = static_cast<T>(symm::my_pe() * count() + 1);
    fetch_all<op::atomic_swap, Form>(word, pe, unit * first, unit);
    auto const last = gather(word.result())[static_cast<std::size_t>(pe)];
    auto all        = word.all_returned();
    all.insert(std::upper_bound(all.begin(), all.end(), last), last);
    std::size_t n_wrong = 0;
    for (std::size_t i = 0; i < all.size(); ++i) {
      if (all[i] != unit * static_cast<T>(i)) ++n_wrong;
    }
    EXPECT_EQ(n_wrong, 0U) << "on PE " << pe;
    symm::barrier_all();
  }
}

TYPED_TEST(Atomics, swap_loses_no_value) {
  test_swap<long, TypeParam>(billions);
  test_swap<unsigned, TypeParam>(3);
  test_swap<double, TypeParam>(1.5);
  test_swap<float, TypeParam>(0.5F);
}

template <class Form, class T>
struct AddByCompareSwap {
  Form form;
  T* word;
  Pe pe;
  T what;
  KOKKOS_FUNCTION void operator()(int) const {
    T seen = form.call(op::atomic_fetch(), word, pe);
    for (;;) {
      T const before =
          form.call(op::atomic_compare_swap(), word, pe, seen, seen + what);
      if (before == seen) return;
      seen = before;
    }
  }
};

template <class T, class Form>
void test_compare_swap(T what) {
  for (Pe pe = 0; pe < symm::n_pes(); ++pe) {
    Word<T> const word(T{0});
    run_all<Form>(n_times(), AddByCompareSwap<Form, T>{
                                 make<Form>(), word.address(), pe, what});
    EXPECT_EQ(word.result(),
              symm::my_pe() == pe
                  ? what * static_cast<T>(n_times() * symm::n_pes())
                  : T{0});
    symm::barrier_all();
  }
}

TYPED_TEST(Atomics, compare_swap_returns_what_was_there) {
  test_compare_swap<long, TypeParam>(-billions);
  test_compare_swap<unsigned, TypeParam>(5);
  test_compare_swap<double, TypeParam>(0.25);
  test_compare_swap<float, TypeParam>(1);
}

/// A lock that excludes nobody lets updates of the counter be lost.
template <class Form>
struct CountUnderLock {
  Form form;
  int* lock;
  long* counter;
  Pe pe;
  int n;
  Pe me;
  KOKKOS_FUNCTION static void fence() {
    desul::atomic_thread_fence(desul::MemoryOrderSeqCst(),
                               desul::MemoryScopeNode());
  }
  KOKKOS_FUNCTION void operator()(int) const {
    for (int i = 0; i < n; ++i) {
      while (form.call(op::atomic_compare_swap(), lock, pe, 0, me + 1) != 0) {
        pause_in_loop();
      }
      fence();
      long const was = form.call(op::atomic_fetch(), counter, pe);
      form.call(op::atomic_set(), counter, pe, was + billions);
      fence();
      form.call(op::atomic_set(), lock, pe, 0);
    }
  }
};

TYPED_TEST(Atomics, compare_swap_and_set_make_a_lock) {
  for (Pe pe = 0; pe < symm::n_pes(); ++pe) {
    Word<int> const lock(0);
    Word<long> const counter(0);
    int const n = fewer_over_nodes(rounds(20'000)) / symm::n_pes() /
                  (is_on_host<Space> ? 1 : 10);
    run_all<TypeParam>(
        1, CountUnderLock<TypeParam>{make<TypeParam>(), lock.address(),
                                     counter.address(), pe, n, symm::my_pe()});
    EXPECT_EQ(counter.result(),
              symm::my_pe() == pe ? billions * n * symm::n_pes() : 0);
    EXPECT_EQ(lock.result(), 0);
  }
}

}  // namespace
