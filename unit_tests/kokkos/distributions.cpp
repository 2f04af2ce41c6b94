// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

// The arithmetic of Blocks, Cyclic and BlockCyclic, without PEs, against lists
// made row by row.

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <random>
#include <set>
#include <utility>
#include <vector>

#include <Kokkos_SymmetricContainers_DistributedView.hpp>

namespace {

using symm::Pe;
using symm::Impl::Divisor;
using symm::Impl::RowMap;

constexpr std::uint64_t max_divisor = std::uint64_t{1} << 62;
constexpr std::uint64_t most        = (std::uint64_t{1} << 63) - 1;

TEST(Divisor, gives_the_quotient_of_a_division) {
  std::mt19937_64 numbers(1);
  std::vector<std::uint64_t> divisors{1,          2, 3, 5, 7, max_divisor - 1,
                                      max_divisor};
  for (int bit = 2; bit < 62; ++bit) {
    auto const power = std::uint64_t{1} << bit;
    for (auto const d : {power - 1, power, power + 1}) divisors.push_back(d);
    divisors.push_back(numbers() >> (bit + 1) | 1);
  }
  for (auto const d : divisors) {
    if (d > max_divisor) continue;
    Divisor const divisor(d);
    std::vector<std::uint64_t> xs{0, 1, d - 1, std::min(d, most), most};
    for (int k = 0; k < 50; ++k) {
      auto const x = numbers() >> (1 + numbers() % 63);
      for (auto const near : {x, x / d * d, x / d * d + d - 1})
        xs.push_back(std::min(near, most));
    }
    for (auto const x : xs) {
      ASSERT_EQ(divisor.quotient(x), x / d) << x << " / " << d;
    }
  }
  EXPECT_EQ(Divisor().quotient(most), most);
}

/// Deals out rows one by one.
class Dealt {
 public:
  template <class OwnerOf>
  Dealt(std::size_t extent, int n_pes, OwnerOf const& owner_of)
      : m_rows(static_cast<std::size_t>(n_pes)) {
    for (std::size_t i = 0; i < extent; ++i)
      m_rows[static_cast<std::size_t>(owner_of(i))].push_back(i);
  }
  [[nodiscard]] std::vector<std::size_t> const& of(Pe pe) const {
    return m_rows[static_cast<std::size_t>(pe)];
  }

 private:
  std::vector<std::vector<std::size_t>> m_rows;
};

template <class Map>
void expect_as_dealt(Map const& map, Dealt const& dealt, int n_pes,
                     bool is_even = true) {
  for (Pe pe = 0; pe < n_pes; ++pe) {
    auto const& rows = dealt.of(pe);
    ASSERT_EQ(map.count(pe), rows.size());
    ASSERT_LE(map.count(pe), map.count(0));
    ASSERT_TRUE(!is_even || map.count(pe) + 1 >= map.count(0));
    for (std::size_t k = 0; k < rows.size(); ++k) {
      ASSERT_EQ(map.global_index(pe, k), rows[k]);
      ASSERT_EQ(map.find(rows[k]).pe, pe);
      ASSERT_EQ(map.find(rows[k]).row, k);
    }
    std::set<std::size_t> in_series;
    for (std::size_t s = 0; s < map.n_series(pe); ++s) {
      auto const series = map.series(pe, s);
      for (std::size_t n = 0; n < series.count; ++n) {
        auto const k = series.local_first + n * series.local_step;
        ASSERT_LT(k, rows.size());
        ASSERT_EQ(series.global_first + n * series.global_step, rows[k]);
        ASSERT_TRUE(in_series.insert(k).second);
      }
    }
    ASSERT_EQ(in_series.size(), rows.size());
  }
}

TEST(Distributions, deal_out_all_rows_and_find_them_again) {
  for (int n_pes = 1; n_pes <= 7; ++n_pes) {
    auto const n = static_cast<std::size_t>(n_pes);
    for (std::size_t extent = 0; extent <= 50; ++extent) {
      SCOPED_TRACE(testing::Message() << extent << " rows, " << n << " PEs");
      expect_as_dealt(RowMap<symm::Cyclic>({}, extent, n_pes),
                      Dealt(extent, n_pes, [=](auto i) { return i % n; }),
                      n_pes);
      expect_as_dealt(
          RowMap<symm::Blocks>({}, extent, n_pes),
          Dealt(extent, n_pes,
                [=](auto i) { return extent < n ? i : i * n / extent; }),
          n_pes);
      for (auto const block :
           std::array<std::size_t, 7>{1, 2, 3, 5, 8, 50, 60}) {
        SCOPED_TRACE(block);
        expect_as_dealt(
            RowMap<symm::BlockCyclic>(symm::BlockCyclic(block), extent, n_pes),
            Dealt(extent, n_pes, [=](auto i) { return i / block % n; }), n_pes,
            false);
      }
      if (testing::Test::HasFailure()) return;
    }
  }
}

template <class Map>
void expect_back(Map const& map, std::size_t extent, int n_pes) {
  std::mt19937_64 numbers(2);
  std::size_t sum = 0;
  for (Pe pe = 0; pe < n_pes; ++pe) sum += map.count(pe);
  EXPECT_EQ(sum, extent);
  for (int k = 0; k < 1000; ++k) {
    // Rows at the ends of PEs' parts, and others.
    auto const pe = static_cast<Pe>(numbers() % static_cast<unsigned>(n_pes));
    auto const i  = k % 3 == 0   ? numbers() % extent
                    : k % 3 == 1 ? map.global_index(pe, 0)
                                 : map.global_index(pe, map.count(pe) - 1);
    if (i >= extent) continue;  // of a PE without rows
    auto const found = map.find(i);
    ASSERT_LT(found.pe, n_pes);
    ASSERT_LT(found.row, map.count(found.pe));
    ASSERT_EQ(map.global_index(found.pe, found.row), i);
  }
}

TEST(Distributions, have_all_rows_of_the_largest_extent) {
  for (int const n_pes : {1, 2, 3, 5}) {
    auto const extent = (std::size_t{1} << 62) / static_cast<unsigned>(n_pes);
    SCOPED_TRACE(testing::Message() << extent << " rows, PEs: " << n_pes);
    expect_back(RowMap<symm::Blocks>({}, extent, n_pes), extent, n_pes);
    expect_back(RowMap<symm::Cyclic>({}, extent, n_pes), extent, n_pes);
    for (auto const block : {std::size_t{1}, std::size_t{7}, extent - 1, extent,
                             std::size_t{1} << 62}) {
      SCOPED_TRACE(block);
      expect_back(
          RowMap<symm::BlockCyclic>(symm::BlockCyclic(block), extent, n_pes),
          extent, n_pes);
    }
  }
}

TEST(Distributions, find_rows_of_large_extents) {
  for (auto const extent :
       {(std::size_t{1} << 31) + 5, (std::size_t{1} << 40) - 3,
        (std::size_t{1} << 50) - 1}) {
    for (int const n_pes : {1, 2, 3, 1000, 4097}) {
      SCOPED_TRACE(testing::Message() << extent << " rows, PEs: " << n_pes);
      expect_back(RowMap<symm::Blocks>({}, extent, n_pes), extent, n_pes);
      expect_back(RowMap<symm::Cyclic>({}, extent, n_pes), extent, n_pes);
      for (std::size_t const block :
           {std::size_t{1}, std::size_t{1000}, extent / 7, ~std::size_t{0}}) {
        expect_back(
            RowMap<symm::BlockCyclic>(symm::BlockCyclic(block), extent, n_pes),
            extent, n_pes);
      }
    }
  }
}

}  // namespace
