// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_MEMORY_ATOMICOP_HPP
#define SYMM_MEMORY_ATOMICOP_HPP

#include <cstddef>
#include <cstdint>

#include "../base/Function.hpp"

namespace symm::Impl {

/// The operations of symm_atomics.hpp.
enum class AtomicOp : std::uint8_t {
  fetch,
  set,
  swap,
  compare_swap,
  add,
  min,
  max,
  bit_and,
  bit_or,
  bit_xor
};

/// Types of the operands; enumerations and pointers are sent as unsigned
/// integers.
enum class WordType : std::uint8_t { i32, u32, f32, i64, u64, f64 };

/// The size of an operand: 4 or 8 bytes.
[[nodiscard]] SYMM_FUNCTION constexpr std::size_t bytes_of(WordType type) {
  return type <= WordType::f32 ? 4 : 8;
}

}  // namespace symm::Impl

#endif
