// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_SORT_ORDERED_BITS_HPP
#define SYMM_SORT_ORDERED_BITS_HPP

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include <Kokkos_SymmetricSpace_Edge.hpp>

#include "../../runtime/symm_atomics.hpp"

namespace symm::Impl {

template <std::size_t bytes>
struct UnsignedOf {};
template <>
struct UnsignedOf<1> {
  using type = std::uint8_t;
};
template <>
struct UnsignedOf<2> {
  using type = std::uint16_t;
};
template <>
struct UnsignedOf<4> {
  using type = std::uint32_t;
};
template <>
struct UnsignedOf<8> {
  using type = std::uint64_t;
};
template <class Key>
using BitsOfKey = typename UnsignedOf<sizeof(Key)>::type;

template <class Bits>
inline constexpr Bits sign_bit = static_cast<Bits>(Bits{1}
                                                   << (8 * sizeof(Bits) - 1));

/// Maps a key to an unsigned integer with the same ordering. Floating-point
/// keys are ordered as by IEEE 754's totalOrder: -0 is before 0, and a NaN is
/// before or after all numbers.
template <class Key>
[[nodiscard]] SYMM_INLINE_FUNCTION BitsOfKey<Key> ordered_bits(Key key) {
  using Bits      = BitsOfKey<Key>;
  auto const bits = bit_cast<Bits>(key);
  if constexpr (std::is_floating_point_v<Key>) {
    return static_cast<Bits>(
        (bits & sign_bit<Bits>) != 0 ? ~bits : bits | sign_bit<Bits>);
  } else if constexpr (std::is_signed_v<Key>) {
    return static_cast<Bits>(bits ^ sign_bit<Bits>);
  } else {
    return bits;
  }
}

/// The key for which ordered_bits() returns `bits`.
template <class Key>
[[nodiscard]] SYMM_INLINE_FUNCTION Key key_of(BitsOfKey<Key> bits) {
  using Bits = BitsOfKey<Key>;
  if constexpr (std::is_floating_point_v<Key>) {
    bits = static_cast<Bits>(
        (bits & sign_bit<Bits>) != 0 ? bits & ~sign_bit<Bits> : ~bits);
  } else if constexpr (std::is_signed_v<Key>) {
    bits = static_cast<Bits>(bits ^ sign_bit<Bits>);
  }
  return bit_cast<Key>(bits);
}

}  // namespace symm::Impl

#endif
