// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#include "PeOperations.hpp"

#include "../base/Check.hpp"
#include "../base/Observer.hpp"
#include "../base/Text.hpp"
#include "../job/Runtime.hpp"
#include "../network/Network.hpp"
#include "../symm_errors.hpp"
#include "../transport/GpuStaging.hpp"
#include "../transport/Message.hpp"
#include "../transport/Transport.hpp"

namespace symm::Impl {

namespace {

Channel& channel_to(Pe pe, HostCall const& call) {
  if (call.channel != nullptr) return *call.channel;
  if (auto* const transport = Runtime::find_transport()) {
    return transport->channel();
  }
  throw UsageError(Text(call.name, ": PE ", pe, " cannot be reached"));
}

/// Returns the GpuStaging for a copy to or from a far PE's GPU memory. If this
/// PE's buffer is also in GPU memory, first waits for kernels that may write to
/// it.
GpuStaging& staging_for(void const* local, char const* call) {
  auto& runtime = Runtime::instance(call);
  auto& queue   = *runtime.provider(MemoryKind::device);
  if (queue.is_on_gpu(local)) queue.synchronize();
  return *runtime.network()->staging();
}

/// Calls by_copy() for a near PE's GPU memory. For a far PE, calls
/// by_gpu(staging, channel) for GPU memory and by_host(channel) for host
/// memory.
template <class ByCopy, class ByHost, class ByGpu>
void copy_at(PeMemory there, void const* local, HostCall const& call,
             ByCopy const& by_copy, ByHost const& by_host,
             ByGpu const& by_gpu) {
  if (there.path == AccessPath::gpu) return by_copy();
  auto& channel = channel_to(there.pe, call);
  if (is_of_gpu(there.segment)) {
    by_gpu(staging_for(local, call.name), channel);
  } else {
    by_host(channel);
  }
}

/// Like copy_gpu_memory(), but strided, and starts only after all earlier work
/// on this PE's GPU.
void copy_gpu_memory_strided(CopyQueue::Strided const& copy, char const* call) {
  auto& queue = copy_queue(call);
  queue.synchronize();
  try {
    queue.copy_strided(copy, nullptr);
  } catch (...) {
    queue.synchronize();  // no part of the copy may still be running
    throw;
  }
  queue.synchronize();
}

bool have_no_gaps(Strides const& strides) {
  return strides.remote_bytes == strides.element_bytes &&
         strides.local_bytes == strides.element_bytes;
}

/// Calls work(), a put or get that may consist of several messages. If work()
/// throws, completes the messages in progress before rethrowing.
template <class Work>
void complete_parts_if_throws(std::size_t bytes, Completion completion,
                              HostCall const& call, Work const& work) {
  bool const is_one =
      completion == Completion::local || bytes <= BatchEntry::max_bytes;
  if (is_one) return work();
  complete_if_throws(call, work);
}

void tell_check(PeMemory there, void const* local, std::size_t bytes,
                bool is_put, HostCall const& call) {
  if (there.path != AccessPath::messages || there.segment != Segment::host_heap)
    return;
  check::copy_far(there.pe, there.offset(), local, bytes, is_put, call.name);
}

}  // namespace

CopyQueue& copy_queue(char const* call) {
  auto& runtime = Runtime::instance(call);
  static_cast<void>(runtime.heap(MemoryKind::device, call));  // or throws
  return *runtime.provider(MemoryKind::device);
}

bool has_gates(char const* call) { return Runtime::instance(call).has_gates(); }

void complete_begun(HostCall const& call) noexcept {
  auto* channel = call.channel;
  if (channel == nullptr) {
    auto* const transport = Runtime::find_transport();
    if (transport == nullptr) return;
    channel = &transport->channel();
  }
  channel->quiet(call.name);
}

void copy_gpu_memory(void* to, void const* from, std::size_t bytes,
                     char const* call) {
  copy_queue(call).copy(to, from, bytes);
}

void put_without_stores(PeMemory to, void const* from, std::size_t bytes,
                        Completion completion, HostCall const& call) {
  tell_check(to, from, bytes, true, call);
  complete_parts_if_throws(bytes, completion, call, [&] {
    copy_at(
        to, from, call,
        [&] { copy_gpu_memory(to.address(), from, bytes, call.name); },
        [&](auto& channel) { channel.put(to, from, bytes, completion, call); },
        [&](auto& staging, auto& channel) {
          staging.put(channel, to, from, bytes, completion, call);
        });
  });
}

void get_otherwise(void* to, PeMemory from, std::size_t bytes,
                   Completion completion, HostCall const& call) {
  tell_check(from, to, bytes, false, call);
  complete_parts_if_throws(bytes, completion, call, [&] {
    copy_at(
        from, to, call,
        [&] { copy_gpu_memory(to, from.address(), bytes, call.name); },
        [&](auto& channel) { channel.get(to, from, bytes, completion, call); },
        [&](auto& staging, auto& channel) {
          staging.get(channel, to, from, bytes, completion, call);
        });
  });
}

void put_strided_to(PeMemory to, void const* from, Strides const& strides,
                    HostCall const& call) {
  if (have_no_gaps(strides)) {
    return put_without_stores(to, from, strides.element_bytes * strides.count,
                              Completion::local, call);
  }
  copy_at(
      to, from, call,
      [&] {
        copy_gpu_memory_strided(
            {to.address<char>(), static_cast<char const*>(from),
             strides.remote_bytes, strides.local_bytes, strides.element_bytes,
             strides.count},
            call.name);
      },
      [&](auto& channel) { channel.put_strided(to, from, strides, call); },
      [&](auto& staging, auto& channel) {
        staging.put_strided(channel, to, from, strides, call);
      });
}

void get_strided_from(void* to, PeMemory from, Strides const& strides,
                      HostCall const& call) {
  if (have_no_gaps(strides)) {
    return get_otherwise(to, from, strides.element_bytes * strides.count,
                         Completion::local, call);
  }
  copy_at(
      from, to, call,
      [&] {
        copy_gpu_memory_strided(
            {static_cast<char*>(to), from.address<char>(), strides.local_bytes,
             strides.remote_bytes, strides.element_bytes, strides.count},
            call.name);
      },
      [&](auto& channel) { channel.get_strided(to, from, strides, call); },
      [&](auto& staging, auto& channel) {
        staging.get_strided(channel, to, from, strides, call);
      });
}

void put_signal_to(PeMemory to, void const* from, std::size_t bytes,
                   PeMemory signal, std::uint64_t value, AtomicOp op,
                   Completion completion, HostCall const& call) {
  auto& channel = channel_to(signal.pe, call);
  if (bytes == 0) to = signal;
  complete_parts_if_throws(bytes, completion, call, [&] {
    if (bytes != 0 && is_of_gpu(to.segment)) {
      staging_for(from, call.name)
          .put_signal(channel, to, from, bytes, signal, value, op, completion,
                      call);
    } else {
      channel.put_signal(to, from, bytes, signal, value, op, completion, call);
    }
  });
}

std::uint64_t atomic_at(PeMemory at, AtomicOp op, WordType type,
                        std::uint64_t value, std::uint64_t compare,
                        HostCall const& call) {
  return channel_to(at.pe, call).atomic(at, op, type, value, compare, call);
}

void fetch_at(PeMemory at, AtomicOp op, WordType type, std::uint64_t value,
              std::uint64_t compare, void* was, HostCall const& call) {
  channel_to(at.pe, call).fetch_nbi(at, op, type, value, compare, was, call);
}

void post_atomic_at(PeMemory at, AtomicOp op, WordType type,
                    std::uint64_t value, HostCall const& call) {
  channel_to(at.pe, call).post_atomic(at, op, type, value, call);
}

void fence_far() {
  auto* const transport = Runtime::find_transport();
  if (transport == nullptr) return;
  constexpr char const* call = "symm::fence";
  transport->drain_kernels(call);
  transport->channel().fence(call);
}

void quiet_far(char const* call) {
  auto* const transport = Runtime::find_transport();
  if (transport == nullptr) return;
  Observed const observed([=] {
    return Operation{OperationKind::quiet, call};
  });
  transport->drain_kernels(call);
  transport->channel().quiet(call);
}

void quiet_all_contexts(char const* call) {
  check::quiet();
  auto* const transport = Runtime::find_transport();
  if (transport == nullptr) return;
  transport->quiet(call);
}

void poll_far() {
  if (auto* const transport = Runtime::find_transport()) transport->poll();
}

}  // namespace symm::Impl
