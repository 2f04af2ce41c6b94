// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

// SYMM_STATIC_HEAP: a size that is fixed at start.

#include <algorithm>
#include <cstddef>
#include <random>
#include <string>
#include <vector>

#include <Kokkos_SymmetricSpace_Space.hpp>
#include <heap/heap_test.hpp>
#include <heap/heap_with.hpp>
#include <runtime/symm_errors.hpp>

namespace {

using namespace symm_test;

TEST(StaticHeap, M39_M41_M42_has_its_size_from_the_start_to_the_end) {
  HeapWith const heap_with(
      Variables{{"SYMM_STATIC_HEAP", "1"}, {"SYMM_SYMMETRIC_SIZE", "8M"}});
  auto const at_start = heap_state();
  EXPECT_EQ(at_start.mapped_bytes, 8 * mib);
  EXPECT_EQ(at_start.free_bytes, 8 * mib);
  EXPECT_EQ(at_start.limit_bytes, 8 * mib);
  auto* const block = malloc_bytes(5 * mib);
  EXPECT_EQ(heap_state().mapped_bytes, 8 * mib);
  fill(block, 5 * mib, {symm::my_pe(), symm::my_pe()});
  EXPECT_EQ(symm::malloc(4 * mib), nullptr);
  EXPECT_EQ(heap_state().mapped_bytes, 8 * mib);
  symm::free(block);
  EXPECT_EQ(symm::heap_trim(), 0U) << "a static heap keeps its memory";
  EXPECT_EQ(heap_state(), at_start);
}

TEST(StaticHeap, M39_is_chosen_by_the_variable_alone) {
  for (std::string const value : {"1", "true", "YES", "on"}) {
    HeapWith const heap_with(
        Variables{{"SYMM_STATIC_HEAP", value}, {"SYMM_SYMMETRIC_SIZE", "2M"}});
    EXPECT_EQ(symm::malloc(3 * mib), nullptr) << value;
  }
  for (std::string const value : {"0", "false", "No", "OFF", ""}) {
    HeapWith const heap_with(
        Variables{{"SYMM_STATIC_HEAP", value}, {"SYMM_SYMMETRIC_SIZE", "2M"}});
    auto* const block = malloc_bytes(3 * mib);  // it grows
    EXPECT_NE(block, nullptr) << value;
    symm::free(block);
  }
}

TEST(StaticHeap, M40_M48_more_than_the_size_gives_null) {
  HeapWith const heap_with(
      Variables{{"SYMM_STATIC_HEAP", "1"}, {"SYMM_SYMMETRIC_SIZE", "4M"}});
  for (std::size_t const bytes :
       {4 * mib + 1, 5 * mib, 100 * gib, ~std::size_t{0}}) {
    expect_failure(
        [&] { return symm::malloc(bytes); },
        {call_text("symm::malloc", "bytes = " + std::to_string(bytes)),
         "on any PE", "4194304 bytes", "raise SYMM_SYMMETRIC_SIZE"});
  }
  auto* const whole = malloc_bytes(4 * mib);
  fill(whole, 4 * mib, {symm::my_pe(), symm::my_pe()});
  EXPECT_EQ(heap_state().free_bytes, 0U);
  auto const full = heap_state();
  for (void* const none :
       {symm::malloc(1), symm::align(8, 1), symm::calloc(1, 1),
        symm::realloc(nullptr, 1), symm::realloc(whole, 4 * mib + 1)}) {
    EXPECT_EQ(none, nullptr);
  }
  EXPECT_THAT(symm::last_error(),
              testing::HasSubstr("raise SYMM_SYMMETRIC_SIZE"));
  EXPECT_EQ(heap_state(), full);
  EXPECT_EQ(difference(whole, 4 * mib, {symm::my_pe(), symm::my_pe()}),
            no_difference);
  symm::free(whole);
  expect_heap_is_usable();
}

TEST(StaticHeap, M15_more_bytes_than_the_heap_has_go_through_it) {
  HeapWith const heap_with(
      Variables{{"SYMM_STATIC_HEAP", "1"}, {"SYMM_SYMMETRIC_SIZE", "4M"}});
  for (unsigned i = 0; i < 100; ++i) {
    auto* const a = malloc_bytes(3 * mib);
    auto* const b = malloc_bytes(mib);
    EXPECT_EQ(symm::malloc(16), nullptr);
    fill(a, 1000, {symm::my_pe(), 0, i});
    symm::free(i % 2 == 0 ? a : b);
    symm::free(i % 2 == 0 ? b : a);
    EXPECT_STREQ(symm::last_error(), "");
  }
}

TEST(StaticHeap,
     M50_blocks_freed_in_any_order_are_one_block_of_the_total_size) {
  constexpr std::size_t n = 7;
  HeapWith const heap_with(
      Variables{{"SYMM_STATIC_HEAP", "1"}, {"SYMM_SYMMETRIC_SIZE", "14M"}});
  std::mt19937 random(7);  // the same on all PEs
  for (int round = 0; round < 50; ++round) {
    std::vector<char*> blocks;
    for (std::size_t i = 0; i < n; ++i) blocks.push_back(malloc_bytes(2 * mib));
    EXPECT_EQ(heap_state().free_bytes, 0U);
    std::shuffle(blocks.begin(), blocks.end(), random);
    for (char* const block : blocks) symm::free(block);
    auto* const whole = malloc_bytes(14 * mib);
    symm::free(whole);
  }
}

TEST(StaticHeap, M41_M43_the_documented_names_give_the_size_too) {
  for (std::string const name :
       {"SYMM_SYMMETRIC_SIZE", "NVSHMEM_SYMMETRIC_SIZE",
        "SHMEM_SYMMETRIC_SIZE"}) {
    HeapWith const heap_with(
        Variables{{"SYMM_STATIC_HEAP", "1"}, {name, "6M"}});
    EXPECT_EQ(heap_state().mapped_bytes, 6 * mib) << name;
    EXPECT_EQ(symm::malloc(6 * mib + 1), nullptr) << name;
    auto* const whole = malloc_bytes(6 * mib);
    symm::free(whole);
  }
}

TEST(StaticHeap,
     M43_our_name_comes_before_NVSHMEMs_and_that_before_OpenSHMEMs) {
  Variables variables = {{"SYMM_STATIC_HEAP", "1"},
                         {"SYMM_SYMMETRIC_SIZE", "2M"},
                         {"NVSHMEM_SYMMETRIC_SIZE", "4M"},
                         {"SHMEM_SYMMETRIC_SIZE", "6M"}};
  for (std::size_t const bytes : {2 * mib, 4 * mib, 6 * mib}) {
    HeapWith const heap_with(variables);
    EXPECT_EQ(heap_state().mapped_bytes, bytes);
    variables.erase(bytes == 2 * mib ? "SYMM_SYMMETRIC_SIZE"
                                     : "NVSHMEM_SYMMETRIC_SIZE");
  }
}

TEST(StaticHeap, M41_a_size_between_two_units_is_not_cut) {
  for (std::string const size : {"1", "65536", "1.5M", "2097153", "2049K"}) {
    HeapWith const heap_with(
        Variables{{"SYMM_STATIC_HEAP", "1"}, {"SYMM_SYMMETRIC_SIZE", size}});
    auto const asked  = size == "1"       ? 1
                        : size == "65536" ? 65536
                        : size == "1.5M"  ? 3 * mib / 2
                                          : 2 * mib + 1;
    auto* const block = malloc_bytes(asked);
    symm::free(block);
    EXPECT_LE(heap_state().mapped_bytes, 4 * mib);
  }
}

/// initialize() throws on all PEs, and a correct one works afterwards.
template <class Exception>
void expect_no_start(Variables const& variables, Words words) {
  {
    Environment const environment(variables);
    try {
      symm::initialize();
      ADD_FAILURE() << "started";
      symm::finalize();
    } catch (Exception const& error) {
      for (auto const& word : words) {
        EXPECT_THAT(error.what(), testing::HasSubstr(word));
      }
    }
  }
  EXPECT_FALSE(symm::is_initialized());
  HeapWith const heap_with(Variables{});
  expect_heap_is_usable();
}

TEST(StaticHeap, M41_junk_and_zero_are_errors_that_name_the_variable) {
  for (std::string const junk : {"12Q", "x", "-1", "1M2", "9999999T"}) {
    for (std::string const name :
         {"SYMM_SYMMETRIC_SIZE", "NVSHMEM_SYMMETRIC_SIZE",
          "SHMEM_SYMMETRIC_SIZE", "SYMM_HEAP_LIMIT"}) {
      expect_no_start<symm::UsageError>(
          {{name, junk}}, {"symm::initialize", name + "=" + junk, "512M"});
    }
  }
  expect_no_start<symm::UsageError>({{"SYMM_STATIC_HEAP", "maybe"}},
                                    {"SYMM_STATIC_HEAP=maybe", "1 or 0"});
  expect_no_start<symm::UsageError>(
      {{"SYMM_STATIC_HEAP", "1"}, {"SYMM_SYMMETRIC_SIZE", "0"}},
      {"symm::initialize", "SYMM_SYMMETRIC_SIZE"});
}

TEST(StaticHeap, M41_more_than_the_machine_has_is_refused_at_start) {
  expect_no_start<symm::OutOfMemory>(
      {{"SYMM_STATIC_HEAP", "1"}, {"SYMM_SYMMETRIC_SIZE", "4T"}},
      {"4398046511104 bytes", "PE 0"});
}

TEST(StaticHeap, M42_sizes_that_differ_between_pes_are_refused_at_start) {
  int const pe    = symm_test::test_pe();
  int const n_pes = symm_test::test_n_pes();
  if (n_pes == 1) GTEST_SKIP() << "needs two PEs";
  for (std::string const name : {"SYMM_SYMMETRIC_SIZE", "SYMM_HEAP_LIMIT"}) {
    expect_no_start<symm::UsageError>(
        {{name, pe == 0 ? "4M" : "6M"}},
        {"symm::initialize", name, "4194304 on PE 0", "6291456 on PE 1"});
  }
  expect_no_start<symm::UsageError>({{"SYMM_STATIC_HEAP", pe == 0 ? "1" : "0"}},
                                    {"symm::initialize", "SYMM_STATIC_HEAP"});
}

}  // namespace
