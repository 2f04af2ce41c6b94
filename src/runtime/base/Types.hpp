// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

#ifndef SYMM_TYPES_HPP
#define SYMM_TYPES_HPP

#include <bit>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "Function.hpp"

namespace symm {

/// The number of a PE (a process of the job), from 0 to n_pes() - 1.
using Pe = int;

/// The location of memory: on the host or on a GPU.
enum class MemoryKind : std::uint16_t { host, device };

}  // namespace symm

namespace symm::Impl {

inline constexpr int n_memory_kinds = 2;

/// Returns the smallest multiple of `unit` (a power of two) that is at least
/// `bytes`. Precondition: the result fits in std::size_t.
constexpr std::size_t round_up(std::size_t bytes, std::size_t unit) {
  return (bytes + unit - 1) & ~(unit - 1);
}

/// Returns the largest multiple of `unit` (a power of two) that is at most
/// `bytes`.
constexpr std::size_t round_down(std::size_t bytes, std::size_t unit) {
  return bytes & ~(unit - 1);
}

/// Converts a nonnegative number (such as a PE) or an enumerator to an array
/// index.
SYMM_FUNCTION constexpr std::size_t index_of(int number) {
  return static_cast<std::size_t>(number);
}
template <class Enum>
requires std::is_enum_v<Enum>
constexpr std::size_t index_of(Enum value) {
  return static_cast<std::size_t>(value);
}

/// A range of consecutive PEs, for range-based loops.
class PeRange {
 public:
  constexpr PeRange(Pe first, Pe end) : m_first(first), m_end(end) {}

  struct Iterator {
    Pe pe;
    constexpr Pe operator*() const { return pe; }
    constexpr Iterator& operator++() {
      ++pe;
      return *this;
    }
    constexpr bool operator==(Iterator const&) const = default;
  };
  [[nodiscard]] constexpr Iterator begin() const { return {m_first}; }
  [[nodiscard]] constexpr Iterator end() const { return {m_end}; }

 private:
  Pe m_first;
  Pe m_end;
};

constexpr bool is_multiple(std::size_t bytes, std::size_t unit) {
  return bytes % unit == 0;
}

}  // namespace symm::Impl

#endif
