// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

// wait_until, test and their families (OpenSHMEM 1.5, point-to-point
// synchronization).

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <Kokkos_Core.hpp>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>

#include <Kokkos_SymmetricSpace.hpp>

#include "wait_helpers.hpp"

namespace {

using namespace symm_test;
using symm::Compare;
using symm::Pe;
using testing::HasSubstr;

template <class T>
concept can_wait = requires(T* ivar) {
  symm::wait_until(ivar, Compare::eq, 1);
  symm::test(ivar, Compare::eq, 1);
  symm::wait_until_all(ivar, 1, nullptr, Compare::eq, 1);
};
static_assert(can_wait<int> && can_wait<unsigned> && can_wait<long> &&
              can_wait<long long> && can_wait<std::uint64_t>);
static_assert(!can_wait<short> && !can_wait<char> && !can_wait<bool> &&
              !can_wait<float> && !can_wait<double> && !can_wait<int*>);

template <class Exec>
class Waiting : public testing::Test {};
TYPED_TEST_SUITE(Waiting, Execs);

// The comparisons.

constexpr int n_compares = 6;
constexpr int n_values   = 7;

/// What each must say of the places of two values in an ascending list.
KOKKOS_FUNCTION constexpr bool expected(int compare, int now, int value) {
  switch (static_cast<Compare>(compare)) {
    case Compare::eq: return now == value;
    case Compare::ne: return now != value;
    case Compare::gt: return now > value;
    case Compare::ge: return now >= value;
    case Compare::lt: return now < value;
    case Compare::le: return now <= value;
  }
  return false;
}

/// Ascending; some of 64 bits differ in one half only.
template <class T>
constexpr Kokkos::Array<T, n_values> ascending() {
  using Limits = std::numeric_limits<T>;
  T const middle =
      sizeof(T) == 8 ? static_cast<T>(Limits::max() / 0x7fff'ffff) : T{1000};
  return {Limits::min(),
          static_cast<T>(std::is_signed_v<T> ? T{0} - T{1} : T{1}),
          T{2},
          middle,
          static_cast<T>(middle + 1),
          static_cast<T>(Limits::max() - 1),
          Limits::max()};
}
static_assert(ascending<std::int64_t>()[3] > (std::int64_t{1} << 32U));

template <class T>
struct CompareAll {
  Array<T> ivar;
  Errors errors;
  Kokkos::Array<T, n_values> values = ascending<T>();
  KOKKOS_FUNCTION void operator()() const {
    for (int now = 0; now < n_values; ++now) {
      for (int value = 0; value < n_values; ++value) {
        for (int compare = 0; compare < n_compares; ++compare) {
          ivar(1)            = values[now];
          auto const how     = static_cast<Compare>(compare);
          auto const to      = values[value];
          bool const is_true = expected(compare, now, value);
          if (symm::test(ivar.data() + 1, how, to) != is_true) ++errors();
          if (is_true &&
              symm::wait_until(ivar.data() + 1, how, to) != ivar(1)) {
            ++errors();
          }
        }
      }
    }
  }
};

template <class Exec, class T>
int errors_of_comparisons() {
  return count_errors<Exec>(
      CompareAll<T>{Array<T>("ivar", 3), Errors("errors")});
}

TYPED_TEST(Waiting, all_comparisons_of_all_types_are_those_of_numbers) {
  EXPECT_EQ((errors_of_comparisons<TypeParam, std::int32_t>()), 0);
  EXPECT_EQ((errors_of_comparisons<TypeParam, std::uint32_t>()), 0);
  EXPECT_EQ((errors_of_comparisons<TypeParam, std::int64_t>()), 0);
  EXPECT_EQ((errors_of_comparisons<TypeParam, std::uint64_t>()), 0);
  EXPECT_EQ((errors_of_comparisons<TypeParam, long long>()), 0);
}

/// Each PE waits for what its left neighbor stores, with each comparison: one
/// of the values fails it, the other does not.
template <class T>
struct WaitForEach {
  symm::HeapMap heap;
  Array<T> ivars;      // one for each comparison
  Array<int> started;  // by the PE on the right
  Pe from;
  Pe to;
  T low;
  T high;
  Errors errors;

  KOKKOS_FUNCTION void operator()() const {
    for (int compare = 0; compare < n_compares; ++compare) {
      auto const how = static_cast<Compare>(compare);
      bool const up  = how == Compare::gt || how == Compare::ge;
      bool const eq  = how == Compare::eq;
      T const first  = how == Compare::ne || up ? low : high;
      T const then   = first == low ? high : low;
      // What it is compared with: > and < with the first, the others with what
      // makes them true.
      bool const strict =
          how == Compare::gt || how == Compare::lt || how == Compare::ne;
      T const value = strict ? first : then;
      symm::store_relaxed(&ivars(compare), first);
      if (symm::test(&ivars(compare), how, value)) ++errors();
      store_release_at(heap, from, &started(0), compare + 1);
      symm::wait_until(&started(0), Compare::ge, compare + 1);
      store_relaxed_at(heap, to, &ivars(compare), then);
      T const seen = symm::wait_until(&ivars(compare), how, value);
      if (seen != then) ++errors();
      if (eq && seen != value) ++errors();
    }
  }
};

template <class Exec, class T>
void expect_waits_see(T low, T high) {
  Array<T> const ivars("ivars", n_compares);
  Array<int> const started("started", 1);
  Errors const errors("errors");
  symm::barrier_all(Exec());
  EXPECT_EQ(count_errors<Exec>(
                WaitForEach<T>{symm::heap_map(Space::memory_kind), ivars,
                               started, left(), right(), low, high, errors}),
            0);
  symm::barrier_all();
}

TYPED_TEST(Waiting, wait_until_returns_what_another_PE_has_stored) {
  expect_waits_see<TypeParam, std::int32_t>(-5, 3);
  expect_waits_see<TypeParam, std::uint32_t>(3, 0xffff'fff0U);
  expect_waits_see<TypeParam, std::int64_t>(-(std::int64_t{1} << 40), -1);
  expect_waits_see<TypeParam, std::uint64_t>(7, (std::uint64_t{1} << 63U) + 7);
}

// Errors.

TEST(WaitingErrors, on_the_host_a_null_address_is_refused) {
  // Unknown to the compiler, which warns of a load that comes after the check.
  std::int64_t const* volatile unknown = nullptr;
  std::int64_t const* const nothing    = unknown;
  EXPECT_THAT(message_of<symm::UsageError>(
                  [&] { symm::wait_until(nothing, Compare::eq, 1); }),
              HasSubstr("symm::wait_until: the address of the variable is "
                        "null"));
  EXPECT_THAT(
      message_of<symm::UsageError>([&] {
        static_cast<void>(symm::test_any(nothing, 2, nullptr, Compare::eq, 1));
      }),
      HasSubstr("symm::test_any: the address of the variable is null"));
}

TEST(WaitingErrors, on_the_host_GPU_memory_is_refused) {
  Array<int> const view("ivar", 1);
  if (is_on_host<Space>) {
    EXPECT_TRUE(symm::test(view.data(), Compare::eq, 0));
  } else {
    EXPECT_THAT(message_of<symm::UsageError>(
                    [&] { symm::wait_until(view.data(), Compare::eq, 1); }),
                HasSubstr("GPU memory, where the host cannot wait"));
    Pe const near = symm::is_near(right()) ? right() : symm::my_pe();
    EXPECT_THAT(message_of<symm::UsageError>([&] {
                  static_cast<void>(symm::test(
                      symm::peer_view(view, near).data(), Compare::eq, 0));
                }),
                HasSubstr("GPU memory, where the host cannot wait"));
  }
}

TEST(WaitingErrors, private_memory_of_the_host_can_be_waited_for) {
  int mine = 3;
  EXPECT_EQ(symm::wait_until(&mine, Compare::eq, 3), 3);
}

}  // namespace
