// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#include "Far.hpp"

#include "../base/Observer.hpp"
#include "../base/Text.hpp"
#include "../heap/SymmetricHeap.hpp"
#include "../job/Network.hpp"
#include "../job/Runtime.hpp"
#include "../symm_errors.hpp"
#include "../transport/FarPes.hpp"
#include "../transport/GpuStaging.hpp"

namespace symm::Impl {

namespace {

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
  auto const segment = is_of_gpus(copy.heap, copy.call) ? Segment::device_heap
                                                        : Segment::host_heap;
  return {copy.pe, segment, copy.heap.offset_of(copy.address)};
}

/// What copies to or from memory of a far PE's GPU. This PE's side may be in
/// memory of its own: waits for the kernels that write there then.
GpuStaging& staging_for(void const* local, char const* call) {
  auto& runtime = Runtime::instance(call);
  auto& queue   = *runtime.provider(MemoryKind::device);
  if (queue.is_on_gpu(local)) queue.synchronize();
  return *runtime.network()->staging();
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
  InCall const in(dest.call);
  auto& transport = transport_to(dest.pe, dest.call);
  auto const to   = remote_of(dest);
  if (is_of_gpu(to.segment)) {
    staging_for(source, dest.call).put(to, source, bytes, until);
    return;
  }
  transport.put(to, source, bytes, until);
}

void get_far(void* dest, FarCopy const& source, std::size_t bytes,
             Until until) {
  InCall const in(source.call);
  auto& transport = transport_to(source.pe, source.call);
  auto const from = remote_of(source);
  if (is_of_gpu(from.segment)) {
    staging_for(dest, source.call).get(dest, from, bytes, until);
    return;
  }
  transport.get(dest, from, bytes, until);
}

void put_strided_far(FarCopy const& dest, void const* source,
                     Strides const& strides) {
  InCall const in(dest.call);
  if (have_no_gaps(strides)) {
    put_far(dest, source, strides.element_bytes * strides.count);
    return;
  }
  auto& transport = transport_to(dest.pe, dest.call);
  auto const to   = remote_of(dest);
  if (is_of_gpu(to.segment)) {
    staging_for(source, dest.call).put_strided(to, source, strides);
    return;
  }
  transport.put_strided(to, source, strides);
}

void get_strided_far(void* dest, FarCopy const& source,
                     Strides const& strides) {
  InCall const in(source.call);
  if (have_no_gaps(strides)) {
    get_far(dest, source, strides.element_bytes * strides.count);
    return;
  }
  auto& transport = transport_to(source.pe, source.call);
  auto const from = remote_of(source);
  if (is_of_gpu(from.segment)) {
    staging_for(dest, source.call).get_strided(dest, from, strides);
    return;
  }
  transport.get_strided(dest, from, strides);
}

void put_signal_far(FarCopy const& dest, void const* source, std::size_t bytes,
                    FarCopy const& signal, std::uint64_t value, AtomicOp op,
                    Until until) {
  InCall const in(signal.call);
  auto& transport       = transport_to(signal.pe, signal.call);
  auto const its_signal = remote_of(signal);
  auto const to         = bytes == 0 ? its_signal : remote_of(dest);
  if (bytes != 0 && is_of_gpu(to.segment)) {
    staging_for(source, dest.call)
        .put_signal(to, source, bytes, its_signal, value, op, until);
    return;
  }
  transport.put_signal(to, source, bytes, its_signal, value, op, until);
}

std::uint64_t atomic_far(FarCopy const& at, AtomicOp op, WordType type,
                         std::uint64_t value, std::uint64_t compare) {
  InCall const in(at.call);
  return transport_to(at.pe, at.call)
      .atomic(remote_of(at), op, type, value, compare);
}

void post_atomic_far(FarCopy const& at, AtomicOp op, WordType type,
                     std::uint64_t value) {
  InCall const in(at.call);
  transport_to(at.pe, at.call).post_atomic(remote_of(at), op, type, value);
}

void fence_far() {
  auto* const transport = Transport::instance();
  if (transport == nullptr) return;
  InCall const in("symm::fence");
  KernelRequests::drain_all();
  transport->fence();
}

void quiet_far() {
  auto* const transport = Transport::instance();
  if (transport == nullptr) return;
  constexpr char const* call = "symm::quiet";
  Observed const observed([] { return Operation{OperationKind::quiet, call}; });
  InCall const in(call);
  KernelRequests::drain_all();
  transport->quiet();
}

void poll_far() {
  if (auto* const transport = Transport::instance()) transport->poll();
}

}  // namespace symm::Impl
