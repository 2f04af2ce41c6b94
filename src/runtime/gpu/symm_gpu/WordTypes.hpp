// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_GPU_WORD_TYPES_HPP
#define SYMM_GPU_WORD_TYPES_HPP

#include <type_traits>

// The types in which kernels access words of 4 or 8 bytes.

namespace symm::Impl::InKernel {

/// An unsigned integer of the size of T.
template <class T>
using Bits =
    std::conditional_t<sizeof(T) == 4, unsigned int, unsigned long long>;
/// The type in which values of T are added. Sums of integers wrap around, even
/// signed ones.
template <class T>
using Summand = std::conditional_t<std::is_floating_point_v<T>, T, Bits<T>>;
/// An integer with the size and signedness of T.
template <class T>
using Integer =
    std::conditional_t<std::is_unsigned_v<T>, Bits<T>,
                       std::conditional_t<sizeof(T) == 4, int, long long>>;

}  // namespace symm::Impl::InKernel

#endif
