// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_TEST_MEMORY_OF_SPACE_HPP
#define SYMM_TEST_MEMORY_OF_SPACE_HPP

#include <type_traits>

#include <Kokkos_SymmetricSpace.hpp>

namespace symm_test {

/// Where Views of the space are.
template <class Space>
symm::MemoryKind memory_of_space() {
  return std::is_same_v<Space, symm::SymmetricHostSpace>
             ? symm::MemoryKind::host
             : symm::MemPoolProperties::default_memory_kind();
}

}  // namespace symm_test

#endif
