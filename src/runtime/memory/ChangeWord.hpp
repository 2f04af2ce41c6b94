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

// An atomic operation that is known at run time.

/// \returns what the word was; for AtomicOp::set, `value`.
template <class T>
SYMM_INLINE_FUNCTION T change_typed_word(T* word, AtomicOp op, T value,
                                         T compare) {
  switch (op) {
    case AtomicOp::fetch: return fetch_word(word);
    case AtomicOp::set:
      // (Releasing, for ThreadSanitizer, which knows no fences.)
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

/// The same of bits.
template <class T>
SYMM_INLINE_FUNCTION std::uint64_t change_bits(void* word, AtomicOp op,
                                               std::uint64_t value,
                                               std::uint64_t compare) {
  using Bits = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;
  return bit_cast<Bits>(change_typed_word(
      static_cast<T*>(word), op, bit_cast<T>(static_cast<Bits>(value)),
      bit_cast<T>(static_cast<Bits>(compare))));
}

/// Calls use(T()) with the type of the word.
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

}  // namespace symm::Impl

#endif
