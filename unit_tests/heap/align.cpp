// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

// symm::align(): which alignments it takes and what it returns.

#include <unistd.h>

#include <cstddef>
#include <vector>

#include <heap/heap_test.hpp>

namespace {

using namespace symm_test;

/// 8, 16, ... to the page, 2 MiB (the heap's granularity) and beyond.
std::vector<std::size_t> alignments_up_to(std::size_t largest) {
  std::vector<std::size_t> result;
  for (std::size_t a = sizeof(void*); a <= largest; a *= 2) result.push_back(a);
  return result;
}

TEST(Align, M09_M14_M36_addresses_are_multiples_of_the_alignment) {
  auto const page       = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
  auto const alignments = alignments_up_to(16 * mib);
  EXPECT_THAT(alignments,
              testing::IsSupersetOf({std::size_t{8}, page, 2 * mib}));
  std::vector<void*> blocks;
  for (auto const alignment : alignments) {
    // So that a block is not aligned because the one before was.
    blocks.push_back(symm::malloc(24));
    for (std::size_t const bytes : {1UL, 100UL}) {
      blocks.push_back(symm::align(alignment, bytes));
      EXPECT_NE(blocks.back(), nullptr) << symm::last_error();
      EXPECT_TRUE(is_aligned(blocks.back(), alignment))
          << blocks.back() << " for " << alignment;
    }
  }
  for (void* const block : blocks) symm::free(block);
}

TEST(Align, M10_alignments_must_be_powers_of_two_and_multiples_of_8) {
  std::size_t const top = std::size_t{1} << 63U;
  for (std::size_t const alignment :
       {std::size_t{0}, std::size_t{1}, std::size_t{2}, std::size_t{4},
        std::size_t{3}, std::size_t{24}, std::size_t{12}, top + 8, top + 1,
        ~std::size_t{0}}) {
    SCOPED_TRACE(alignment);
    expect_failure([&] { return symm::align(alignment, 64); },
                   {"symm::align", "alignment " + std::to_string(alignment),
                    "power of two", "multiple of 8", "on PE"});
  }
}

TEST(Align, M10_a_wrong_alignment_on_one_pe_fails_on_all) {
  for (symm::Pe wrong = 0; wrong < symm::n_pes(); ++wrong) {
    SCOPED_TRACE(wrong);
    expect_failure(
        [&] { return symm::align(symm::my_pe() == wrong ? 24 : 32, 64); },
        {"symm::align", pe_text(wrong), "alignment 24"});
  }
}

TEST(Align, M13_aligned_blocks_are_in_the_heap_at_one_offset) {
  auto const me = symm::my_pe();
  for (auto const alignment : alignments_up_to(4 * mib)) {
    constexpr std::size_t bytes = 333;
    auto* const block = static_cast<char*>(symm::align(alignment, bytes));
    EXPECT_NE(block, nullptr) << symm::last_error();
    if (block == nullptr) continue;
    auto* const start = heap().map().part(me);
    EXPECT_TRUE(is_equal_on_all_pes(block - start));
    fill(block, bytes, {me, me});
    symm::barrier_all();
    for (symm::Pe pe = 0; pe < symm::n_pes(); ++pe) {
      // (Null is: at PEs of other nodes there is nothing to look at.)
      EXPECT_TRUE(is_aligned(symm::ptr(block, pe), alignment));
      EXPECT_EQ(difference_at(pe, block, bytes, {pe, pe}), no_difference);
    }
    symm::free(block);
  }
}

TEST(Align, M13_alignments_of_1_GiB_work_and_larger_ones_are_refused) {
  auto* const first = static_cast<char*>(symm::align(gib, 100));
  EXPECT_NE(first, nullptr) << symm::last_error();
  EXPECT_TRUE(is_aligned(first, gib));
  for (symm::Pe pe = 0; pe < symm::n_pes(); ++pe) {
    EXPECT_TRUE(is_aligned(symm::ptr(first, pe), gib));
  }
  for (std::size_t const alignment :
       {2 * gib, 4 * gib, std::size_t{1} << 62U, std::size_t{1} << 63U}) {
    SCOPED_TRACE(alignment);
    expect_failure([&] { return symm::align(alignment, 64); },
                   {"alignment " + std::to_string(alignment), "maximum",
                    std::to_string(gib)});
  }
  symm::free(first);
  symm::heap_trim();
}

TEST(Align, M37_align_returns_null_if_it_has_no_room) {
  expect_failure([] { return symm::align(64, ~std::size_t{0} - 63); },
                 {"symm::align", "alignment = 64"});
}

}  // namespace
