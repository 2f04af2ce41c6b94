// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_TEST_SANITIZERS_HPP
#define SYMM_TEST_SANITIZERS_HPP

#include <runtime/heap/Poison.hpp>

namespace symm_test {

/// Whether every access is checked, which makes tests take several times as
/// long, and freed private memory is retained for a while.
#ifdef SYMM_HAS_ASAN
inline constexpr bool is_sanitized = true;
#else
inline constexpr bool is_sanitized = false;
#endif

// Defined for GPUs' compilers and the sanitizers, where instantiating a test
// for one more type takes seconds. Lists of types are shorter there, but still
// cover every operation and every element size.
#if defined(SYMM_HAS_ASAN) || defined(__CUDACC__) || defined(__HIPCC__)
#define SYMM_TEST_FEW_TYPES
#endif

/// The number of rounds for something that leaves nothing behind, or leaves it
/// in the first round: what sanitizers find, they also find in a fraction of
/// the rounds.
constexpr int fewer_if_sanitized(int all) {
  return is_sanitized && all > 80 ? all / 8 : all;
}

}  // namespace symm_test

#endif
