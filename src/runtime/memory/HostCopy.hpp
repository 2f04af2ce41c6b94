// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_RUNTIME_HOSTCOPY_HPP
#define SYMM_RUNTIME_HOSTCOPY_HPP

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "../base/Types.hpp"

namespace symm::Impl {

// Copies within host memory that contains words polled by another thread or PE.
// memcpy must not write such words, because it may store a word twice, as glibc
// 2.36 does in an 8-byte copy. A thread that saw a value and cleared the word
// between the two stores would see the value again.
//
// A word here is 1, 2, 4 or 8 bytes, aligned to its size.

/// The widest word, in bytes.
inline constexpr std::size_t widest_host_word = 8;

/// The largest copy, in bytes, that copy_host_memory() performs word by word.
inline constexpr std::size_t max_bytes_by_words = 64;

/// An integer of the given size that may alias objects of any type.
template <std::size_t bytes>
struct HostWord;
template <>
struct HostWord<8> {
  using type [[gnu::may_alias]] = std::uint64_t;
};
template <>
struct HostWord<4> {
  using type [[gnu::may_alias]] = std::uint32_t;
};
template <>
struct HostWord<2> {
  using type [[gnu::may_alias]] = std::uint16_t;
};
template <>
struct HostWord<1> {
  using type [[gnu::may_alias]] = std::uint8_t;
};

// Each function makes one relaxed atomic access. Compilers do not split, repeat
// or merge such accesses, and do not turn a loop of them into memcpy.

template <std::size_t bytes>
[[nodiscard]] auto load_host_word(char const* from) {
  using Word = typename HostWord<bytes>::type;
  return __atomic_load_n(reinterpret_cast<Word const*>(from), __ATOMIC_RELAXED);
}

template <std::size_t bytes>
void store_host_word(char* to, typename HostWord<bytes>::type value) {
  using Word = typename HostWord<bytes>::type;
  __atomic_store_n(reinterpret_cast<Word*>(to), value, __ATOMIC_RELAXED);
}

/// copy_host_memory() for 1 to max_bytes_by_words bytes at any alignment.
void copy_host_words(void* to, void const* from, std::size_t bytes);

/// Copies `bytes` bytes, at least 1, between memory locations that the host can
/// access. The ranges must be equal or must not overlap. The copy is complete
/// on return.
///
/// For up to max_bytes_by_words bytes at any alignment, the function loads each
/// word in the range at `from` once. It stores each word in the range at `to`
/// with a single store. If the corresponding word at `from` is also aligned,
/// the stored value is one that this word had at some single moment. Larger
/// copies may write words more than once, and in pieces.
///
/// \tparam alignment a lower bound on the alignment of both addresses; `bytes`
///         must be a multiple of it.
template <std::size_t alignment = 1>
[[gnu::always_inline]] inline void copy_host_memory(void* to, void const* from,
                                                    std::size_t bytes) {
  constexpr std::size_t least =
      alignment < widest_host_word ? alignment : widest_host_word;
  if (to == from) return;
  if (bytes > max_bytes_by_words) {
    // No object is larger. Without the mask, GCC warns that the count may have
    // wrapped.
    constexpr std::size_t largest = ~std::size_t{0} >> 1U;
    std::memcpy(to, from, bytes & largest);
    return;
  }
  auto* const target       = static_cast<char*>(to);
  auto const* const source = static_cast<char const*>(from);
  // Fast path: most copies consist of 8-byte words, or of one narrower word.
  std::size_t const all = reinterpret_cast<std::size_t>(to) |
                          reinterpret_cast<std::size_t>(from) | bytes;
  auto const copy_word = [&](std::size_t at, auto width) {
    store_host_word<width>(target + at, load_host_word<width>(source + at));
  };
  if (least == 8 || all % 8 == 0) {
    std::size_t at = 0;
    do {
      copy_word(at, std::integral_constant<std::size_t, 8>());
      at += 8;
    } while (at < bytes);
  } else if (bytes == 4 && (least == 4 || all % 4 == 0)) {
    copy_word(0, std::integral_constant<std::size_t, 4>());
  } else if (bytes == least) {
    copy_word(0, std::integral_constant<std::size_t, least>());
  } else {
    copy_host_words(to, from, bytes);
  }
}

}  // namespace symm::Impl

#endif
