// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_HEAP_OPTIONS_HPP
#define SYMM_HEAP_OPTIONS_HPP

#include <cstddef>

#include "../base/Types.hpp"

namespace symm::Impl {

struct HeapOptions {
  /// Whether the heap has a fixed size and is mapped at startup (M39, M40);
  /// otherwise, it grows.
  bool is_static = false;
  /// Bytes per PE that are mapped at startup.
  std::size_t initial_bytes = 0;
  /// Bytes per PE that the heap can grow to.
  std::size_t limit_bytes = 0;
  /// For error messages and for detecting mismatched calls.
  MemoryKind memory = MemoryKind::host;
};

}  // namespace symm::Impl

#endif
