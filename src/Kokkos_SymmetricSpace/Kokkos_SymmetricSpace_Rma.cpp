// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#include <Kokkos_SymmetricSpace_Rma.hpp>

#include <string>

#include "../runtime/memory/HostCopy.hpp"
#include "../runtime/symm_errors.hpp"

namespace symm {

namespace {

/// heap.copy(), without its call where that is for nothing.
void copy_bytes_of(SymmetricHeap const& heap, void* to, void const* from,
                   std::size_t bytes) {
  if (heap.memory() == MemoryKind::host) {
    copy_host_memory(to, from, bytes);
  } else {
    heap.copy(to, from, bytes);
  }
}

}  // namespace

void check_private(void const* address, char const* call) {
  if (address != nullptr) return;
  throw UsageError(std::string(call) +
                   ": the address of this PE's side of the copy is null");
}

void put_bytes(void* dest, void const* source, std::size_t bytes, Pe pe,
               char const* call) {
  if (bytes == 0) return;
  auto const& heap = heap_to_access(dest, bytes, pe, call);
  check_private(source, call);
  copy_bytes_of(heap, heap.map().peer_ptr(dest, pe), source, bytes);
}

void get_bytes(void* dest, void const* source, std::size_t bytes, Pe pe,
               char const* call) {
  if (bytes == 0) return;
  auto const& heap = heap_to_access(source, bytes, pe, call);
  check_private(dest, call);
  copy_bytes_of(heap, dest, heap.map().peer_ptr(source, pe), bytes);
}

}  // namespace symm
