// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#include "RmaStrided.hpp"

#include <string>

#include "../symm_errors.hpp"

namespace symm::Impl {

void throw_strides(std::size_t dest_stride, std::size_t source_stride,
                   std::size_t block, char const* call) {
  throw UsageError(
      std::string(call) + ": strides are at least " +
      (block <= 1 ? "1"
                  : "the " + std::to_string(block) + " elements of a block") +
      ", not " + std::to_string(dest_stride) + " (dest) and " +
      std::to_string(source_stride) + " (source)");
}

void copy_gpu_memory(CopyQueue::Strided const& copy, char const* call) {
  auto& queue = copy_queue(call);
  queue.synchronize();
  try {
    queue.copy_strided(copy, nullptr);
  } catch (...) {
    queue.synchronize();  // none of it may still be under way
    throw;
  }
  queue.synchronize();
}

}  // namespace symm::Impl
