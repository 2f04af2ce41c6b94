// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

// sort(), compared with std::stable_sort of the elements of all PEs.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numeric>
#include <random>
#include <string>
#include <type_traits>
#include <vector>

#include <Kokkos_SymmetricContainers.hpp>
#include <kokkos/view_helpers.hpp>
#include <support/pes.hpp>

#include "../exchange/plans.hpp"

namespace {

using namespace symm_test;
using symm::Pe;
using symm::UsageError;
using testing::HasSubstr;

/// How keys are made.
enum class Kind {
  random,  // of all bits
  few,     // many equal ones
  skewed,  // most are small, one is as large as can be
  all_equal,
  sorted,
  reversed,
  of_one_pe,  // the others have none
  few_elements,
  count
};

std::size_t count_of(Kind kind, unsigned seed, Pe pe) {
  auto const n = std::size_t{(seed * 131 + static_cast<unsigned>(pe) * 577) %
                             (seed % 4 == 0 ? 9000U : 700U)};
  if (kind == Kind::of_one_pe) return pe == symm::n_pes() - 1 ? n : 0;
  if (kind == Kind::few_elements) return pe % 2 == 1 ? 1 : 0;
  return (seed + static_cast<unsigned>(pe)) % 5 == 0 ? 0 : n;
}

template <class Key>
Key key_of_bits(std::uint64_t bits) {
  if constexpr (std::is_floating_point_v<Key>) {
    // All exponents and signs, no NaN.
    auto const mantissa = static_cast<double>(bits >> 20U) /
                          static_cast<double>(std::uint64_t{1} << 44U);
    auto const exponent = static_cast<int>(bits % 200) - 100;
    auto const result   = std::ldexp(mantissa + 0.5, exponent);
    return static_cast<Key>((bits >> 10U) % 2 == 0 ? result : -result);
  } else {
    return static_cast<Key>(bits);
  }
}

template <class Key>
std::vector<Key> keys_of(Kind kind, unsigned seed, Pe pe) {
  std::vector<Key> keys(count_of(kind, seed, pe));
  std::mt19937_64 random(seed * 1000 + static_cast<unsigned>(pe));
  for (std::size_t k = 0; k < keys.size(); ++k) {
    auto const bits = random();
    auto& key       = keys[k];
    switch (kind) {
      case Kind::few: key = static_cast<Key>(bits % 3); break;
      case Kind::skewed:
        key =
            bits % 1000 == 0
                ? std::numeric_limits<Key>::max()
                : static_cast<Key>(std::min({bits % 100, (bits >> 8U) % 100}));
        break;
      case Kind::all_equal: key = Key{1}; break;
      case Kind::sorted:
        key = static_cast<Key>((static_cast<std::size_t>(pe) * 9000 + k) / 512);
        break;
      case Kind::reversed:
        key = static_cast<Key>(100 - static_cast<int>(k / 91) - pe);
        break;
      default: key = key_of_bits<Key>(bits);
    }
  }
  return keys;
}

/// An element: its key, and who had it.
template <class Key>
struct Element {
  Key key;
  int number;
};

/// The elements of all PEs, sorted, and those of PE `me` afterwards.
template <class Key>
std::vector<Element<Key>> sorted_part(Kind kind, unsigned seed, Pe me, int n) {
  std::vector<Element<Key>> all;
  for (Pe pe = 0; pe < n; ++pe) {
    auto const keys = keys_of<Key>(kind, seed, pe);
    for (std::size_t k = 0; k < keys.size(); ++k)
      all.push_back({keys[k], pe * 100'000 + static_cast<int>(k)});
  }
  std::stable_sort(all.begin(), all.end(),
                   [](auto const& a, auto const& b) { return a.key < b.key; });
  auto const pes   = static_cast<std::size_t>(n);
  auto const first = [&](std::size_t pe) {
    return static_cast<std::ptrdiff_t>(all.size() / pes * pe +
                                       std::min(pe, all.size() % pes));
  };
  auto const mine = static_cast<std::size_t>(me);
  return {all.begin() + first(mine), all.begin() + first(mine + 1)};
}

template <class Key>
class Sort : public testing::Test {};
using Keys = testing::Types<std::uint64_t, double, int, float, std::int64_t,
                            short, unsigned char>;
TYPED_TEST_SUITE(Sort, Keys);

template <class View, class Key>
std::size_t wrong_keys(View const& view,
                       std::vector<Element<Key>> const& part) {
  auto const on_host =
      Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), view);
  std::size_t wrong = 0;
  for (std::size_t k = 0; k < part.size(); ++k)
    wrong += on_host(k) != part[k].key;
  return wrong;
}

TYPED_TEST(Sort, keys_are_in_order_and_as_many_on_each_PE) {
  int const me = symm::my_pe(), n = symm::n_pes();
  auto pauses = random_of_this_pe(7);
  for (int kind = 0; kind < static_cast<int>(Kind::count); ++kind) {
    for (unsigned seed = 0; seed < 6; ++seed) {
      auto const its  = static_cast<Kind>(kind);
      auto const mine = keys_of<TypeParam>(its, seed, me);
      Kokkos::View<TypeParam*, Memory> keys("keys", mine.size());
      fill(keys, [&](auto k, auto) { return mine[k]; });
      random_pause(pauses);
      auto const n_now = symm::sort(Exec(), keys);
      auto const part  = sorted_part<TypeParam>(its, seed, me, n);
      EXPECT_EQ(n_now, part.size()) << kind << " " << seed;
      if (n_now != part.size() || keys.extent(0) < n_now) continue;
      EXPECT_EQ(wrong_keys(keys, part), 0U) << kind << " " << seed;
    }
  }
  symm::barrier_all();
}

TYPED_TEST(Sort, values_travel_with_keys_and_equal_keys_keep_their_order) {
  int const me = symm::my_pe(), n = symm::n_pes();
  for (int kind = 0; kind < static_cast<int>(Kind::count); ++kind) {
    for (unsigned seed = 0; seed < 6; ++seed) {
      auto const its    = static_cast<Kind>(kind);
      auto const mine   = keys_of<TypeParam>(its, seed, me);
      auto const number = [&](std::size_t k) {
        return me * 100'000 + static_cast<int>(k);
      };
      // As long on all PEs.
      Kokkos::View<TypeParam*, symm::SymmetricSpace> keys("keys", 9000);
      Kokkos::View<double* [3], Kokkos::LayoutLeft, Memory> x("x", mine.size());
      Kokkos::View<int*, Memory> numbers("numbers", mine.size() + 5);
      fill(keys, [&](auto k, auto) { return k < mine.size() ? mine[k] : 0; });
      fill(numbers, [&](auto k, auto) { return number(k); });
      fill(x,
           [&](auto k, auto c) { return number(k) * 4 + static_cast<int>(c); });
      auto const n_now = symm::sort(Exec(), mine.size(), keys, x, numbers);
      auto const part  = sorted_part<TypeParam>(its, seed, me, n);
      EXPECT_EQ(n_now, part.size()) << kind << " " << seed;
      if (n_now != part.size()) continue;
      EXPECT_EQ(wrong_keys(keys, part), 0U) << kind << " " << seed;
      auto const first = std::pair<std::size_t, std::size_t>(0, n_now);
      EXPECT_EQ(count_wrong(Kokkos::subview(numbers, first),
                            [&](auto k, auto) { return part[k].number; }),
                0U)
          << kind << " " << seed;
      EXPECT_EQ(count_wrong(Kokkos::subview(x, first, Kokkos::ALL),
                            [&](auto k, auto c) {
                              return part[k].number * 4 + static_cast<int>(c);
                            }),
                0U)
          << kind << " " << seed;
    }
  }
  symm::barrier_all();
}

TEST(SortOfNumbers, zeros_infinities_and_NaN_have_a_place) {
  constexpr auto infinity = std::numeric_limits<double>::infinity();
  auto const nan          = std::numeric_limits<double>::quiet_NaN();
  std::vector<double> const in_order{-nan, -infinity, -1,       -0.0,
                                     0.0,  1,         infinity, nan};
  auto const n = static_cast<std::size_t>(symm::n_pes());
  Kokkos::View<double*, Memory> keys("keys", in_order.size());
  fill(keys, [&](auto k, auto) { return in_order[(k * 3) % in_order.size()]; });
  auto const n_now = symm::sort(Exec(), keys);
  EXPECT_EQ(n_now, in_order.size());
  auto const me = static_cast<std::size_t>(symm::my_pe());
  auto const on_host =
      Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), keys);
  for (std::size_t k = 0; k < n_now; ++k) {
    auto const expected = in_order[(me * in_order.size() + k) / n];
    EXPECT_EQ(std::isnan(on_host(k)), std::isnan(expected)) << k;
    EXPECT_EQ(std::signbit(on_host(k)), std::signbit(expected)) << k;
    if (!std::isnan(expected)) {
      EXPECT_EQ(on_host(k), expected) << k;
    }
  }
  symm::barrier_all();
}

