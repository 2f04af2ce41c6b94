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

/// Whose data, for whom, and which of several blocks or rounds.
struct Tag {
  symm::Pe from = 0;
  symm::Pe to   = 0;
  unsigned salt = 0;
};

/// Word i of the data with that tag: data that reached the wrong PE, block or
/// element cannot pass for it.
KOKKOS_FUNCTION constexpr std::uint64_t pattern(Tag tag, std::size_t i) {
  std::uint64_t x = static_cast<std::uint64_t>(tag.from + 1) << 56U ^
                    static_cast<std::uint64_t>(tag.to + 1) << 48U ^
                    static_cast<std::uint64_t>(tag.salt + 1) << 32U ^ i;
  // The finalizer of splitmix64: one to one, and every bit depends on all.
  x = (x ^ (x >> 30U)) * 0xbf58'476d'1ce4'e5b9U;
  x = (x ^ (x >> 27U)) * 0x94d0'49bb'1331'11ebU;
  return x ^ (x >> 31U);
}

/// The first `bytes` bytes of the data, whatever their number.
inline std::vector<char> pattern_bytes(std::size_t bytes, Tag tag) {
  std::vector<char> result(bytes);
  for (std::size_t at = 0; at < bytes; at += sizeof(std::uint64_t)) {
    auto const word  = pattern(tag, at / sizeof(std::uint64_t));
    auto const count = std::min(bytes - at, sizeof word);
    std::memcpy(result.data() + at, &word, count);
  }
  return result;
}

// Of symmetric memory of any kind. Null is what a failed allocation gave, which
// has been reported.

/// Fills `bytes` bytes. Done when it returns. Null: nothing is filled.
inline void fill(void* start, std::size_t bytes, Tag tag) {
  if (start == nullptr) return;
  write_memory(start, pattern_bytes(bytes, tag).data(), bytes);
}

/// Where two vectors of the same length first differ; nothing if they do not.
inline std::optional<std::size_t> first_difference(
    std::vector<char> const& have, std::vector<char> const& want) {
  if (have == want) return std::nullopt;  // one call: steps take ASan long
  auto const at = std::mismatch(have.begin(), have.end(), want.begin()).first;
  return static_cast<std::size_t>(at - have.begin());
}

/// Where `bytes` bytes first differ from what fill() has written; nothing if
/// they do not. Null differs at once.
inline std::optional<std::size_t> difference(void const* start,
                                             std::size_t bytes, Tag tag) {
  if (start == nullptr) return 0;
  return first_difference(memory_bytes(start, bytes),
                          pattern_bytes(bytes, tag));
}

/// Where the first of `bytes` bytes is that is not `value`; nothing if all are.
inline std::optional<std::size_t> difference_from(unsigned char value,
                                                  void const* start,
                                                  std::size_t bytes) {
  if (start == nullptr) return 0;
  return first_difference(memory_bytes(start, bytes),
                          std::vector<char>(bytes, static_cast<char>(value)));
}

}  // namespace symm_test

#endif
