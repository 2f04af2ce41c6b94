// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#include "Access.hpp"

#include <string>

#include "../base/Failure.hpp"
#include "../heap/SymmetricHeap.hpp"
#include "../job/Runtime.hpp"
#include "../symm_errors.hpp"

namespace symm::Impl {

SymmetricHeap& heap_to_access(void const* address, std::size_t bytes, Pe pe,
                              char const* call) {
  auto& runtime = Runtime::instance(call);
  if (pe < 0 || pe >= runtime.n_pes()) {
    throw UsageError(std::string(call) + ": there is no PE " +
                     std::to_string(pe) + "; PEs are 0 to " +
                     std::to_string(runtime.n_pes() - 1));
  }
  auto& heap = runtime.heap_of(address);
  if (!heap.is_mapped(address, bytes)) {
    throw UsageError(std::string(call) + ": " + std::to_string(bytes) +
                     " bytes at " + address_text(address) +
                     " are not in this PE's part of the symmetric heap: pass "
                     "the address of this PE's copy, and the PE's number");
  }
  return heap;
}

Copy<void> copy_to_access(void const* address, std::size_t bytes, Pe pe,
                          char const* call) {
  auto const& heap = heap_to_access(address, bytes, pe, call);
  return {heap.map().peer_ptr(const_cast<void*>(address), pe), heap.memory()};
}

HeapMap const& map_to_access(void const* address, std::size_t bytes, Pe pe,
                             char const* call) {
  auto const& heap = heap_to_access(address, bytes, pe, call);
  if (heap.memory() == MemoryKind::device) {
    throw UsageError(std::string(call) + ": " + address_text(address) +
                     " is in GPU memory, where the host has no loads and "
                     "stores: call it in a kernel, or use SymmetricHostSpace");
  }
  return heap.map();
}

}  // namespace symm::Impl
