// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_PERF_PATTERN_HPP
#define SYMM_PERF_PATTERN_HPP

#include <Kokkos_Core.hpp>
#include <cstddef>
#include <cstdint>
#include <span>

namespace perf {

/// A value that differs for every (sender, receiver, element), so that data
/// that reached the wrong PE, the sender itself or the wrong element is
/// detected.
[[nodiscard]] KOKKOS_INLINE_FUNCTION constexpr std::uint64_t pattern(
    int from, int to, std::size_t element) {
  return (static_cast<std::uint64_t>(from) + 1) << 48U |
         (static_cast<std::uint64_t>(to) + 1) << 32U |
         (static_cast<std::uint64_t>(element) & 0xffff'ffffU);
}

inline void fill_pattern(std::span<std::uint64_t> words, int from, int to) {
  for (std::size_t i = 0; i < words.size(); ++i)
    words[i] = pattern(from, to, i);
}

[[nodiscard]] inline std::int64_t count_wrong(
    std::span<std::uint64_t const> words, int from, int to) {
  std::int64_t wrong = 0;
  for (std::size_t i = 0; i < words.size(); ++i)
    wrong += words[i] != pattern(from, to, i) ? 1 : 0;
  return wrong;
}

}  // namespace perf

#endif
