// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

// What a PE stores for others in its own memory.

#include <array>
#include <cstddef>

#include <gtest/gtest.h>

#include <runtime/base/AddressSanitizer.hpp>
#include <runtime/transport/TargetMemory.hpp>

#ifdef SYMM_HAS_ASAN
#include <sanitizer/asan_interface.h>
#endif

namespace {

constexpr std::size_t n_bytes = 512;

struct alignas(8) Block {
  std::array<char, n_bytes> bytes{};
};

TEST(TargetMemory, blocks_are_stored_at_every_alignment) {
  Block from;
  for (std::size_t i = 0; i < n_bytes; ++i)
    from.bytes.at(i) = static_cast<char>(i % 101 + 1);
  for (std::size_t const bytes :
       {0U, 1U, 2U, 3U, 4U, 7U, 8U, 9U, 15U, 64U, 65U, 360U})
    for (std::size_t at = 0; at < 9; ++at)
      for (std::size_t from_at = 0; from_at < 9; ++from_at) {
        Block to;
        symm::Impl::store_block(&to.bytes.at(at), &from.bytes.at(from_at),
                                bytes);
        for (std::size_t i = 0; i < n_bytes; ++i) {
          bool const is_stored = i >= at && i < at + bytes;
          ASSERT_EQ(to.bytes.at(i),
                    is_stored ? from.bytes.at(i - at + from_at) : 0)
              << bytes << " bytes from " << from_at << " to " << at;
        }
      }
}

// A PE that has returned from malloc() may put at once: this PE may still be in
// that call, where it unpoisons the block.
TEST(TargetMemory, AddressSanitizer_reports_no_put_in_a_new_block) {
#ifdef SYMM_HAS_ASAN
  Block const from;
  Block to;
  for (std::size_t const bytes : {1U, 2U, 4U, 8U, 24U, 360U}) {
    to.bytes.fill('x');
    ASAN_POISON_MEMORY_REGION(&to, sizeof(to));
    symm::Impl::store_block(&to.bytes.at(8), &from.bytes.at(0), bytes);
    ASAN_UNPOISON_MEMORY_REGION(&to, sizeof(to));
    EXPECT_EQ(to.bytes.at(8 + bytes - 1), 0);
    EXPECT_EQ(to.bytes.at(8 + bytes), 'x');
  }
#else
  GTEST_SKIP() << "needs AddressSanitizer";
#endif
}

}  // namespace
