// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <random>
#include <string>
#include <vector>

#include <runtime/heap/HeapBlocks.hpp>
#include <runtime/heap/LiveObjects.hpp>
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

TEST(LiveObjects, are_named_once_with_their_Views) {
  std::string const end =
      " before finalize(), for example at the end of an inner scope. The "
      "memory stays allocated until the process ends";
  std::vector<std::string> const views{
      "\"symm::Mailbox \"updates\", outboxes\" (8 bytes)",
      "\"u, and more\" (16 bytes)",
      "\"symm::Migration::migrate, signals\" (8 bytes)",
      "\"symm::Mailbox \"updates\", inboxes\" (8 bytes)",
      "\"symm::Migration::prepare, inboxes\" (8 bytes)",
      "\"symm::Mailbox \"map, finds\", waves\" (8 bytes)",
      "\"symm::Mailbox \"map, inserts\", waves\" (8 bytes)",
      "\"symm::Mailbox \"a label that is cut here, and\" (8 bytes)",
      "\"symm::Mailbox \"a label that is cut here, and\" (8 bytes)",
      "\"symm::sort\" (8 bytes)"};
  EXPECT_THAT(
      symm::Impl::lines_of_live_views(views),
      ElementsAre(
          "View \"u, and more\" (16 bytes) is still alive; destroy all Views "
          "of the space" +
              end,
          "symm::Mailbox \"updates\" is still alive (Views: 2, of outboxes, "
          "inboxes); destroy it" +
              end,
          "symm::Migration is still alive (Views: 2, of signals, inboxes); "
          "destroy it" +
              end,
          "symm::Mailbox \"map\" is still alive (Views: 2, of waves); destroy "
          "it" +
              end,
          "symm::Mailbox \"a label that is cut here\" is still alive (Views: "
          "2); destroy it" +
              end,
          "symm::sort is still alive (Views: 1); destroy it" + end));
  EXPECT_TRUE(symm::Impl::lines_of_live_views({}).empty());
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

// Free and allocated pieces of two arenas, drawn at random, against a list of
// owners of each 64 bytes.
TEST(HeapBlocks, join_moves_as_little_as_makes_one_place_of_two_arenas) {
  constexpr std::size_t unit  = 64;
  constexpr std::size_t units = 64;
  std::vector<char> memory(unit * units);
  symm::HeapMap const map{memory.data(), unit * units, 0, 1};
  std::mt19937 random(11);
  int n_joined = 0;
  for (int round = 0; round < 2000; ++round) {
    HeapBlocks mine(map);
    HeapBlocks other(map);
    std::vector<char> owner(units, '-');  // m, o: free in that arena
    for (std::size_t i = 0; i < units; ++i) {
      auto const draw = random() % 8;
      if (draw == 0) continue;
      auto& arena = draw < 5 ? mine : other;
      arena.prepare();
      arena.add_range(i * unit, unit);
      owner[i] = draw < 5 ? 'm' : 'o';
    }
    std::size_t const n_wanted  = 1 + random() % 24;
    std::size_t const alignment = unit << random() % 3;
    HeapBlocks::Request const request{n_wanted * unit, alignment, 0};
    // The lowest place in what is free in either.
    std::size_t at = units;
    for (std::size_t i = 0; i + n_wanted <= units && at == units; ++i) {
      bool is_place = i * unit % alignment == 0;
      for (auto j = i; j < i + n_wanted; ++j) is_place &= owner[j] != '-';
      if (is_place) at = i;
    }
    std::size_t moved = 0;
    for (auto j = at; j < at + n_wanted && at < units; ++j) {
      moved += owner[j] == 'o' ? unit : 0;
    }
    auto const before = other.free_bytes();
    auto const all    = mine.free_bytes() + before;
    bool const is_one = mine.join(other, request);
    ASSERT_EQ(is_one, at < units) << "round " << round;
    ASSERT_EQ(other.free_bytes(), before - moved) << "round " << round;
    ASSERT_EQ(mine.free_bytes() + other.free_bytes(), all);
    if (!is_one) continue;
    ++n_joined;
    mine.prepare();
    ASSERT_NE(mine.take(request), HeapBlocks::none) << "round " << round;
  }
  EXPECT_GT(n_joined, 500);
}

}  // namespace
}  // namespace symm_test::heap_blocks