TEST(SortOfNumbers, what_cannot_be_sorted_is_an_error_on_all_PEs) {
  int const me = symm::my_pe(), n = symm::n_pes();
  Kokkos::View<int*, Memory> keys("keys", 5), shorter("shorter", 4);
  Kokkos::View<double*, Memory> others("others", 5);
  fill(keys, [&](auto k, auto) { return 10 - me - static_cast<int>(k); });
  auto const last = std::to_string(n - 1);
  EXPECT_THAT(message_of<UsageError>(
                  [&] { symm::sort(Exec(), me == n - 1 ? 6 : 5, keys); }),
              HasSubstr("symm::sort failed: on PE " + last +
                        ": the count is 6, but View \"keys\" has 5 elements"));
  EXPECT_THAT(message_of<UsageError>(
                  [&] { symm::sort(Exec(), me == n - 1 ? -1 : 5, keys); }),
              HasSubstr("PE " + last + ": the count is -1"));
  EXPECT_THAT(message_of<UsageError>([&] {
                symm::sort(Exec(), me == n - 1 ? 5 : 4, keys, shorter);
              }),
              HasSubstr("\"shorter\" is too small"));
  if (n > 1) {
    EXPECT_THAT(message_of<UsageError>([&] {
                  if (me == 0) {
                    symm::sort(Exec(), keys, others);
                  } else {
                    symm::sort(Exec(), keys);
                  }
                }),
                HasSubstr("elements of PE"));
  }
  EXPECT_EQ(
      count_wrong(keys,
                  [&](auto k, auto) { return 10 - me - static_cast<int>(k); }),
      0U);
  symm::barrier_all();
}

}  // namespace
