// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_TEST_PATTERN_HPP
#define SYMM_TEST_PATTERN_HPP

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>

#include <runtime/Types.hpp>

namespace symm_test {

/// Whose data, for whom, and which of several blocks or rounds.
struct Tag {
  symm::Pe from = 0;
  symm::Pe to   = 0;
  unsigned salt = 0;
};

/// Word i of the data with that tag: data that reached the wrong PE, block or
/// element cannot pass for it.
constexpr std::uint64_t pattern(Tag tag, std::size_t i) {
  std::uint64_t x = static_cast<std::uint64_t>(tag.from + 1) << 56U ^
                    static_cast<std::uint64_t>(tag.to + 1) << 48U ^
                    static_cast<std::uint64_t>(tag.salt + 1) << 32U ^ i;
  // The finaliser of splitmix64: one to one, and every bit depends on all.
  x = (x ^ (x >> 30U)) * 0xbf58'476d'1ce4'e5b9U;
  x = (x ^ (x >> 27U)) * 0x94d0'49bb'1331'11ebU;
  return x ^ (x >> 31U);
}

/// Fills `bytes` bytes, whatever their number. Null is what a failed allocation
/// gave, which has been reported: nothing is filled.
inline void fill(void* start, std::size_t bytes, Tag tag) {
  if (start == nullptr) return;
  auto* const out = static_cast<char*>(start);
  for (std::size_t at = 0; at < bytes; at += sizeof(std::uint64_t)) {
    auto const word  = pattern(tag, at / sizeof(std::uint64_t));
    auto const count = bytes - at < sizeof word ? bytes - at : sizeof word;
    std::memcpy(out + at, &word, count);
  }
}

/// Where `bytes` bytes first differ from what fill() has written (to the
/// eight bytes); nothing if they do not. Null differs at once.
inline std::optional<std::size_t> difference(void const* start,
                                             std::size_t bytes, Tag tag) {
  if (start == nullptr) return 0;
  auto const* const in = static_cast<char const*>(start);
  for (std::size_t at = 0; at < bytes; at += sizeof(std::uint64_t)) {
    auto const word  = pattern(tag, at / sizeof(std::uint64_t));
    auto const count = bytes - at < sizeof word ? bytes - at : sizeof word;
    if (std::memcmp(in + at, &word, count) != 0) return at;
  }
  return std::nullopt;
}

/// Where the first of `bytes` bytes is that is not `value`; nothing if all are.
inline std::optional<std::size_t> difference_from(unsigned char value,
                                                  void const* start,
                                                  std::size_t bytes) {
  if (start == nullptr) return 0;
  auto const* const in = static_cast<unsigned char const*>(start);
  for (std::size_t at = 0; at < bytes; ++at) {
    if (in[at] != value) return at;
  }
  return std::nullopt;
}

}  // namespace symm_test

#endif
