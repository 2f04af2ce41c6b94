// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_ONE_SIDED_ATOMICS_HPP
#define SYMM_ONE_SIDED_ATOMICS_HPP

#include <concepts>
#include <type_traits>

#include "../memory/WordAtomics.hpp"

namespace symm::Impl {

/// Types whose values processors fetch and replace in one step.
template <class T>
concept AtomicWord = (std::is_arithmetic_v<T> || std::is_enum_v<T> ||
                      std::is_pointer_v<T>)&&(sizeof(T) == 4 ||
                                              sizeof(T) == 8) &&
                     std::same_as<T, std::remove_cv_t<T>>;

/// Types that they also compute with.
template <class T>
concept AtomicNumber = AtomicWord<T> && std::is_arithmetic_v<T>;

/// Types whose single bits they also change.
template <class T>
concept AtomicBits = AtomicWord<T> && std::integral<T>;

}  // namespace symm::Impl

#endif
