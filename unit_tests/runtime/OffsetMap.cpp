// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <random>
#include <unordered_map>

#include <runtime/heap/OffsetMap.hpp>

namespace offset_map {
namespace {

using symm::Impl::OffsetMap;
using Model = std::unordered_map<std::size_t, std::uint32_t>;

void expect_equal(OffsetMap const& map, Model const& model) {
  ASSERT_EQ(map.count(), model.size());
  for (auto const& [offset, value] : model) ASSERT_EQ(map.find(offset), value);
}

/// Inserts and erases at random; the map never has more than `most` entries.
void compare_with_model(std::uint64_t seed, std::size_t most, int n_steps) {
  std::mt19937_64 random(seed);
  OffsetMap map;
  Model model;
  for (int step = 0; step < n_steps; ++step) {
    bool const inserts =
        model.empty() || (model.size() < most && random() % 2 == 0);
    if (inserts) {
      std::size_t const offset = 16 * (random() % (4 * most));
      auto const value         = static_cast<std::uint32_t>(step);
      if (model.count(offset) != 0) continue;
      ASSERT_EQ(map.find(offset), OffsetMap::none);
      map.insert(offset, value);
      model.emplace(offset, value);
    } else {
      auto const victim = std::next(
          model.begin(), static_cast<std::ptrdiff_t>(random() % model.size()));
      auto const offset = victim->first;
      map.erase(offset);
      model.erase(victim);
      ASSERT_EQ(map.find(offset), OffsetMap::none);
    }
    if (most < 100 || step % 1000 == 0) expect_equal(map, model);
  }
  expect_equal(map, model);
}

TEST(OffsetMap, is_empty_at_first) {
  OffsetMap const map;
  EXPECT_EQ(map.count(), 0U);
  EXPECT_EQ(map.find(0), OffsetMap::none);
  EXPECT_EQ(map.find(16), OffsetMap::none);
}

TEST(OffsetMap, offset_0_is_an_offset_like_others) {
  OffsetMap map;
  map.insert(0, 7);
  EXPECT_EQ(map.find(0), 7U);
  EXPECT_EQ(map.find(16), OffsetMap::none);
  map.erase(0);
  EXPECT_EQ(map.find(0), OffsetMap::none);
  EXPECT_EQ(map.count(), 0U);
}

// A map of 16 slots with up to 8 entries: runs wrap around its end all the
// time.
TEST(OffsetMap, a_small_map_does_what_a_hash_map_does_also_across_its_end) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    compare_with_model(seed, 8, 5'000);
  }
}

TEST(OffsetMap, a_large_map_does_what_a_hash_map_does) {
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    compare_with_model(seed, 20'000, 200'000);
  }
}

TEST(OffsetMap, offsets_that_are_large_powers_of_two_apart_are_found) {
  for (unsigned shift = 4; shift < 48; ++shift) {
    OffsetMap map;
    for (std::uint32_t i = 0; i < 100; ++i) {
      map.insert(std::size_t{i} << shift, i);
    }
    for (std::uint32_t i = 0; i < 100; ++i) {
      ASSERT_EQ(map.find(std::size_t{i} << shift), i);
    }
    ASSERT_EQ(map.find(std::size_t{100} << shift), OffsetMap::none);
  }
}

}  // namespace
}  // namespace offset_map
