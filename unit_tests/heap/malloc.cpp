// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

// What symm::malloc() returns.

#include <cstddef>
#include <type_traits>
#include <vector>

#include <heap/heap_test.hpp>

namespace {

using namespace symm_test;

// 0 is in no_barrier.cpp; then 1, odd sizes, and around each boundary.
std::vector<std::size_t> const sizes = {
    1,       7,           8,       15,          16,         17,
    63,      64,          65,      4 * kib - 1, 4 * kib,    4 * kib + 1,
    100'003, 2 * mib - 1, 2 * mib, 2 * mib + 1, 5 * mib + 3};

// They take bytes: a program with a type does not compile.
template <class T>
concept Typed = requires {
  symm::malloc<T>(8);
}
|| requires { symm::calloc<T>(1, 8); }
|| requires(void* block) { symm::realloc<T>(block, 8); }
|| requires(void* block) { symm::free<T>(block); };
static_assert(!Typed<double> && Typed<void>);

TEST(Malloc, M02_blocks_have_all_their_bytes_and_do_not_overlap) {
  auto const me = symm::my_pe();
  std::vector<char*> blocks;
  for (auto const bytes : sizes) {
    blocks.push_back(static_cast<char*>(symm::malloc(bytes)));
    EXPECT_NE(blocks.back(), nullptr) << bytes << ": " << symm::last_error();
  }
  for (unsigned i = 0; i < blocks.size(); ++i) {
    if (blocks[i] != nullptr) fill(blocks[i], sizes[i], {me, me, i});
  }
  symm::barrier_all();
  // Everybody's copy of every block: none has been overwritten by another.
  for (symm::Pe pe = 0; pe < symm::n_pes(); ++pe) {
    for (unsigned i = 0; i < blocks.size(); ++i) {
      if (blocks[i] == nullptr) continue;
      EXPECT_EQ(difference_at(pe, blocks[i], sizes[i], {pe, pe, i}),
                no_difference)
          << "block of " << sizes[i] << " bytes of PE " << pe;
    }
  }
  symm::barrier_all();
  for (char* const block : blocks) symm::free(block);
}

TEST(Malloc, M03_M04_blocks_are_aligned_for_any_type) {
  std::vector<void*> blocks;
  for (auto const bytes : sizes) blocks.push_back(symm::malloc(bytes));
  for (void* const block : blocks) {
    EXPECT_TRUE(is_aligned(block, alignof(std::max_align_t))) << block;
    EXPECT_TRUE(is_aligned(block, 16)) << block << ": double2, float4";
  }
  for (void* const block : blocks) symm::free(block);
}

TEST(Malloc, M05_blocks_come_from_the_symmetric_heap) {
  auto const before         = heap_state();
  auto* const block         = static_cast<char*>(symm::malloc(1000));
  auto const after          = heap_state();
  auto const* private_block = new char[1000];
  EXPECT_EQ(after.live_blocks, before.live_blocks + 1);
  EXPECT_GE(after.live_bytes, before.live_bytes + 1000);
  for (symm::Pe pe = 0; pe < symm::n_pes(); ++pe) {
    bool const is_near = symm::is_near(pe);
    EXPECT_EQ(symm::ptr(block, pe) != nullptr, is_near);
    EXPECT_EQ(symm::ptr(block + 999, pe) != nullptr, is_near);
    EXPECT_EQ(symm::ptr(private_block, pe), nullptr);
    EXPECT_THAT(
        symm::last_error(),
        testing::HasSubstr(is_near ? "symmetric heap" : "another node"));
  }
  delete[] private_block;
  symm::free(block);
  EXPECT_EQ(heap_state().live_blocks, before.live_blocks);
}

TEST(Malloc, M32_M33_malloc_returns_the_symmetric_address_or_null) {
  void* const block = symm::malloc(64);
  EXPECT_STREQ(symm::last_error(), "");
  EXPECT_EQ(symm::ptr(block, symm::my_pe()), block);
  EXPECT_NE(block, nullptr);
  void* const none = symm::malloc(static_cast<std::size_t>(-1));
  EXPECT_EQ(none, nullptr);
  EXPECT_STRNE(symm::last_error(), "");
  symm::free(block);
}

TEST(Malloc, M35_M45_M46_S19_C15_signatures) {
  using std::is_same_v;
  EXPECT_TRUE((is_same_v<decltype(symm::malloc(1)), void*>));
  EXPECT_TRUE(
      (is_same_v<decltype(&symm::malloc<>), void* (*)(std::size_t) noexcept>));
  EXPECT_TRUE((is_same_v<decltype(&symm::align),
                         void* (*)(std::size_t, std::size_t) noexcept>));
  EXPECT_TRUE((is_same_v<decltype(&symm::calloc<>),
                         void* (*)(std::size_t, std::size_t) noexcept>));
  EXPECT_TRUE((is_same_v<decltype(&symm::realloc<>),
                         void* (*)(void*, std::size_t) noexcept>));
  EXPECT_TRUE((is_same_v<decltype(&symm::free<>), void (*)(void*) noexcept>));
}

}  // namespace
