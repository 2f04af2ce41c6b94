// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

// symm::free(): what becomes available, and what it refuses.

#include <algorithm>
#include <cstddef>
#include <random>
#include <string>
#include <vector>

#include <heap/heap_test.hpp>

namespace {

using namespace symm_test;

TEST(Free, M15_a_freed_block_can_be_allocated_again) {
  auto* const before = malloc_bytes(2 * mib);
  auto const mapped  = heap_state().mapped_bytes;
  symm::free(before);
  for (int i = 0; i < 200; ++i) {
    auto* const block = malloc_bytes(2 * mib);
    EXPECT_EQ(block, before);
    symm::free(block);
  }
  EXPECT_EQ(heap_state().mapped_bytes, mapped);
}

TEST(Free, M15_M50_blocks_freed_in_any_order_are_one_block_again) {
  constexpr int n = 12;
  std::mt19937 random(3);  // the same on all PEs
  for (int round = 0; round < 20; ++round) {
    symm::heap_trim();
    auto const empty = heap_state();
    std::vector<char*> blocks;
    for (int i = 0; i < n; ++i)
      blocks.push_back(malloc_bytes(random() % mib + 1));
    auto const full = heap_state();
    EXPECT_EQ(full.live_blocks, empty.live_blocks + n);
    std::shuffle(blocks.begin(), blocks.end(), random);
    for (char* const block : blocks) symm::free(block);
    auto const after = heap_state();
    EXPECT_EQ(after.mapped_bytes, full.mapped_bytes);
    EXPECT_EQ(after.live_bytes, empty.live_bytes);
    EXPECT_EQ(after.largest_free_bytes, after.free_bytes);
    auto* const whole = malloc_bytes(after.free_bytes);
    EXPECT_EQ(heap_state().mapped_bytes, full.mapped_bytes) << "it has grown";
    EXPECT_EQ(heap_state().free_bytes, 0U);
    symm::free(whole);
  }
}

// Every kind of pointer that is not the start of a live block.
class WrongPointer : public testing::Test {
 protected:
  WrongPointer() : m_block(malloc_bytes(1000)) {
    fill(m_block, 1000, {symm::my_pe(), symm::my_pe()});
  }
  ~WrongPointer() override {
    EXPECT_EQ(difference(m_block, 1000, {symm::my_pe(), symm::my_pe()}),
              no_difference);
    symm::free(m_block);
    EXPECT_STREQ(symm::last_error(), "");
  }
  WrongPointer(WrongPointer const&)            = delete;
  WrongPointer& operator=(WrongPointer const&) = delete;

  /// free() and realloc() refuse it on all PEs.
  static void expect_refused(void* address, Words words) {
    expect_free_fails(address, words);
    expect_failure([&] { return symm::realloc(address, 10); }, words);
    expect_failure([&] { return symm::realloc(address, 10'000); }, words);
    expect_failure([&] { return symm::realloc(address, 0); }, words);
  }

  char* m_block;
};

TEST_F(WrongPointer, M49_interior) {
  for (std::ptrdiff_t const distance : {1, 8, 16, 500, 999}) {
    SCOPED_TRACE(distance);
    expect_refused(m_block + distance,
                   {"inside a block", std::to_string(distance) + " bytes after",
                    "on PE", "pass the start"});
  }
}

TEST_F(WrongPointer, M49_just_outside) {
  expect_refused(m_block - 1, {"address", "on PE"});
  expect_refused(m_block + 1008, {"address", "on PE"});  // 1000 rounded to 16
}

TEST_F(WrongPointer, M49_private_memory) {
  int on_stack        = 0;
  static int in_data  = 0;
  auto* const on_heap = new int(0);
  for (int* const address : {&on_stack, &in_data, on_heap}) {
    expect_refused(address,
                   {"is not in the symmetric heap", "on PE", "symm::malloc"});
  }
  delete on_heap;
}

TEST_F(WrongPointer, M49_of_another_pe) {
  auto const other = (symm::my_pe() + 1) % symm::n_pes();
  char* const copy = symm::ptr(m_block, other);
  // One PE's wrong address is enough, and all call.
  int const is_there  = other != symm::my_pe() && copy != nullptr ? 1 : 0;
  bool const is_equal = is_equal_on_all_pes(is_there);
  if (is_there == 0 && is_equal) {
    GTEST_SKIP() << "needs two PEs of a node";
  }
  expect_refused(is_there != 0 ? copy : m_block,
                 {"is not in the symmetric heap"});
}

TEST_F(WrongPointer, M49_freed_already) {
  auto* const freed = malloc_bytes(64);
  symm::free(freed);
  expect_refused(freed, {"not allocated", "already freed", "on PE"});
}

TEST_F(WrongPointer, M49_never_allocated) {
  auto const& map   = heap().map();
  auto* const start = map.part(map.my_pe);
  auto const stride = static_cast<std::ptrdiff_t>(map.stride);
  expect_refused(start + stride / 2, {"not allocated"});
  expect_refused(start + stride - 16, {"not allocated"});
  char on_stack = 0;
  auto* behind  = start + stride * (map.n_pes - map.my_pe);  // all parts
  if (is_in_another_heap(behind)) behind = &on_stack;
  expect_refused(behind, {"is not in the symmetric heap"});
}

TEST_F(WrongPointer, M49_belongs_to_a_view) {
  void* const memory = heap().allocate_view("temperature", 640, 256, 128);
  expect_refused(memory, {"View \"temperature\"", "last copy"});
  heap().retire(memory);
}

TEST_F(WrongPointer, M49_on_one_pe_frees_nothing_on_any) {
  for (symm::Pe wrong = 0; wrong < symm::n_pes(); ++wrong) {
    SCOPED_TRACE(wrong);
    char* const address = symm::my_pe() == wrong ? m_block + 16 : m_block;
    expect_refused(address, {pe_text(wrong), "inside a block of 1008 bytes"});
  }
}

}  // namespace
