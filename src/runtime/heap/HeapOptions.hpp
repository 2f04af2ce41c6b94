// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_HEAP_OPTIONS_HPP
#define SYMM_HEAP_OPTIONS_HPP

#include <cstddef>

#include "../base/Types.hpp"

namespace symm::Impl {

struct HeapOptions {
  /// Whether the heap has a fixed size and is mapped at startup (M39, M40).
  /// Otherwise, the heap grows.
  bool is_static = false;
  /// Bytes per PE that are mapped at startup.
  std::size_t initial_bytes = 0;
  /// The maximum size of the heap, in bytes per PE.
  std::size_t limit_bytes = 0;
  /// The kind of the heap's memory. Error messages and the detection of
  /// mismatched calls use it.
  MemoryKind memory = MemoryKind::host;
};

}  // namespace symm::Impl

#endif
