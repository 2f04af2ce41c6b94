// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

// fence, quiet, and the loads and stores that PEs order their work with
// (OpenSHMEM 1.5, shmem_fence and shmem_quiet).

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <Kokkos_Core.hpp>
#include <cstddef>
#include <cstdint>

#include <Kokkos_SymmetricSpace.hpp>

#include "wait_helpers.hpp"

namespace {

using namespace symm_test;
using symm::Compare;
using symm::Pe;

template <class T>
concept is_word = requires(T* address) {
  symm::load_acquire(address);
  symm::load_relaxed(address);
};
static_assert(is_word<int> && is_word<std::uint64_t> && is_word<float const> &&
              is_word<double>);
static_assert(!is_word<short> && !is_word<char> && !is_word<long double>);

template <class Exec>
class Ordering : public testing::Test {};
TYPED_TEST_SUITE(Ordering, Execs);

template <class T>
struct LoadAndStore {
  Array<T> words;
  T what[4];
  Errors errors;
  KOKKOS_FUNCTION void operator()() const {
    for (int i = 0; i < 4; ++i) {
      symm::store_relaxed(words.data() + 1, what[i]);
      if (symm::load_relaxed(words.data() + 1) != what[i]) ++errors();
      if (symm::load_acquire(words.data() + 1) != what[i]) ++errors();
      symm::store_release(words.data() + 1, what[3 - i]);
      if (symm::load_relaxed(words.data() + 1) != what[3 - i]) ++errors();
      if (symm::load_acquire(words.data() + 1) != what[3 - i]) ++errors();
      if (words(0) != T{} || words(2) != T{}) ++errors();
    }
  }
};

template <class Exec, class T>
int errors_of_words(T a, T b, T c, T d) {
  return count_errors<Exec>(
      LoadAndStore<T>{Array<T>("words", 3), {a, b, c, d}, Errors("errors")});
}

TYPED_TEST(Ordering, a_word_is_loaded_as_it_was_stored) {
  EXPECT_EQ((errors_of_words<TypeParam, std::int32_t>(-1, 0, 7, INT32_MIN)), 0);
  EXPECT_EQ((errors_of_words<TypeParam, std::uint32_t>(1, 0, 7, UINT32_MAX)),
            0);
  EXPECT_EQ((errors_of_words<TypeParam, std::int64_t>(-1, std::int64_t{1} << 32,
                                                      7, INT64_MIN)),
            0);
  EXPECT_EQ((errors_of_words<TypeParam, std::uint64_t>(
                1, std::uint64_t{1} << 32U, 7, UINT64_MAX)),
            0);
  EXPECT_EQ((errors_of_words<TypeParam, float>(-1.5F, 0, 7, 1e30F)), 0);
  EXPECT_EQ((errors_of_words<TypeParam, double>(-1.5, 0, 7, 1e300)), 0);
}

// Message passing: data by plain stores, an order, a flag.

enum class Order { fence, quiet, release };

constexpr std::size_t n_data = 61;

/// What is element i in that round.
KOKKOS_FUNCTION constexpr int value_in(int round, Pe from, Pe to,
                                       std::size_t i) {
  return value(from, to, i + n_data * static_cast<std::size_t>(round));
}

struct PassMessages {
  symm::HeapMap heap;
  Array<int> data;            // with a guard cell on both sides
  Array<std::int64_t> flags;  // 0: sent, 1: read
  Pe from;
  Pe to;
  int n_rounds;
  Order order;
  Errors errors;

  KOKKOS_FUNCTION void tell(Pe pe, int which, std::int64_t round) const {
    auto* const flag = &flags(which);
    if (order == Order::release) {
      return store_release_at(heap, pe, flag, round);
    }
    if (order == Order::fence) symm::fence();
    if (order == Order::quiet) symm::quiet();
    store_relaxed_at(heap, pe, flag, round);
  }

  KOKKOS_FUNCTION void operator()() const {
    auto const me = heap.my_pe;
    for (int round = 1; round <= n_rounds; ++round) {
      symm::wait_until(&flags(1), Compare::ge, round - 1);
      for (std::size_t i = 0; i < n_data; ++i) {
        store_at(heap, to, &data(i + 1), value_in(round, me, to, i));
      }
      tell(to, 0, round);
      symm::wait_until(&flags(0), Compare::ge, round);
      for (std::size_t i = 0; i < n_data; ++i) {
        if (data(i + 1) != value_in(round, from, me, i)) ++errors();
      }
      tell(from, 1, round);
    }
    if (data(0) != 0 || data(n_data + 1) != 0) ++errors();
  }
};

template <class Exec>
void expect_messages_pass(Order order) {
  Array<int> const data("data", n_data + 2);
  Array<std::int64_t> const flags("flags", 2);
  Errors const errors("errors");
  symm::barrier_all(Exec());
  EXPECT_EQ(count_errors<Exec>(PassMessages{symm::heap_map(Space::memory_kind),
                                            data, flags, left(), right(),
                                            turns<Exec>(5000), order, errors}),
            0);
  symm::barrier_all();
}

TYPED_TEST(Ordering, who_sees_a_flag_stored_after_fence_sees_the_data) {
  expect_messages_pass<TypeParam>(Order::fence);
}

TYPED_TEST(Ordering, who_sees_a_flag_stored_after_quiet_sees_the_data) {
  expect_messages_pass<TypeParam>(Order::quiet);
}

TYPED_TEST(Ordering, who_sees_a_flag_stored_with_release_sees_the_data) {
  expect_messages_pass<TypeParam>(Order::release);
}

/// Store buffering: each of two PEs stores its own flag, then loads the
/// other's.
struct StoreAndLook {
  symm::HeapMap heap;
  Array<int> ready;
  Array<int> flag;
  Array<int> seen;
  Pe other;
  int n_rounds;

