// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_ACCESS_ELEMENTS_HPP
#define SYMM_ACCESS_ELEMENTS_HPP

#include <cstddef>
#include <type_traits>

#include "../base/BitCast.hpp"
#include "../base/Function.hpp"
#include "../memory/HostCopy.hpp"
#include "../memory/Words.hpp"

namespace symm::Impl {

// Elements in one-sided operations: type checks, and loads and stores of single
// elements at addresses that the caller can access directly.

/// The direction of a copy. The symmetric side, which is on the other PE, is a
/// put's destination or a get's source.
enum class Direction { put, get };

/// Returns the number of bytes spanned by `count` elements that are `size`
/// bytes long and `stride` elements apart. On overflow, returns SIZE_MAX, which
/// exceeds the size of any heap.
SYMM_INLINE_FUNCTION constexpr std::size_t bytes_of(std::size_t size,
                                                    std::size_t count,
                                                    std::size_t stride = 1) {
  constexpr auto all = ~std::size_t{0};
  if (count == 0) return 0;
  if (stride != 0 && count - 1 > (all / size - 1) / stride) return all;
  return ((count - 1) * stride + 1) * size;
}

/// Checks at compile time that T is trivially copyable, since elements are sent
/// as bytes.
template <class T>
SYMM_FUNCTION constexpr void check_element() {
  static_assert(std::is_trivially_copyable_v<T> && !std::is_volatile_v<T>,
                "the elements must be trivially copyable, because they are "
                "copied as bytes");
}

/// Whether T is one word that is loaded and stored in a single access,
/// bypassing non-coherent caches.
template <class T>
inline constexpr bool is_one_access_v = MachineWord<T> &&
                                        alignof(T) == sizeof(T);

/// In kernels, `to` must be in global memory.
template <class T>
SYMM_INLINE_FUNCTION void store_element(T* to, T const& value) {
  if constexpr (is_one_access_v<T>) {
    store_relaxed(to, value);
  } else {
    SYMM_IF_ON_HOST((copy_host_memory<alignof(T)>(to, &value, sizeof(T));))
    SYMM_IF_ON_DEVICE((*to = value;))
  }
}

/// In kernels, `from` must be in global memory.
template <class T>
[[nodiscard]] SYMM_INLINE_FUNCTION T load_element(T const* from) {
  if constexpr (is_one_access_v<T>) {
    return load_relaxed(from);
  } else {
#ifdef SYMM_FOR_DEVICE
    return *from;
#else
    ElementMemory<T> memory;
    copy_host_memory<alignof(T)>(&memory.element, from, sizeof(T));
    return memory.element;
#endif
  }
}

}  // namespace symm::Impl

#endif
