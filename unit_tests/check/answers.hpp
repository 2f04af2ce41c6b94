// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_TEST_CHECK_ANSWERS_HPP
#define SYMM_TEST_CHECK_ANSWERS_HPP

#include <cstddef>

#include <runtime/symm_check.hpp>

namespace symm_test {

/// Whether this program is one that looks for races.
inline bool is_checked() { return symm::check::enabled(); }

/// Collective, behind a barrier: the distinct races that all PEs have found.
inline std::size_t races_until_now() {
  return static_cast<std::size_t>(symm::check::races());
}

}  // namespace symm_test

#endif
