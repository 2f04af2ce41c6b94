// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_GROUPS_KERNELCOPY_HPP
#define SYMM_GROUPS_KERNELCOPY_HPP

#include <bit>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "../base/Function.hpp"

namespace symm::Impl {

// The device code of GroupCopy.hpp.

/// copy_each() on a GPU.
template <std::size_t n_wanted = 0, class Threads, class Load, class Store>
SYMM_INLINE_FUNCTION void copy_each_with_loads_in_flight(Threads const& threads,
                                                         std::size_t count,
                                                         Load const& load,
                                                         Store const& store) {
  using Value = std::remove_cvref_t<decltype(load(std::size_t{}))>;
  if constexpr (std::is_default_constructible_v<Value>) {
    constexpr std::size_t n_loads = n_wanted != 0         ? n_wanted
                                    : sizeof(Value) <= 16 ? 8
                                                          : 2;
    constexpr std::size_t row     = Threads::row;
    constexpr std::size_t tile    = row * n_loads;
    // The last tile may be partial, so loads and stores check `count`.
    std::size_t const n_tiles = (count + tile - 1) / tile;
    threads.for_each(n_tiles * row, [&](std::size_t i) {
      std::size_t const begin = i / row * tile + i % row;
      Value values[n_loads];  // in registers: compilers unroll both loops
      for (std::size_t n = 0; n < n_loads; ++n) {
        if (begin + n * row < count) values[n] = load(begin + n * row);
      }
      for (std::size_t n = 0; n < n_loads; ++n) {
        if (begin + n * row < count) store(begin + n * row, values[n]);
      }
    });
  } else {
    threads.for_each(count, [&](std::size_t i) { store(i, load(i)); });
  }
}

/// A word that a GPU loads or stores in one access. It may alias objects of any
/// type.
template <std::size_t bytes>
struct Word;
template <>
struct [[gnu::may_alias]] alignas(16) Word<16> {
  std::uint64_t low;
  std::uint64_t high;
};
template <>
struct [[gnu::may_alias]] Word<8> {
  std::uint64_t bits;
};
template <>
struct [[gnu::may_alias]] Word<4> {
  std::uint32_t bits;
};
template <>
struct [[gnu::may_alias]] Word<2> {
  std::uint16_t bits;
};
template <>
struct [[gnu::may_alias]] Word<1> {
  std::uint8_t bits;
};

/// Copies one word. Its size, `bytes`, is a power of two from `least` to
/// `most`.
template <std::size_t most, std::size_t least>
SYMM_FORCEINLINE_FUNCTION void copy_word(char* to, char const* from,
                                         std::size_t bytes) {
  if constexpr (most > least) {
    if (bytes != most) return copy_word<most / 2, least>(to, from, bytes);
  }
  *reinterpret_cast<Word<most>*>(to) =
      *reinterpret_cast<Word<most> const*>(from);
}

/// The number of halvings from `width` to `unit`. (A constant, because nvcc
/// warns about bit_width() in kernels.)
template <std::size_t width, std::size_t unit>
inline constexpr std::size_t n_halvings =
    std::bit_width(width) - std::bit_width(unit);

/// Copies `width`-byte words. The bytes before the first word and after the
/// last word are copied in the widest possible words. Preconditions: the
/// addresses are congruent modulo `width`; the addresses and `bytes` are
/// multiples of `unit`; `bytes` is at least `width`.
template <std::size_t width, std::size_t unit, class Threads>
SYMM_INLINE_FUNCTION void copy_words(Threads const& threads, char* to,
                                     char const* from, std::size_t bytes) {
  std::size_t const head    = -reinterpret_cast<std::size_t>(to) % width;
  std::size_t const n_words = (bytes - head) / width;
  if constexpr (width > unit) {
    std::size_t const tail = (bytes - head) % width;
    if (head + tail != 0) {
      // The head contains at most one word of each smaller width, in increasing
      // order; the tail contains at most one of each, in decreasing order.
      constexpr std::size_t n_narrower = n_halvings<width, unit>;
      threads.for_each(2 * n_narrower, [&](std::size_t i) {
        bool const is_head     = i < n_narrower;
        std::size_t const word = unit << (is_head ? i : i - n_narrower);
        if (((is_head ? head : tail) & word) == 0) return;
        std::size_t const at =
            is_head ? head & (word - 1) : bytes - (tail & (2 * word - 1));
        copy_word<width / 2, unit>(to + at, from + at, word);
      });
    }
  }
  auto* const to_words   = reinterpret_cast<Word<width>*>(to + head);
  auto* const from_words = reinterpret_cast<Word<width> const*>(from + head);
  copy_each_with_loads_in_flight(
      threads, n_words, [=](std::size_t i) { return from_words[i]; },
      [=](std::size_t i, Word<width> const& word) { to_words[i] = word; });
}

/// If there is at most one `width`-byte word per thread and both addresses and
/// `bytes` are multiples of `width`, copies one word per thread. (Without this
/// function, 512 threads would spend half of the copy time computing which of
/// them have a word to copy.) \returns whether it has copied the bytes.
template <std::size_t width, std::size_t unit, class Threads>
SYMM_INLINE_FUNCTION bool copy_word_each(Threads const& threads, char* to,
                                         char const* from, std::size_t bytes) {
  if (bytes / width > threads.size()) return false;
  if constexpr (unit < width) {
    auto const bits = reinterpret_cast<std::size_t>(to) |
                      reinterpret_cast<std::size_t>(from) | bytes;
    if (bits % width != 0) return false;
  }
  std::size_t const at = threads.rank() * width;
  if (at < bytes) {
    *reinterpret_cast<Word<width>*>(to + at) =
        *reinterpret_cast<Word<width> const*>(from + at);
  }
  return true;
}

/// copy_bytes() on a GPU, with words of at most `width` bytes. Any 1-, 2-, 4-
/// or 8-byte word that is aligned on both sides is copied in a single access.
template <std::size_t width, std::size_t unit, class Threads>
SYMM_INLINE_FUNCTION void copy_by_widest_words(Threads const& threads, char* to,
                                               char const* from,
                                               std::size_t bytes) {
  if constexpr (width == unit) {
    copy_words<width, unit>(threads, to, from, bytes);
  } else {
    std::size_t const differ =
        reinterpret_cast<std::size_t>(to) ^ reinterpret_cast<std::size_t>(from);
    if (differ % width == 0 && width <= bytes) {
      copy_words<width, unit>(threads, to, from, bytes);
    } else {
      copy_by_widest_words<width / 2, unit>(threads, to, from, bytes);
    }
  }
}

}  // namespace symm::Impl

#endif
