// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <runtime/memory/HostCopy.hpp>
#include <runtime/memory/HostWords.hpp>

namespace {

constexpr std::size_t margin = 16;
constexpr std::size_t most   = 80;  // bytes, beyond max_bytes_by_words
static_assert(most > symm::Impl::max_bytes_by_words);

using Memory = std::array<std::uint8_t, margin + most + margin>;

// operations/polled_words.cpp looks at the stores themselves.
TEST(HostCopy, every_word_in_the_range_is_in_one_access) {
  alignas(8) Memory memory{};
  for (std::size_t offset = 0; offset < 8; ++offset) {
    for (std::size_t bytes = 0; bytes <= most; ++bytes) {
      // Where the access begins that has a byte, and where it ends.
      std::array<std::size_t, 8 + most> begin{};
      std::array<std::size_t, 8 + most> end{};
      std::size_t n_bytes = 0;
      symm::Impl::for_each_host_word(
          memory.data() + offset, bytes, [&](std::size_t at, auto width) {
            EXPECT_EQ((offset + at) % width, 0U) << "is a word";
            for (std::size_t i = 0; i < width; ++i) {
              begin.at(offset + at + i) = offset + at;
              end.at(offset + at + i)   = offset + at + width;
            }
            n_bytes += width;
          });
      EXPECT_EQ(n_bytes, bytes);
      for (std::size_t const width : {1U, 2U, 4U, 8U}) {
        for (std::size_t at = (offset + width - 1) / width * width;
             at + width <= offset + bytes; at += width) {
          EXPECT_LE(begin.at(at), at);
          EXPECT_GE(end.at(at), at + width)
              << width << " bytes at " << at << " of " << bytes
              << " bytes from " << offset;
        }
      }
    }
  }
}

template <std::size_t alignment>
void expect_exact_copies() {
  for (std::size_t to = 0; to < 8; to += alignment) {
    for (std::size_t from = 0; from < 8; from += alignment) {
      for (std::size_t bytes = alignment; bytes <= most; bytes += alignment) {
        alignas(8) Memory source{};
        alignas(8) Memory dest{};
        for (std::size_t i = 0; i < source.size(); ++i) {
          source.at(i) = static_cast<std::uint8_t>(i + 1);
        }
        symm::Impl::copy_host_memory<alignment>(
            dest.data() + margin + to, source.data() + margin + from, bytes);
        Memory expected{};
        std::copy_n(source.data() + margin + from, bytes,
                    expected.data() + margin + to);
        EXPECT_EQ(dest, expected)
            << bytes << " bytes, places " << to << " and " << from;
      }
    }
  }
}

TEST(HostCopy, copies_exactly_the_bytes_from_and_to_any_place) {
  expect_exact_copies<1>();
  expect_exact_copies<2>();
  expect_exact_copies<4>();
  expect_exact_copies<8>();
}

// AddressSanitizer sees what is read or written beside the ranges.
TEST(HostCopy, touches_nothing_beside_the_ranges) {
  for (std::size_t bytes = 1; bytes <= 70; ++bytes) {
    for (std::size_t before = 0; before < 8; ++before) {
      std::vector<char> const from(before + bytes, 'x');
      std::vector<char> to(bytes);
      symm::Impl::copy_host_memory(to.data(), from.data() + before, bytes);
      EXPECT_EQ(std::count(to.begin(), to.end(), 'x'),
                static_cast<std::ptrdiff_t>(bytes));
    }
  }
}

}  // namespace
