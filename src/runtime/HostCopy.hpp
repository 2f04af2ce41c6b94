// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_RUNTIME_HOSTCOPY_HPP
#define SYMM_RUNTIME_HOSTCOPY_HPP

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

namespace symm {

// Copies in memory that the host reaches, whose words another thread or PE may
// poll. memcpy is no way to write those: it may store a word twice (glibc 2.36
// does so with 8 bytes), and who has seen the word and cleared it sees it
// again.
//
// A word here is 1, 2, 4 or 8 bytes at a multiple of its size.

/// The widest word, in bytes.
inline constexpr std::size_t widest_host_word = 8;

/// The largest copy that copy_host_memory() carries out word by word, in bytes.
inline constexpr std::size_t most_bytes_by_words = 64;

/// An integer of so many bytes, whatever the objects are that it belongs to.
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

// One access, atomic, without an order: compilers neither split, double nor
// merge them, nor make a call of memcpy of a loop of them.

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

/// Calls access(at, width) for words that cover [memory, memory + bytes), each
/// as wide as can be: any word in that range is in one of them. `at` is its
/// distance from `memory`, `width` its size as an integral_constant.
///
/// \tparam alignment of `memory`, at least; `bytes` is a multiple of it. 1, 2,
///         4 or 8.
template <std::size_t alignment, class Access>
void for_each_host_word(void const* memory, std::size_t bytes,
                        Access const& access) {
  auto const address = reinterpret_cast<std::size_t>(memory);
  std::size_t at     = 0;
  auto const take    = [&](auto width) {
    access(at, width);
    at += width;
  };
  auto const take_if_aligned_no_more = [&](auto width) {
    if constexpr (width >= alignment) {
      if (((address + at) & width) != 0 && bytes - at >= width) take(width);
    }
  };
  auto const take_if_left = [&](auto width) {
    if constexpr (width >= alignment) {
      if (bytes - at >= width) take(width);
    }
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

/// copy_host_memory() of up to most_bytes_by_words between addresses whose
/// words are not each other's: all is loaded, then all is stored.
void copy_host_words_apart(void* to, void const* from, std::size_t bytes);

/// Copies `bytes` from `from` to `to`, memory that the host reaches; the ranges
/// are equal or do not overlap. Done when it returns.
///
/// Up to most_bytes_by_words, all words in the range at `from` are loaded once
/// and all words in the range at `to` stored once, whole, whatever the two
/// addresses are; a store is of what is in the source at one moment if the
/// word there is aligned, too. In larger copies words may be written more than
/// once, and in pieces.
///
/// \tparam alignment of both addresses, at least; `bytes` is a multiple of it.
template <std::size_t alignment = 1>
void copy_host_memory(void* to, void const* from, std::size_t bytes) {
  constexpr std::size_t least =
      alignment < widest_host_word ? alignment : widest_host_word;
  if (bytes == 0 || to == from) return;
  if (bytes > most_bytes_by_words) {
    std::memcpy(to, from, bytes);
    return;
  }
  auto const copy = [to   = static_cast<char*>(to),
                     from = static_cast<char const*>(from)](std::size_t at,
                                                            auto width) {
    store_host_word<width>(to + at, load_host_word<width>(from + at));
  };
  if (bytes == least) {
    copy(0, std::integral_constant<std::size_t, least>());
    return;
  }
  std::size_t const widest =
      bytes < widest_host_word ? std::bit_floor(bytes) : widest_host_word;
  std::size_t const differ =
      reinterpret_cast<std::size_t>(to) ^ reinterpret_cast<std::size_t>(from);
  if (least == widest_host_word || differ % widest == 0) {
    for_each_host_word<least>(to, bytes, copy);
  } else {
    copy_host_words_apart(to, from, bytes);
  }
}

}  // namespace symm

#endif
