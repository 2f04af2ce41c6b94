// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_HEAP_OPTIONS_HPP
#define SYMM_HEAP_OPTIONS_HPP

#include <cstddef>

#include "../base/Types.hpp"

namespace symm::Impl {

struct HeapOptions {
  /// Whether the heap has a fixed size and is mapped at startup (M39, M40). If
  /// false, the heap grows on demand.
  bool is_static = false;
  /// The number of bytes per PE that are mapped at startup.
  std::size_t initial_bytes = 0;
  /// The maximum size of the heap, in bytes per PE.
  std::size_t limit_bytes = 0;
  /// The kind of memory that the heap consists of, for error messages and the
  /// detection of mismatched calls.
  MemoryKind memory = MemoryKind::host;
};

}  // namespace symm::Impl

#endif
