// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

#include <gtest/gtest.h>

#include <cstddef>

#include <runtime/ChunkMap.hpp>

namespace {

TEST(ChunkMap, what_is_mapped_is_in_chunks_without_a_gap) {
  constexpr std::size_t unit = 16;
  symm::ChunkMap map(100 * unit, unit);
  EXPECT_FALSE(map.is_mapped(0, 1)) << "nothing is";
  map.add(unit, 2 * unit);
  map.add(3 * unit, unit);  // behind it
  map.add(6 * unit, unit);
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

}  // namespace
