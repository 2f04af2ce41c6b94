// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_TEST_PATTERN_HPP
#define SYMM_TEST_PATTERN_HPP

#include <Kokkos_Macros.hpp>
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <vector>

#include <runtime/base/Types.hpp>
#include <support/memory.hpp>

namespace symm_test {

/// The sender and the receiver of data, and a salt that distinguishes several
/// blocks or rounds.
struct Tag {
  symm::Pe from = 0;
  symm::Pe to   = 0;
  unsigned salt = 0;
};

/// Word i of the data for `tag`. Data that reached the wrong PE, block or
/// element differ from it.
KOKKOS_FUNCTION constexpr std::uint64_t pattern(Tag tag, std::size_t i) {
  std::uint64_t x = static_cast<std::uint64_t>(tag.from + 1) << 56U ^
                    static_cast<std::uint64_t>(tag.to + 1) << 48U ^
                    static_cast<std::uint64_t>(tag.salt + 1) << 32U ^ i;
  // The finalizer of splitmix64: a bijection in which every bit depends on all
  // bits of the input.
  x = (x ^ (x >> 30U)) * 0xbf58'476d'1ce4'e5b9U;
  x = (x ^ (x >> 27U)) * 0x94d0'49bb'1331'11ebU;
  return x ^ (x >> 31U);
}

/// The first `bytes` bytes of the data; `bytes` need not be a multiple of the
/// word size.
inline std::vector<char> pattern_bytes(std::size_t bytes, Tag tag) {
  std::vector<char> result(bytes);
  for (std::size_t at = 0; at < bytes; at += sizeof(std::uint64_t)) {
    auto const word  = pattern(tag, at / sizeof(std::uint64_t));
    auto const count = std::min(bytes - at, sizeof word);
    std::memcpy(result.data() + at, &word, count);
  }
  return result;
}

// These functions work on symmetric memory of any kind. A null address comes
// from a failed allocation, which has already been reported.

/// Fills `bytes` bytes. Complete on return. Does nothing if `start` is null.
inline void fill(void* start, std::size_t bytes, Tag tag) {
  if (start == nullptr) return;
  write_memory(start, pattern_bytes(bytes, tag).data(), bytes);
}

/// The index at which two vectors of the same length first differ; nothing if
/// they are equal.
inline std::optional<std::size_t> first_difference(
    std::vector<char> const& have, std::vector<char> const& want) {
  if (have == want) return std::nullopt;  // one call: a loop is slow with ASan
  auto const at = std::mismatch(have.begin(), have.end(), want.begin()).first;
  return static_cast<std::size_t>(at - have.begin());
}

/// The offset at which `bytes` bytes first differ from what fill() has written;
/// nothing if they are equal. If `start` is null, returns 0.
inline std::optional<std::size_t> difference(void const* start,
                                             std::size_t bytes, Tag tag) {
  if (start == nullptr) return 0;
  return first_difference(memory_bytes(start, bytes),
                          pattern_bytes(bytes, tag));
}

/// The offset of the first of `bytes` bytes that is not `value`; nothing if all
/// are.
inline std::optional<std::size_t> difference_from(unsigned char value,
                                                  void const* start,
                                                  std::size_t bytes) {
  if (start == nullptr) return 0;
  return first_difference(memory_bytes(start, bytes),
                          std::vector<char>(bytes, static_cast<char>(value)));
}

}  // namespace symm_test

#endif
