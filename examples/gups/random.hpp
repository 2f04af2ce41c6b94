// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

#ifndef SYMM_EXAMPLES_GUPS_RANDOM_HPP
#define SYMM_EXAMPLES_GUPS_RANDOM_HPP

#include <Kokkos_Core.hpp>
#include <cstdint>

namespace gups {

// The random numbers of the HPC Challenge. They are polynomials: bit i is the
// coefficient of x^i, addition is exclusive or, and everything is modulo x^64 +
// x^2 + x + 1. Number n is x^n, so each number follows from its predecessor in
// one step, and any number can be computed directly.

/// r * x.
KOKKOS_INLINE_FUNCTION std::uint64_t next_random(std::uint64_t r) {
  return (r << 1U) ^ ((r >> 63U) != 0 ? 7U : 0U);
}

/// a * b, in one step per bit of b.
KOKKOS_INLINE_FUNCTION std::uint64_t product(std::uint64_t a, std::uint64_t b) {
  std::uint64_t sum = 0;
  for (; b != 0; b >>= 1U) {
    if ((b & 1U) != 0) sum ^= a;
    a = next_random(a);
  }
  return sum;
}

/// Number n in the sequence, by repeated squaring.
KOKKOS_INLINE_FUNCTION std::uint64_t random_number(std::uint64_t n) {
  std::uint64_t r = 1;
  for (unsigned bit = 64; bit-- > 0;) {
    r = product(r, r);
    if ((n >> bit & 1U) != 0) r = next_random(r);
  }
  return r;
}

}  // namespace gups

#endif
