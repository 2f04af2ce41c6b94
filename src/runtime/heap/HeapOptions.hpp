// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_HEAP_OPTIONS_HPP
#define SYMM_HEAP_OPTIONS_HPP

#include <cstddef>

#include "../base/Types.hpp"

namespace symm::Impl {

struct HeapOptions {
  /// The heap has a fixed size and is mapped at start (M39, M40); otherwise it
  /// grows.
  bool is_static = false;
  /// Bytes per PE mapped at start.
  std::size_t initial_bytes = 0;
  /// Bytes per PE that the heap can grow to.
  std::size_t limit_bytes = 0;
  /// For messages and the check of mismatched calls.
  MemoryKind memory = MemoryKind::host;
};

}  // namespace symm::Impl

#endif
