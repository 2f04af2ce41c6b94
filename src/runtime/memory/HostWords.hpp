// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_MEMORY_HOSTWORDS_HPP
#define SYMM_MEMORY_HOSTWORDS_HPP

#include <cstddef>
#include <type_traits>

namespace symm::Impl {

/// Calls access(at, width) for words that together cover [memory, memory +
/// bytes). Each word is as wide as possible, so every aligned word in the range
/// lies within one of these words. `at` is the word's offset from `memory`.
/// `width` is its size in bytes, an integral_constant.
template <class Access>
void for_each_host_word(void const* memory, std::size_t bytes,
                        Access const& access) {
  auto const address = reinterpret_cast<std::size_t>(memory);
  std::size_t at     = 0;
  auto const take    = [&](auto width) {
    access(at, width);
    at += width;
  };
  auto const take_if_aligned_no_more = [&](auto width) {
    if (((address + at) & width) != 0 && bytes - at >= width) take(width);
  };
  auto const take_if_left = [&](auto width) {
    if (bytes - at >= width) take(width);
  };
  constexpr std::integral_constant<std::size_t, 1> one{};
  constexpr std::integral_constant<std::size_t, 2> two{};
  constexpr std::integral_constant<std::size_t, 4> four{};
  constexpr std::integral_constant<std::size_t, 8> eight{};
  take_if_aligned_no_more(one);
  take_if_aligned_no_more(two);
  take_if_aligned_no_more(four);
  while (bytes - at >= eight) take(eight);
  take_if_left(four);
  take_if_left(two);
  take_if_left(one);
}

}  // namespace symm::Impl

#endif
