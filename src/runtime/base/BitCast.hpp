// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_BIT_CAST_HPP
#define SYMM_BIT_CAST_HPP

#include <cstring>
#include <type_traits>

#include "Function.hpp"

namespace symm::Impl {

/// Storage for an element whose type need not have a default constructor.
template <class T>
union ElementMemory {
  char none;
  T element;
  SYMM_FUNCTION ElementMemory() : none(0) {}
};

/// Like std::bit_cast, but also callable from kernels.
template <class To, class From>
requires(sizeof(To) == sizeof(From) && std::is_trivially_copyable_v<To> &&
         std::is_trivially_copyable_v<From>)
    [[nodiscard]] SYMM_INLINE_FUNCTION To bit_cast(From const& from) {
  ElementMemory<To> to;
  memcpy(static_cast<void*>(&to.element), static_cast<void const*>(&from),
         sizeof(To));
  return to.element;
}

}  // namespace symm::Impl

#endif
