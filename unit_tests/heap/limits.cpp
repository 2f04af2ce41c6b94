// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

// Requests that cannot be met: null on all PEs, and a heap as it was.

#include <cstddef>
#include <limits>
#include <string>
#include <vector>

#include <heap/heap_test.hpp>

namespace {

using namespace symm_test;

constexpr std::size_t largest = std::numeric_limits<std::size_t>::max();

/// More than the heap can ever hold, up to where sums wrap around.
std::vector<std::size_t> impossible_sizes() {
  auto const limit = symm::heap_stats().limit_bytes;
  return {limit + 1,         2 * limit,       largest / 16,   largest / 4 - 15,
          largest / 4,       largest / 4 + 1, largest / 2,    largest / 2 + 1,
          largest - 2 * mib, largest - 4096,  largest - 4095, largest - 16,
          largest - 15,      largest - 14,    largest - 1,    largest};
}

std::string bytes_text(std::size_t bytes) {
  return "bytes = " + std::to_string(bytes);
}

TEST(Limits, M47_M48_malloc_of_impossible_sizes) {
  for (auto const bytes : impossible_sizes()) {
    expect_failure([&] { return symm::malloc(bytes); },
                   {"symm::malloc(", bytes_text(bytes), "any PE", "free",
                    "raise SYMM_HEAP_LIMIT"});
  }
}

TEST(Limits, M47_M48_align_of_impossible_sizes) {
  for (std::size_t const alignment : {std::size_t{8}, std::size_t{4096}, gib}) {
    for (auto const bytes : impossible_sizes()) {
      expect_failure([&] { return symm::align(alignment, bytes); },
                     {"symm::align(", bytes_text(bytes), "any PE"});
    }
  }
}

TEST(Limits, C07_C13_calloc_of_impossible_sizes_and_overflowing_products) {
  for (auto const bytes : impossible_sizes()) {
    expect_failure([&] { return symm::calloc(1, bytes); },
                   {"symm::calloc(", "size = " + std::to_string(bytes)});
    expect_failure([&] { return symm::calloc(bytes, 1); },
                   {"symm::calloc(", "count = " + std::to_string(bytes)});
  }
  std::size_t const half = std::size_t{1} << 32U;
  // The products are 0, 0, 16, 2 and 1 in 64 bits.
  expect_failure([&] { return symm::calloc(half, half); }, {"symm::calloc"});
  expect_failure([&] { return symm::calloc(largest / 2 + 1, 2); },
                 {"symm::calloc"});
  expect_failure([&] { return symm::calloc(largest / 16 + 2, 16); },
                 {"symm::calloc"});
  expect_failure([&] { return symm::calloc(largest / 2 + 2, 2); },
                 {"symm::calloc"});
  expect_failure([&] { return symm::calloc(largest, largest); },
                 {"symm::calloc", "count = " + std::to_string(largest)});
}

TEST(Limits, S06_realloc_to_an_impossible_size_leaves_the_block) {
  auto const me     = symm::my_pe();
  auto* const block = malloc_bytes(1000);
  fill(block, 1000, {me, me});
  for (auto const bytes : impossible_sizes()) {
    expect_failure([&] { return symm::realloc(block, bytes); },
                   {"symm::realloc(", bytes_text(bytes)});
  }
  EXPECT_EQ(difference(block, 1000, {me, me}), no_difference);
  symm::free(block);  // it has been live all the time
  EXPECT_STREQ(symm::last_error(), "");
}

TEST(Limits, M47_realloc_of_null_to_an_impossible_size) {
  for (auto const bytes : impossible_sizes()) {
    expect_failure([&] { return symm::realloc(nullptr, bytes); },
                   {"symm::realloc(", bytes_text(bytes)});
  }
}

// All PEs ask for the limit, which is there only while nothing is allocated.
TEST(Limits, M34_M48_no_room_gives_null_on_all_pes_and_keeps_the_data) {
  auto const me     = symm::my_pe();
  auto* const block = malloc_bytes(3 * mib);
  fill(block, 3 * mib, {me, me});
  symm::barrier_all();
  auto const limit = symm::heap_stats().limit_bytes;
  expect_failure([&] { return symm::malloc(limit); },
                 {bytes_text(limit), "no room", "largest free block"});
  for (symm::Pe pe = 0; pe < symm::n_pes(); ++pe) {
    EXPECT_EQ(difference_at(pe, block, 3 * mib, {pe, pe}), no_difference);
  }
  symm::barrier_all();
  symm::free(block);
}

}  // namespace
