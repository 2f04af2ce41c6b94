// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

// Symmetric addresses: the same offset everywhere, translated by arithmetic.
// Unequal bases are in unequal_bases.cpp.

#include <cstddef>
#include <limits>
#include <random>
#include <string>
#include <type_traits>
#include <vector>

#include <heap/heap_test.hpp>
#include <runtime/memory/HeapMap.hpp>

namespace {

using namespace symm_test;

TEST(Addresses, S14_every_call_gives_one_offset_on_all_pes) {
  std::mt19937 random(11);  // the same on all PEs
  std::vector<void*> blocks;
  auto const add = [&](void* block) {
    EXPECT_NE(block, nullptr) << symm::last_error();
    EXPECT_TRUE(is_equal_on_all_pes(heap().map().offset_of(block)));
    blocks.push_back(block);
  };
  for (int i = 0; i < 60; ++i) {
    auto const bytes = random() % 100'000 + 1;
    add(symm::malloc(bytes));
    add(symm::align(std::size_t{8} << random() % 12, bytes));
    add(symm::calloc(bytes / 7 + 1, 7));
    auto& victim = blocks[random() % blocks.size()];
    victim       = symm::realloc(victim, random() % 200'000 + 1);
    EXPECT_TRUE(is_equal_on_all_pes(heap().map().offset_of(victim)));
    symm::free(blocks.back());
    blocks.pop_back();
  }
  for (void* const block : blocks) symm::free(block);
}

// No table: what a translation adds depends on the two PEs and nothing else.
TEST(Addresses, S16_translation_is_arithmetic_with_one_stride) {
  EXPECT_TRUE(std::is_trivially_copyable_v<symm::HeapMap>);
  EXPECT_LE(sizeof(symm::HeapMap), 32U);  // whatever the number of PEs
  auto const me     = symm::my_pe();
  auto const& map   = heap().map();
  auto const stride = static_cast<std::ptrdiff_t>(map.stride);
  auto* const first = malloc_bytes(3 * mib);
  auto* const last  = malloc_bytes(17);
  for (char* const block : {first, first + 1, first + 3 * mib - 1, last}) {
    for (symm::Pe pe = 0; pe < symm::n_pes(); ++pe) {
      if (!symm::is_near(pe)) continue;
      EXPECT_EQ(symm::ptr(block, pe) - block, (pe - me) * stride);
      EXPECT_EQ(map.peer_ptr(block, pe), symm::ptr(block, pe));
    }
  }
  symm::free(first);
  symm::free(last);
}

TEST(Addresses, S14_a_peer_finds_its_copy_behind_the_translated_address) {
  auto const me     = symm::my_pe();
  auto* const block = static_cast<int*>(
      symm::calloc(static_cast<std::size_t>(symm::n_pes()), sizeof(int)));
  for (symm::Pe pe = 0; pe < symm::n_pes(); ++pe) {
    set_value_at(pe, block + me, 100 * (me + 1) + pe);
  }
  symm::barrier_all();
  for (symm::Pe pe = 0; pe < symm::n_pes(); ++pe) {
    EXPECT_EQ(get_value(block + pe), 100 * (pe + 1) + me);
  }
  symm::free(block);
}

TEST(Addresses, M05_ptr_keeps_the_type_and_the_constness) {
  auto* const block        = static_cast<double*>(symm::malloc(80));
  auto const* const reader = block;
  EXPECT_TRUE((std::is_same_v<decltype(symm::ptr(block, 0)), double*>));
  EXPECT_TRUE((std::is_same_v<decltype(symm::ptr(reader, 0)), double const*>));
  EXPECT_EQ(symm::ptr(reader, symm::my_pe()), reader);
  EXPECT_EQ(symm::ptr(static_cast<void*>(block), symm::my_pe()), block);
  symm::free(block);
}

TEST(Addresses, M05_ptr_refuses_pes_that_do_not_exist) {
  auto* const block = malloc_bytes(8);
  for (symm::Pe const pe : {-1, symm::n_pes(), std::numeric_limits<int>::max(),
                            std::numeric_limits<int>::min()}) {
    EXPECT_EQ(symm::ptr(block, pe), nullptr);
    EXPECT_THAT(
        symm::last_error(),
        testing::AllOf(
            testing::HasSubstr("symm::ptr"),
            testing::HasSubstr("invalid " + pe_text(pe)),
            testing::HasSubstr("0 to " + std::to_string(symm::n_pes() - 1))));
  }
  symm::free(block);
}

TEST(Addresses, M05_ptr_refuses_what_is_not_in_this_pes_part) {
  auto const& map                  = heap().map();
  auto* const block                = malloc_bytes(8);
  auto* const start                = map.part(map.my_pe);
  int on_stack                     = 0;
  std::vector<void const*> outside = {nullptr, &on_stack};
  for (char* const neighbor : {start - 1, start + map.stride}) {
    if (!is_in_another_heap(neighbor)) outside.push_back(neighbor);
  }
  for (symm::Pe pe = 0; pe < symm::n_pes(); ++pe) {
    if (pe == map.my_pe || !symm::is_near(pe)) continue;
    outside.push_back(symm::ptr(block, pe));
  }
  for (void const* const address : outside) {
    for (symm::Pe pe = 0; pe < symm::n_pes(); ++pe) {
      EXPECT_EQ(symm::ptr(address, pe), nullptr);
      if (!symm::is_near(pe)) continue;  // which is said of any address
      EXPECT_THAT(
          symm::last_error(),
          testing::AllOf(testing::HasSubstr("symm::ptr"),
                         testing::HasSubstr("not in the symmetric heap of " +
                                            pe_text(map.my_pe))));
    }
  }
  EXPECT_NE(symm::ptr(block, map.my_pe), nullptr);
  EXPECT_STREQ(symm::last_error(), "") << "the latest call has not failed";
  symm::free(block);
}

}  // namespace
