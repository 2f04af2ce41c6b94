// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_PERF_PROCESS_MEMORY_HPP
#define SYMM_PERF_PROCESS_MEMORY_HPP

#include <cstdint>

namespace perf {

/// This process's memory as the kernel counts it, in KiB. A page shared by k
/// processes counts as 1/k in each, so that the sum over the PEs counts every
/// page once.
struct ProcessMemory {
  std::int64_t anonymous   = 0;  ///< heap, stack, private data
  std::int64_t shared      = 0;  ///< memfd, tmpfs, shared anonymous memory
  std::int64_t file        = 0;  ///< code and data of programs and libraries
  std::int64_t page_tables = 0;
  std::int64_t reserved    = 0;  ///< address space; costs nothing by itself

  [[nodiscard]] std::int64_t physical() const {
    return anonymous + shared + file + page_tables;
  }
};

/// \throws std::runtime_error if /proc does not contain this (Linux before
///         5.4).
[[nodiscard]] ProcessMemory process_memory();

[[nodiscard]] ProcessMemory operator-(ProcessMemory const& a,
                                      ProcessMemory const& b);

}  // namespace perf

#endif
