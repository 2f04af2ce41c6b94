// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_ADDRESS_HPP
#define SYMM_ADDRESS_HPP

#include "Function.hpp"

#include <concepts>
#include <cstddef>

namespace symm::Impl {

/// Returns the address `bytes` bytes after `p`. It may be an address in another
/// process.
template <class T, std::integral Bytes>
[[nodiscard]] SYMM_FORCEINLINE_FUNCTION T* moved(T* p, Bytes bytes) {
#ifdef SYMM_FOR_DEVICE
  // With pointer arithmetic, nvcc can tell that the result points to global
  // memory.
  return reinterpret_cast<T*>(
      const_cast<char*>(reinterpret_cast<char const volatile*>(p)) + bytes);
#else
  // With integer arithmetic, GCC adds `bytes` to an array's start once, before
  // a loop, rather than to the address of every element.
  return reinterpret_cast<T*>(reinterpret_cast<std::size_t>(p) +
                              static_cast<std::size_t>(bytes));
#endif
}

}  // namespace symm::Impl

#endif