  KOKKOS_FUNCTION void operator()() const {
    for (int round = 1; round <= n_rounds; ++round) {
      store_release_at(heap, other, &ready(0), round);
      symm::wait_until(&ready(0), Compare::ge, round);
      symm::store_relaxed(&flag(0), round);
      symm::quiet();
      seen(round - 1) = heap.is_near(other)
                            ? symm::load_relaxed(heap.peer_ptr(&flag(0), other))
                            : symm::g(heap, &flag(0), other);
    }
  }
};

TYPED_TEST(Ordering, of_two_PEs_one_sees_the_flag_of_the_other_after_quiet) {
  int const n_rounds = turns<TypeParam>(20'000);
  Array<int> const ready("ready", 1);
  Array<int> const flag("flag", 1);
  Array<int> const seen("seen", static_cast<std::size_t>(n_rounds));
  symm::barrier_all(TypeParam());
  auto const me       = symm::my_pe();
  auto const other    = me % 2 == 0 ? me + 1 : me - 1;
  bool const is_there = other < symm::n_pes();
  if (is_there) {
    run<TypeParam>(StoreAndLook{symm::heap_map(Space::memory_kind), ready, flag,
                                seen, other, n_rounds});
  }
  symm::barrier_all(TypeParam());
  int n_both_missed = 0;
  int n_one_missed  = 0;
  auto const mine =
      Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), seen);
  auto const of_other = Kokkos::create_mirror(Kokkos::HostSpace(), seen);
  symm::get(of_other.data(), seen.data(), seen.size(), is_there ? other : me);
  for (int i = 0; is_there && i < n_rounds; ++i) {
    bool const missed       = mine(i) <= i;
    bool const other_missed = of_other(i) <= i;
    if (missed && other_missed) ++n_both_missed;
    if (missed != other_missed) ++n_one_missed;
  }
  EXPECT_EQ(n_both_missed, 0) << n_one_missed << " of " << n_rounds
                              << " rounds in which one did not see the other";
  symm::barrier_all();
}

// On an execution space instance.

struct StoreElement {
  symm::HeapMap heap;
  Array<int> data;
  Pe to;
  int round;
  KOKKOS_FUNCTION void operator()(int i) const {
    store_at(heap, to, &data(i),
             value_in(round, heap.my_pe, to, static_cast<std::size_t>(i)));
  }
};

struct Tell {
  symm::HeapMap heap;
  Array<std::int64_t> flags;
  Pe pe;
  int which;
  std::int64_t round;
  KOKKOS_FUNCTION void operator()() const {
    store_relaxed_at(heap, pe, &flags(which), round);
  }
};

struct WaitForFlag {
  Array<std::int64_t> flags;
  int which;
  int round;
  KOKKOS_FUNCTION void operator()() const {
    symm::wait_until(&flags(which), Compare::ge, round);
  }
};

struct CheckElement {
  Array<int> data;
  Pe from;
  Pe me;
  int round;
  Errors errors;
  KOKKOS_FUNCTION void operator()(int i) const {
    if (data(i) != value_in(round, from, me, static_cast<std::size_t>(i))) {
      Kokkos::atomic_inc(&errors());
    }
  }
};

TYPED_TEST(Ordering,
           quiet_of_an_instance_is_between_what_is_enqueued_before_and_after) {
  int const n = are_all_near() ? 5000 : 1000;
  Array<int> const data("data", static_cast<std::size_t>(n));
  Array<std::int64_t> const flags("flags", 2);
  Errors const errors("errors");
  auto const heap = symm::heap_map(Space::memory_kind);
  auto const me   = symm::my_pe();
  TypeParam const exec;
  using Range = Kokkos::RangePolicy<TypeParam>;
  symm::barrier_all(exec);
  for (int round = 1; round <= turns<TypeParam>(200); ++round) {
    launch<TypeParam>(WaitForFlag{flags, 1, round - 1});
    Kokkos::parallel_for("data", Range(exec, 0, n),
                         StoreElement{heap, data, right(), round});
    symm::quiet(exec);
    launch<TypeParam>(Tell{heap, flags, right(), 0, round});
    launch<TypeParam>(WaitForFlag{flags, 0, round});
    Kokkos::parallel_for("check", Range(exec, 0, n),
                         CheckElement{data, left(), me, round, errors});
    symm::quiet(exec);
    launch<TypeParam>(Tell{heap, flags, left(), 1, round});
  }
  exec.fence();
  EXPECT_EQ(get(errors), 0);
  symm::barrier_all();
}

TEST(Locality, fence_and_quiet_are_local) {
  auto const before = n_calls();
  if (symm::my_pe() == 0) {
    symm::fence();
    symm::quiet();
    symm::quiet(SpaceExec());
    SpaceExec().fence();
  }
  EXPECT_EQ(n_calls(), before);
  symm::barrier_all();
}

}  // namespace
