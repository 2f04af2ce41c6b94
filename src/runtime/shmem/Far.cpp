// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#include "Far.hpp"

#include "../base/Text.hpp"
#include "../heap/SymmetricHeap.hpp"
#include "../job/Runtime.hpp"
#include "../symm_errors.hpp"

namespace symm::Impl {

namespace {

[[noreturn]] void throw_gpu_memory(Pe pe, char const* call) {
  throw UsageError(
      Text(call, ": PE ", pe,
           " is on another node, and the memory is a GPU's, which is not "
           "reached there yet: use SymmetricHostSpace"));
}

Transport& transport_to(Pe pe, char const* call) {
  if (auto* const transport = Transport::instance()) return *transport;
  throw UsageError(Text(call, ": there is no PE ", pe, " to be reached"));
}

/// Whether it is the map of the heap in memory of GPUs.
bool is_of_gpus(HeapMap const& map, char const* call) {
  if (!Runtime::is_initialized()) return false;
  auto const* const heap =
      Runtime::instance(call).find_heap(MemoryKind::device);
  return heap != nullptr && heap->map().base == map.base;
}

Remote remote_of(FarCopy const& copy) {
  if (is_of_gpus(copy.heap, copy.call)) throw_gpu_memory(copy.pe, copy.call);
  return {copy.pe, Segment::host_heap, copy.heap.offset_of(copy.address)};
}

bool have_no_gaps(Strides const& strides) {
  return strides.remote_bytes == strides.element_bytes &&
         strides.local_bytes == strides.element_bytes;
}

}  // namespace

FarCopy far_copy(void const* address, Pe pe, char const* call) {
  return {Runtime::instance(call).heap_of(address).map(), address, pe, call};
}

void put_far(FarCopy const& dest, void const* source, std::size_t bytes,
             Until until) {
  transport_to(dest.pe, dest.call).put(remote_of(dest), source, bytes, until);
}

void get_far(void* dest, FarCopy const& source, std::size_t bytes,
             Until until) {
  transport_to(source.pe, source.call)
      .get(dest, remote_of(source), bytes, until);
}

void put_strided_far(FarCopy const& dest, void const* source,
                     Strides const& strides) {
  if (have_no_gaps(strides)) {
    put_far(dest, source, strides.element_bytes * strides.count);
    return;
  }
  transport_to(dest.pe, dest.call)
      .put_strided(remote_of(dest), source, strides);
}

void get_strided_far(void* dest, FarCopy const& source,
                     Strides const& strides) {
  if (have_no_gaps(strides)) {
    get_far(dest, source, strides.element_bytes * strides.count);
    return;
  }
  transport_to(source.pe, source.call)
      .get_strided(dest, remote_of(source), strides);
}

void put_signal_far(FarCopy const& dest, void const* source, std::size_t bytes,
                    FarCopy const& signal, std::uint64_t value, AtomicOp op,
                    Until until) {
  auto const its_signal = remote_of(signal);
  transport_to(signal.pe, signal.call)
      .put_signal(bytes == 0 ? its_signal : remote_of(dest), source, bytes,
                  its_signal, value, op, until);
}

std::uint64_t atomic_far(FarCopy const& at, AtomicOp op, WordType type,
                         std::uint64_t value, std::uint64_t compare) {
  return transport_to(at.pe, at.call)
      .atomic(remote_of(at), op, type, value, compare);
}

void post_atomic_far(FarCopy const& at, AtomicOp op, WordType type,
                     std::uint64_t value) {
  transport_to(at.pe, at.call).post_atomic(remote_of(at), op, type, value);
}

void fence_far() {
  if (auto* const transport = Transport::instance()) transport->fence();
}

void quiet_far() {
  if (auto* const transport = Transport::instance()) transport->quiet();
}

void poll_far() {
  if (auto* const transport = Transport::instance()) transport->poll();
}

}  // namespace symm::Impl
