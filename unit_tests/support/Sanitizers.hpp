// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_TEST_SANITIZERS_HPP
#define SYMM_TEST_SANITIZERS_HPP

#include <runtime/heap/Poison.hpp>

namespace symm_test {

/// Whether every access is checked, which takes several times as long, and
/// private memory that was freed is kept for a while.
#ifdef SYMM_HAS_ASAN
inline constexpr bool is_sanitized = true;
#else
inline constexpr bool is_sanitized = false;
#endif

// Defined where a form that a test has for one type more takes seconds, by nvcc
// and under the sanitizers: lists of types are shorter there, with every
// operation and every size of an element.
#if defined(SYMM_HAS_ASAN) || defined(__CUDACC__)
#define SYMM_TEST_FEW_TYPES
#endif

/// How often something is done that leaves nothing behind, or does it the first
/// time: what sanitizers see, they see in a part of the rounds, too.
constexpr int fewer_if_sanitized(int all) {
  return is_sanitized && all > 80 ? all / 8 : all;
}

}  // namespace symm_test

#endif
