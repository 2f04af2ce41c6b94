// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_DIVISOR_HPP
#define SYMM_DIVISOR_HPP

#include <bit>
#include <cstdint>

#include <Kokkos_Core.hpp>

namespace symm::Impl {

__extension__ using Uint128 = unsigned __int128;

/// x * factor / 2^64, rounded down.
[[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION std::uint64_t high_of_product(
    std::uint64_t x, std::uint64_t factor) {
  return static_cast<std::uint64_t>((Uint128{x} * factor) >> 64);
}

/// numerator * 2^bits / denominator, rounded up. Precondition: the result is
/// less than 2^64.
/// \param denominator at least `numerator` and at most 2^62.
[[nodiscard]] inline std::uint64_t scaled_fraction(std::uint64_t numerator,
                                                   std::uint64_t denominator,
                                                   unsigned bits) {
  std::uint64_t result = numerator / denominator;
  std::uint64_t rest   = numerator % denominator;
  for (unsigned bit = 0; bit < bits; ++bit) {
    result *= 2;
    rest *= 2;
    if (rest >= denominator) {
      rest -= denominator;
      ++result;
    }
  }
  return rest != 0 ? result + 1 : result;
}

/// A divisor that is prepared once. Kernels can then divide with one
/// multiplication and one shift. (Granlund, Montgomery: Division by Invariant
/// Integers using Multiplication.)
class Divisor {
 public:
  Divisor() = default;  // divides by 1

  /// \param divisor from 1 to 2^62.
  explicit Divisor(std::uint64_t divisor)
      : m_shift(static_cast<unsigned>(std::bit_width(divisor - 1))),
        m_factor(scaled_fraction(1, divisor, 63 + m_shift)) {}

  /// x / divisor, rounded down.
  /// \param x less than 2^63; rounding the factor then adds less than 1 /
  ///        divisor.
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION std::uint64_t quotient(
      std::uint64_t x) const {
    return high_of_product(2 * x, m_factor) >> m_shift;
  }

 private:
  unsigned m_shift       = 0;
  std::uint64_t m_factor = std::uint64_t{1} << 63;
};

}  // namespace symm::Impl

#endif
