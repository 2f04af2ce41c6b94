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

/// Types of the operands. Enumerations and pointers are sent as unsigned
/// integers.
enum class WordType : std::uint8_t { i32, u32, f32, i64, u64, f64 };

/// The size of an operand: 4 or 8 bytes.
[[nodiscard]] SYMM_FUNCTION constexpr std::size_t bytes_of(WordType type) {
  return type <= WordType::f32 ? 4 : 8;
}

/// An operation on words of one type. Requests from kernels and messages
/// between PEs contain its code().
struct WordOp {
  static constexpr unsigned code_bits = 7;

  AtomicOp op{};
  WordType type{};

  [[nodiscard]] SYMM_FUNCTION constexpr std::uint8_t code() const {
    return static_cast<std::uint8_t>(static_cast<unsigned>(op) << 3U |
                                     static_cast<unsigned>(type));
  }
  /// \param code less than 256. A code from another PE may be invalid: check
  ///        the result with is_atomic().
  [[nodiscard]] SYMM_FUNCTION static constexpr WordOp of(std::uint64_t code) {
    return {static_cast<AtomicOp>(code >> 3U),
            static_cast<WordType>(code & 7U)};
  }
};
static_assert(static_cast<unsigned>(AtomicOp::bit_xor) < 16);
static_assert(static_cast<unsigned>(WordType::f64) < 8);

}  // namespace symm::Impl

#endif
