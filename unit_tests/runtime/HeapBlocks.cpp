// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <string>
#include <vector>

#include <runtime/heap/HeapBlocks.hpp>
#include <runtime/memory/HeapMap.hpp>

namespace symm_test::heap_blocks {
namespace {

using namespace symm::Impl;
using testing::ElementsAre;
using testing::HasSubstr;

/// On PE 1 of 2, whose part is all range.
struct HeapBlocksTest : testing::Test {
  HeapBlocksTest() {
    blocks.prepare();
    blocks.add_range(0, part_bytes);
  }
  HeapBlocks::Id take(std::size_t bytes) {
    blocks.prepare();
    return blocks.take({bytes});
  }
  std::string complaint(void const* address, bool is_view = false) {
    return blocks.complaint_about(address, is_view);
  }

  static constexpr std::size_t part_bytes = 4096;

  std::vector<char> memory = std::vector<char>(2 * part_bytes);
  HeapBlocks blocks{symm::HeapMap{memory.data(), part_bytes, 1, 2}};
};

TEST_F(HeapBlocksTest, addresses_are_those_of_this_PE) {
  auto const id = take(100);
  EXPECT_EQ(blocks.address_of(id), memory.data() + part_bytes);
  EXPECT_EQ(blocks.find(0), id);
  EXPECT_EQ(take(part_bytes), HeapBlocks::none);
}

TEST_F(HeapBlocksTest, views_are_listed_until_they_end_here) {
  auto const first  = take(100);
  auto const second = take(200);
  static_cast<void>(take(300));
  blocks.begin_view(first, "u", 0);
  blocks.begin_view(second, std::string(60, 'v').c_str(), 128);
  EXPECT_EQ(blocks.n_views(), 2U);
  std::vector<std::string> list;
  blocks.list_views(list);
  EXPECT_THAT(list, ElementsAre("\"u\" (112 bytes)",
                                "\"" + std::string(51, 'v') + "\" (80 bytes)"));
  blocks.view(first).is_retired_here = true;
  list.clear();
  blocks.list_views(list);
  EXPECT_EQ(list.size(), 1U);
  EXPECT_EQ(blocks.n_views(), 2U) << "the other PEs may have it";
  blocks.give_back(first);
  EXPECT_EQ(blocks.n_views(), 1U);
}

TEST_F(HeapBlocksTest, complaints_say_what_an_address_is) {
  auto const id     = take(100);
  auto* const start = blocks.address_of(id);
  EXPECT_THAT(complaint(memory.data()), HasSubstr("is not in the symmetric"));
  EXPECT_THAT(complaint(start + 112), HasSubstr("is not allocated"));
  EXPECT_THAT(complaint(start + 16),
              HasSubstr("block of 112 bytes, 16 bytes after its start"));
  blocks.begin_view(id, "u", 0);
  EXPECT_THAT(complaint(start), HasSubstr("belongs to View \"u\""));
  EXPECT_THAT(complaint(start + 16, true), HasSubstr("is inside a block"));
}

}  // namespace
}  // namespace symm_test::heap_blocks
