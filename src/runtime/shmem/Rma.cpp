// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#include "Rma.hpp"

#include <string>

#include "../heap/SymmetricHeap.hpp"
#include "../job/Runtime.hpp"
#include "../memory/CopyQueue.hpp"
#include "../memory/HostCopy.hpp"
#include "../symm_errors.hpp"
#include "RmaStrided.hpp"

namespace symm::Impl {

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

CopyQueue& gpu_queue(char const* call) {
  auto& runtime = Runtime::instance(call);
  static_cast<void>(runtime.heap(MemoryKind::device, call));  // there is one
  return *runtime.provider(MemoryKind::device);
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

void copy_gpu_memory(void* to, void const* from, std::size_t bytes,
                     char const* call) {
  gpu_queue(call).copy(to, from, bytes);
}

void check_strides(std::size_t dest_stride, std::size_t source_stride,
                   char const* call) {
  if (dest_stride != 0 && source_stride != 0) return;
  throw UsageError(std::string(call) + ": strides are at least 1, not " +
                   std::to_string(dest_stride) + " (dest) and " +
                   std::to_string(source_stride) + " (source)");
}

void enqueue_strided(CopyQueue::Strided const& copy, void* queue,
                     char const* call) {
  gpu_queue(call).copy_strided(copy, queue);
}

void copy_gpu_memory(CopyQueue::Strided const& copy, char const* call) {
  auto& queue = gpu_queue(call);
  queue.synchronize();
  try {
    queue.copy_strided(copy, nullptr);
  } catch (...) {
    queue.synchronize();  // nothing of it is still under way
    throw;
  }
  queue.synchronize();
}

}  // namespace symm::Impl
