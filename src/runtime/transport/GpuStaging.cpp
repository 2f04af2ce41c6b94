// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#include "GpuStaging.hpp"

#include <algorithm>

namespace symm::Impl {

namespace {

CopyQueue::Strided block(void* to, void const* from, std::size_t bytes) {
  return {static_cast<char*>(to),
          static_cast<char const*>(from),
          bytes,
          bytes,
          bytes,
          1};
}

/// The HostCall for one of several messages. Only the last message carries the
/// Request, because the last message's acknowledgment covers all messages
/// before it.
HostCall of_message(HostCall const& call, bool is_last) {
  return {call.name, nullptr, is_last ? call.request : nullptr};
}

/// Elements larger than this number of bytes are not packed into a message with
/// other elements.
constexpr std::size_t max_of_element = std::size_t{4} << 10U;

}  // namespace

/// Gets in flight. The destructor waits until they are complete.
class GpuStaging::Begun {
 public:
  Begun(Channel& channel, Pe pe, char const* call)
      : m_channel(channel), m_pe(pe), m_call(call) {}
  Begun(Begun const&)            = delete;
  Begun& operator=(Begun const&) = delete;
  ~Begun() { wait(); }

  void get(std::byte* to, PeMemory from, std::size_t bytes) {
    for (std::size_t done = 0; done < bytes; done += Channel::max_begun) {
      m_left.fetch_add(1, std::memory_order_relaxed);
      m_channel.begin_get(to + done, from.moved(done),
                          std::min(bytes - done, Channel::max_begun), m_left,
                          m_call);
    }
  }
  void wait() {
    if (m_left != 0) m_channel.wait_for_begun(m_pe, m_left, m_call);
  }

