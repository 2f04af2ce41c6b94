// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_MEMORY_CHANGEWORD_HPP
#define SYMM_MEMORY_CHANGEWORD_HPP

#include <atomic>
#include <cstdint>
#include <type_traits>

#include "../base/BitCast.hpp"
#include "../base/Function.hpp"
#include "AtomicOp.hpp"
#include "WordAtomics.hpp"

namespace symm::Impl {

// Atomic operations that are selected at run time.

/// Performs `op` on a word. \returns the old value of the word; for
/// AtomicOp::set, `value`.
template <class T>
SYMM_INLINE_FUNCTION T change_typed_word(T* word, AtomicOp op, T value,
                                         T compare) {
  switch (op) {
    case AtomicOp::fetch: return fetch_word(word);
    case AtomicOp::set:
      // A release store instead of a fence, because ThreadSanitizer does not
      // support fences.
      SYMM_IF_ON_HOST(
          (std::atomic_ref<T>(*word).store(value, std::memory_order_release);))
      SYMM_IF_ON_DEVICE((set_word(word, value);))
      return value;
    case AtomicOp::swap: return swap_word(word, value);
    case AtomicOp::compare_swap: return compare_swap_word(word, compare, value);
    case AtomicOp::add: return fetch_add_word(word, value);
    case AtomicOp::min: return fetch_min_word(word, value);
    case AtomicOp::max: return fetch_max_word(word, value);
    default: break;
  }
  if constexpr (std::is_integral_v<T>) {
    switch (op) {
      case AtomicOp::bit_and: return fetch_and_word(word, value);
      case AtomicOp::bit_or: return fetch_or_word(word, value);
      case AtomicOp::bit_xor: return fetch_xor_word(word, value);
      default: break;
    }
  }
  return value;
}

/// Like change_typed_word(), but takes the operands and returns the result as
/// raw bits.
template <class T>
SYMM_INLINE_FUNCTION std::uint64_t change_bits(void* word, AtomicOp op,
                                               std::uint64_t value,
                                               std::uint64_t compare) {
  using Bits = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;
  return bit_cast<Bits>(change_typed_word(
      static_cast<T*>(word), op, bit_cast<T>(static_cast<Bits>(value)),
      bit_cast<T>(static_cast<Bits>(compare))));
}

/// Calls use(T()), where T is the type named by `type`.
template <class Use>
SYMM_INLINE_FUNCTION auto with_type(WordType type, Use const& use) {
  switch (type) {
    case WordType::i32: return use(std::int32_t());
    case WordType::u32: return use(std::uint32_t());
    case WordType::f32: return use(float());
    case WordType::i64: return use(std::int64_t());
    case WordType::u64: return use(std::uint64_t());
    default: return use(double());
  }
}

// The same operations as functions on values, without memory accesses. They
// need few instructions and registers, so any kernel can include them at little
// cost.

/// Returns the value of a word after `op`, which must be add, min or max. Sums
/// of integers wrap around.
template <class T>
SYMM_FORCEINLINE_FUNCTION T changed_number(AtomicOp op, T was, T value) {
  if (op == AtomicOp::add) {
    if constexpr (std::is_integral_v<T>) {
      using Sum = std::make_unsigned_t<T>;
      return static_cast<T>(static_cast<Sum>(was) + static_cast<Sum>(value));
    } else {
      return was + value;
    }
  }
  bool const is_min = op == AtomicOp::min;
  return (is_min ? value < was : value > was) ? value : was;
}

/// Returns the bits of a word after `op`. For compare_swap, returns `value`, as
/// if the comparison had succeeded. A 4-byte word is in the lower half.
SYMM_FORCEINLINE_FUNCTION std::uint64_t changed_bits(AtomicOp op, WordType type,
                                                     std::uint64_t was,
                                                     std::uint64_t value) {
  using Short = std::uint32_t;
  switch (op) {
    case AtomicOp::fetch: return was;
    case AtomicOp::bit_and: return was & value;
    case AtomicOp::bit_or: return was | value;
    case AtomicOp::bit_xor: return was ^ value;
    case AtomicOp::add:
    case AtomicOp::min:
    case AtomicOp::max: break;
    default: return value;
  }
  auto const number = [op, was, value](auto of_bits) {
    return changed_number(op, of_bits(was), of_bits(value));
  };
  switch (type) {
    case WordType::f32:
      return bit_cast<Short>(number([](std::uint64_t bits) {
        return bit_cast<float>(static_cast<Short>(bits));
      }));
    case WordType::f64:
      return bit_cast<std::uint64_t>(
          number([](std::uint64_t bits) { return bit_cast<double>(bits); }));
    case WordType::i32:
      return static_cast<Short>(number([](std::uint64_t bits) {
        return static_cast<std::int32_t>(static_cast<Short>(bits));
      }));
    case WordType::u32:
      return number(
          [](std::uint64_t bits) { return static_cast<Short>(bits); });
    case WordType::i64:
      return static_cast<std::uint64_t>(number(
          [](std::uint64_t bits) { return static_cast<std::int64_t>(bits); }));
    default: return number([](std::uint64_t bits) { return bits; });
  }
}

}  // namespace symm::Impl

#endif
