// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

#include <gtest/gtest.h>

#include <atomic>
#include <cstddef>
#include <optional>
#include <thread>

#include <runtime/heap/ChunkMap.hpp>

namespace {

using Kind = symm::Impl::ChunkMap::Kind;

TEST(ChunkMap, what_is_mapped_is_in_chunks_without_a_gap) {
  constexpr std::size_t unit = 16;
  symm::Impl::ChunkMap map(100 * unit, unit);
  EXPECT_FALSE(map.is_mapped(0, 1)) << "nothing is";
  map.add({unit, 2 * unit});
  map.add({3 * unit, unit});  // behind it
  map.add({6 * unit, unit});
  EXPECT_FALSE(map.is_mapped(0, 1)) << "before the first";
  EXPECT_FALSE(map.is_mapped(unit - 1, 2));
  EXPECT_TRUE(map.is_mapped(unit, 3 * unit)) << "over two chunks";
  EXPECT_TRUE(map.is_mapped(3 * unit - 1, 2));
  EXPECT_TRUE(map.is_mapped(4 * unit - 1, 1));
  EXPECT_FALSE(map.is_mapped(4 * unit - 1, 2)) << "one byte too many";
  EXPECT_FALSE(map.is_mapped(4 * unit, 1)) << "in the gap";
  EXPECT_FALSE(map.is_mapped(unit, 6 * unit)) << "over the gap";
  EXPECT_TRUE(map.is_mapped(6 * unit, unit));
  EXPECT_FALSE(map.is_mapped(7 * unit, 0)) << "behind the last";
  EXPECT_FALSE(map.is_mapped(6 * unit, ~std::size_t{0})) << "no overflow";
  map.remove(3 * unit);
  EXPECT_FALSE(map.is_mapped(unit, 3 * unit));
}

TEST(ChunkMap, registered_memory_takes_the_highest_gap_that_is_large_enough) {
  constexpr std::size_t unit = 16;
  symm::Impl::ChunkMap map(100 * unit, unit);
  EXPECT_EQ(map.place_for_registered(101 * unit), std::nullopt);
  EXPECT_EQ(map.place_for_registered(100 * unit), std::size_t{0});
  map.add({0, 10 * unit});  // the heap's
  map.add({90 * unit, 10 * unit, Kind::registered});
  map.add({80 * unit, 5 * unit, Kind::registered});  // a gap of 5 behind it
  EXPECT_EQ(map.place_for_registered(5 * unit), 85 * unit);
  EXPECT_EQ(map.place_for_registered(6 * unit), 74 * unit);
  EXPECT_EQ(map.place_for_registered(70 * unit), 10 * unit);
  EXPECT_EQ(map.place_for_registered(71 * unit), std::nullopt);
  EXPECT_EQ(map.mapped_bytes(), 10 * unit);
  EXPECT_EQ(map.n_own(), 1U);
  EXPECT_EQ(map.registered_bytes(), 15 * unit);
  EXPECT_EQ(map.n_registered(), 2U);
  EXPECT_TRUE(map.is_mapped(90 * unit, 10 * unit));
  // A gap from which the system did not give everything back.
  map.lose(90 * unit);
  EXPECT_FALSE(map.is_mapped(90 * unit, 1));
  EXPECT_EQ(map.place_for_registered(10 * unit), 70 * unit);
  EXPECT_EQ(map.registered_bytes(), 5 * unit);
  map.remove(80 * unit);
  EXPECT_EQ(map.place_for_registered(10 * unit), 80 * unit);
  EXPECT_EQ(map.n_registered(), 0U);
}

TEST(ChunkMap, memory_before_a_lost_chunk_ends_there) {
  symm::Impl::ChunkMap map(64, 16);
  map.add({0, 16});
  map.add({16, 16, Kind::registered});
  EXPECT_TRUE(map.is_mapped(0, 32));
  map.lose(16);
  EXPECT_TRUE(map.is_mapped(0, 16));
  EXPECT_FALSE(map.is_mapped(0, 17));
}

TEST(ChunkMap, a_chunk_that_is_not_needed_has_bytes_nevertheless) {
  constexpr std::size_t unit = 16;
  symm::Impl::ChunkMap map(6 * unit, unit);
  map.add({0, unit});
  map.add({unit, unit});  // no gap between them
  map.add({3 * unit, unit});
  auto const nothing = [](std::size_t) { return std::size_t{0}; };
  auto const place   = map.place_for(nothing, nothing);
  ASSERT_TRUE(place.has_value());
  EXPECT_EQ(place->offset, 2 * unit);
  EXPECT_EQ(place->needed, unit);
  EXPECT_EQ(place->wanted, unit);
}

TEST(ChunkMap, a_look_up_beside_changes_finds_what_stays_and_nothing_else) {
  constexpr std::size_t unit = 16;
  symm::Impl::ChunkMap map(1000 * unit, unit);
  map.add({500 * unit, unit});
  std::atomic<bool> is_over{false};
  std::atomic<long> n_read{0};
  long n_wrong = 0;
  std::thread reader([&] {
    while (!is_over) {
      if (!map.is_mapped(500 * unit, unit)) ++n_wrong;
      if (map.is_mapped(501 * unit, 1)) ++n_wrong;
      if (map.is_mapped(499 * unit, 2 * unit)) ++n_wrong;
      ++n_read;
    }
  });
  for (int round = 0; round < 2000 || n_read < 1000; ++round) {
    // On both sides of what stays, which moves up and down among them.
    for (std::size_t i = 0; i < 20; ++i) {
      map.add({(400 + 2 * i) * unit, unit});
      map.add({(520 + 2 * i) * unit, unit, Kind::registered});
    }
    for (std::size_t i = 0; i < 20; ++i) {
      if (i % 2 == 0) map.lose((520 + 2 * i) * unit);
      map.remove((520 + 2 * i) * unit);
      map.remove((400 + 2 * i) * unit);
    }
  }
  is_over = true;
  reader.join();
  EXPECT_EQ(n_wrong, 0);
  EXPECT_EQ(map.size(), 1U);
  EXPECT_EQ(map.mapped_bytes(), unit);
  EXPECT_EQ(map.registered_bytes(), 0U);
}

}  // namespace