 private:
  Channel& m_channel;
  Pe m_pe;
  char const* m_call;
  Channel::Counter m_left{0};
};

GpuStaging::GpuStaging(MemoryProvider& provider)
    : m_provider(provider), m_memory(provider, 2 * half), m_queue(provider) {}

void GpuStaging::put_from_host(Channel& channel, PeMemory to,
                               std::byte const* from, std::size_t bytes,
                               Completion completion, HostCall const& call) {
  auto const piece = is_of_gpu(to.segment) ? Channel::max_begun : bytes;
  for (std::size_t done = 0; done < bytes; done += piece) {
    channel.put(to.moved(done), from + done, std::min(bytes - done, piece),
                completion, of_message(call, bytes - done <= piece));
  }
}

void GpuStaging::put(Channel& channel, PeMemory to, void const* from,
                     std::size_t bytes, Completion completion,
                     HostCall const& call) {
  auto const* const data = static_cast<std::byte const*>(from);
  if (!m_provider.is_on_gpu(from)) {
    put_from_host(channel, to, data, bytes, completion, call);
    return;
  }
  std::lock_guard const lock(m_mutex);
  auto const begin = [&](std::size_t at) {
    m_queue.begin_copy(
        block(half_of(at / half), data + at, std::min(bytes - at, half)));
  };
  if (bytes != 0) begin(0);
  for (std::size_t done = 0; done < bytes; done += half) {
    m_queue.finish();
    // Copy the next half from the GPU while this one is sent.
    if (done + half < bytes) begin(done + half);
    try {
      put_from_host(channel, to.moved(done), half_of(done / half),
                    std::min(bytes - done, half), Completion::local,
                    of_message(call, bytes - done <= half));
    } catch (...) {
      m_queue.finish();  // the queue may still be reading `from`
      throw;
    }
  }
}

void GpuStaging::put_signal(Channel& channel, PeMemory to, void const* from,
                            std::size_t bytes, PeMemory signal,
                            std::uint64_t value, AtomicOp op,
                            Completion completion, HostCall const& call) {
  bool const is_on_gpu = bytes != 0 && m_provider.is_on_gpu(from);
  bool const is_one    = bytes <= Channel::max_begun;
  if (!is_one && (is_on_gpu || is_of_gpu(to.segment))) {
    put(channel, to, from, bytes, completion, of_message(call, false));
    channel.fence(call);
    channel.put_signal(signal, nullptr, 0, signal, value, op, completion, call);
    return;
  }
  if (!is_on_gpu) {
    channel.put_signal(to, from, bytes, signal, value, op, completion, call);
    return;
  }
  std::lock_guard const lock(m_mutex);
  m_queue.begin_copy(block(half_of(0), from, bytes));
  m_queue.finish();
  channel.put_signal(to, half_of(0), bytes, signal, value, op,
                     Completion::local, call);
}

void GpuStaging::get_to_host(Channel& channel, std::byte* to, PeMemory from,
                             std::size_t bytes, HostCall const& call) {
  Begun begun(channel, from.pe, call.name);
  // Do not request everything at once, because replies take up memory until
  // this PE reads them.
  constexpr std::size_t most = 8 * half;
  for (std::size_t done = 0; done < bytes; done += most) {
    begun.get(to + done, from.moved(done), std::min(bytes - done, most));
    begun.wait();
  }
}

void GpuStaging::get(Channel& channel, void* to, PeMemory from,
                     std::size_t bytes, Completion completion,
                     HostCall const& call) {
  auto* const data = static_cast<std::byte*>(to);
  if (!m_provider.is_on_gpu(to)) {
    if (is_of_gpu(from.segment)) {
      get_to_host(channel, data, from, bytes, call);
    } else {
      channel.get(to, from, bytes, completion, call);
    }
    return;
  }
  std::lock_guard const lock(m_mutex);
  Begun begun(channel, from.pe, call.name);
  auto const begin = [&](std::size_t at) {
    begun.get(half_of(at / half), from.moved(at), std::min(bytes - at, half));
  };
  if (bytes != 0) begin(0);
  for (std::size_t done = 0; done < bytes; done += half) {
    begun.wait();
    m_queue.finish();  // the other half may now be overwritten
    // Fetch the next half while this one is copied to the GPU.
    if (done + half < bytes) begin(done + half);
    m_queue.begin_copy(
        block(data + done, half_of(done / half), std::min(bytes - done, half)));
  }
  m_queue.finish();
}

void GpuStaging::put_strided(Channel& channel, PeMemory to, void const* from,
                             Strides strides, HostCall const& call) {
  auto const size        = strides.element_bytes;
  auto const* const data = static_cast<std::byte const*>(from);
  if (size > max_of_element) {
    for (std::size_t i = 0; i < strides.count; ++i) {
      put(channel, to.moved(i * strides.remote_bytes),
          data + i * strides.local_bytes, size, Completion::local, call);
    }
    return;
  }
  if (!m_provider.is_on_gpu(from)) {
    channel.put_strided(to, from, strides, call);
    return;
  }
  std::lock_guard const lock(m_mutex);
  auto const at_once = half / size;
  for (std::size_t first = 0; first < strides.count; first += at_once) {
    auto const count = std::min(strides.count - first, at_once);
    m_queue.begin_copy(
        {reinterpret_cast<char*>(half_of(0)),
         reinterpret_cast<char const*>(data + first * strides.local_bytes),
         size, strides.local_bytes, size, count});
    m_queue.finish();
    channel.put_strided(to.moved(first * strides.remote_bytes), half_of(0),
                        {size, count, strides.remote_bytes, size}, call);
  }
}

void GpuStaging::get_strided(Channel& channel, void* to, PeMemory from,
                             Strides strides, HostCall const& call) {
  auto const size  = strides.element_bytes;
  auto* const data = static_cast<std::byte*>(to);
  if (size > max_of_element) {
    for (std::size_t i = 0; i < strides.count; ++i) {
      get(channel, data + i * strides.local_bytes,
          from.moved(i * strides.remote_bytes), size, Completion::local, call);
    }
    return;
  }
  if (!m_provider.is_on_gpu(to)) {
    channel.get_strided(to, from, strides, call);
    return;
  }
  std::lock_guard const lock(m_mutex);
  auto const at_once = half / size;
  for (std::size_t first = 0; first < strides.count; first += at_once) {
    auto const count = std::min(strides.count - first, at_once);
    channel.get_strided(half_of(0), from.moved(first * strides.remote_bytes),
                        {size, count, strides.remote_bytes, size}, call);
    m_queue.begin_copy(
        {reinterpret_cast<char*>(data + first * strides.local_bytes),
         reinterpret_cast<char const*>(half_of(0)), strides.local_bytes, size,
         size, count});
    m_queue.finish();
  }
}

}  // namespace symm::Impl
