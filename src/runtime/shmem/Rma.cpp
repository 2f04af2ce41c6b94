// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#include "Rma.hpp"

#include "../base/Text.hpp"
#include "../job/Runtime.hpp"
#include "../memory/CopyQueue.hpp"
#include "../memory/HostCopy.hpp"
#include "../symm_errors.hpp"

namespace symm::Impl {

namespace {

/// Copies between `memory` of the heap and any memory of this PE.
[[gnu::always_inline]] inline void copy_bytes(MemoryKind memory, void* to,
                                              void const* from,
                                              std::size_t bytes,
                                              char const* call) {
  if (memory == MemoryKind::host) {
    copy_host_memory(to, from, bytes);
  } else {
    copy_gpu_memory(to, from, bytes, call);
  }
}

[[noreturn, gnu::noinline]] void throw_null(char const* call) {
  throw UsageError(
      Text(call, ": the address of this PE's side of the copy is null"));
}

}  // namespace

CopyQueue& copy_queue(char const* call) {
  auto& runtime = Runtime::instance(call);
  static_cast<void>(runtime.heap(MemoryKind::device, call));  // there is one
  return *runtime.provider(MemoryKind::device);
}

void check_private(void const* address, char const* call) {
  if (address == nullptr) throw_null(call);
}

void put_bytes(void* dest, void const* source, std::size_t bytes, Pe pe,
               char const* call) {
  if (bytes == 0) return;
  auto const its = copy_to_access(dest, bytes, pe, call);
  check_private(source, call);
  copy_bytes(its.memory, its.address, source, bytes, call);
}

void get_bytes(void* dest, void const* source, std::size_t bytes, Pe pe,
               char const* call) {
  if (bytes == 0) return;
  auto const its = copy_to_access(source, bytes, pe, call);
  check_private(dest, call);
  copy_bytes(its.memory, dest, its.address, bytes, call);
}

void copy_gpu_memory(void* to, void const* from, std::size_t bytes,
                     char const* call) {
  copy_queue(call).copy(to, from, bytes);
}

}  // namespace symm::Impl
