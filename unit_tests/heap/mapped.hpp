// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_TEST_MAPPED_HPP
#define SYMM_TEST_MAPPED_HPP

#include <cstddef>

namespace symm_test {

/// Bytes of symmetric memory that are mapped in this process, as the system
/// sees them: of this PE and its peers, at offsets below 256 MiB.
std::size_t mapped_bytes_of_node();

}  // namespace symm_test

#endif
