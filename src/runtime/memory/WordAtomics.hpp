// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_MEMORY_WORDATOMICS_HPP
#define SYMM_MEMORY_WORDATOMICS_HPP

#include <atomic>
#include <cstdint>
#include <type_traits>

#include <symm_gpu/KernelWords.hpp>

#include "../base/BitCast.hpp"
#include "../base/Function.hpp"

namespace symm::Impl {

// The operations of symm_atomics.hpp on an address that the caller can access.

template <class T>
SYMM_INLINE_FUNCTION T fetch_word(T const* address) {
  SYMM_IF_ON_HOST((return std::atomic_ref<T>(*const_cast<T*>(address))
                       .load(std::memory_order_relaxed);))
  SYMM_IF_ON_DEVICE((return InKernel::fetch(address);))
}

template <class T>
SYMM_INLINE_FUNCTION void set_word(T* address, T value) {
  SYMM_IF_ON_HOST(
      (std::atomic_ref<T>(*address).store(value, std::memory_order_relaxed);))
  SYMM_IF_ON_DEVICE((InKernel::set(address, value);))
}

template <class T>
SYMM_INLINE_FUNCTION T swap_word(T* address, T value) {
  SYMM_IF_ON_HOST((return std::atomic_ref<T>(*address).exchange(
      value, std::memory_order_relaxed);))
  SYMM_IF_ON_DEVICE((return InKernel::swap(address, value);))
}

template <class T>
SYMM_INLINE_FUNCTION T compare_swap_word(T* address, T compare, T value) {
#ifdef SYMM_FOR_DEVICE
  return InKernel::compare_swap(address, compare, value);
#else
  std::atomic_ref<T>(*address).compare_exchange_strong(
      compare, value, std::memory_order_relaxed);
  return compare;
#endif
}

/// Defines an operation of std::atomic_ref<T> in two forms: fetch_..._word()
/// returns the old value, and ..._word() returns nothing.
#define SYMM_CHANGE_WORD(name)                                          \
  template <class T>                                                    \
  SYMM_INLINE_FUNCTION T fetch_##name##_word(T* address, T value) {     \
    SYMM_IF_ON_HOST((return std::atomic_ref<T>(*address).fetch_##name(  \
        value, std::memory_order_relaxed);))                            \
    SYMM_IF_ON_DEVICE((return InKernel::fetch_##name(address, value);)) \
  }                                                                     \
  template <class T>                                                    \
  SYMM_INLINE_FUNCTION void name##_word(T* address, T value) {          \
    SYMM_IF_ON_HOST((std::atomic_ref<T>(*address).fetch_##name(         \
        value, std::memory_order_relaxed);))                            \
    SYMM_IF_ON_DEVICE((InKernel::change_##name(address, value);))       \
  }

SYMM_CHANGE_WORD(add)
SYMM_CHANGE_WORD(and)
SYMM_CHANGE_WORD(or)
SYMM_CHANGE_WORD(xor)
#undef SYMM_CHANGE_WORD

/// Sets the word to `value` if the word equals `seen`, and returns whether it
/// did. In either case, stores the word's old value in `seen`.
template <class T>
SYMM_INLINE_FUNCTION bool replace_if_seen(T* address, T& seen, T value) {
  T const before = compare_swap_word(address, seen, value);
  using Bits = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;
  bool const was_seen = bit_cast<Bits>(before) == bit_cast<Bits>(seen);
  seen                = before;
  return was_seen;
}

/// Atomically sets the word to `value` if precedes(value, word) holds. Returns
/// the old value.
template <class T, class Precedes>
SYMM_INLINE_FUNCTION T replace_if(T* address, T value,
                                  Precedes const& precedes) {
  T seen = fetch_word(address);
  while (precedes(value, seen) && !replace_if_seen(address, seen, value)) {
  }
  return seen;
}

/// Defines the minimum and maximum in the two forms of SYMM_CHANGE_WORD.
#define SYMM_REPLACE_WORD(name, precedes)                                     \
  template <class T>                                                          \
  SYMM_INLINE_FUNCTION T fetch_##name##_word(T* address, T value) {           \
    if constexpr (std::is_integral_v<T>) {                                    \
      SYMM_IF_ON_DEVICE((return InKernel::fetch_##name(address, value);))     \
    }                                                                         \
    return replace_if(address, value, [](T a, T b) { return a precedes b; }); \
  }                                                                           \
  template <class T>                                                          \
  SYMM_INLINE_FUNCTION void name##_word(T* address, T value) {                \
    if constexpr (std::is_integral_v<T>) {                                    \
      SYMM_IF_ON_DEVICE((InKernel::change_##name(address, value); return;))   \
    }                                                                         \
    replace_if(address, value, [](T a, T b) { return a precedes b; });        \
  }

SYMM_REPLACE_WORD(min, <)
SYMM_REPLACE_WORD(max, >)
#undef SYMM_REPLACE_WORD

}  // namespace symm::Impl

#endif
