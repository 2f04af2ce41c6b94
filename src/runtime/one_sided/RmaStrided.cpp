// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#include "RmaStrided.hpp"

#include <string>

#include "../symm_errors.hpp"

namespace symm::Impl {

void throw_strides(std::size_t dest_stride, std::size_t source_stride,
                   std::size_t block, char const* call) {
  throw UsageError(
      std::string(call) + ": strides must be at least " +
      (block <= 1 ? "1"
                  : "the " + std::to_string(block) + " elements of a block") +
      ", not " + std::to_string(dest_stride) + " (dest) and " +
      std::to_string(source_stride) +
      " (source); they must not be negative or lead beyond the address space");
}

}  // namespace symm::Impl
