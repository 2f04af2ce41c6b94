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

/// Larger elements, in bytes, are not packed with others into one message.
constexpr std::size_t most_of_element = std::size_t{4} << 10U;

}  // namespace

/// Gets that have begun; the destructor waits for them.
class GpuStaging::Begun {
 public:
  Begun(Transport& transport, Pe pe) : m_transport(transport), m_pe(pe) {}
  Begun(Begun const&)            = delete;
  Begun& operator=(Begun const&) = delete;
  ~Begun() { wait(); }

  void get(std::byte* to, PeMemory from, std::size_t bytes) {
    for (std::size_t done = 0; done < bytes; done += Transport::most_begun) {
      m_left.fetch_add(1, std::memory_order_relaxed);
      m_transport.begin_get(to + done, from.moved(done),
                            std::min(bytes - done, Transport::most_begun),
                            m_left);
    }
  }
  void wait() {
    if (m_left != 0) m_transport.wait_for_begun(m_pe, m_left);
  }

 private:
  Transport& m_transport;
  Pe m_pe;
  Transport::Counter m_left{0};
};

GpuStaging::GpuStaging(Transport& transport, MemoryProvider& provider)
    : m_transport(transport),
      m_provider(provider),
      m_memory(provider, 2 * half),
      m_queue(provider) {}

void GpuStaging::put_from_host(PeMemory to, std::byte const* from,
                               std::size_t bytes, Until until) {
  auto const piece = is_of_gpu(to.segment) ? Transport::most_begun : bytes;
  for (std::size_t done = 0; done < bytes; done += piece) {
    m_transport.put(to.moved(done), from + done, std::min(bytes - done, piece),
                    until);
  }
}

void GpuStaging::put(PeMemory to, void const* from, std::size_t bytes,
                     Until until) {
  auto const* const data = static_cast<std::byte const*>(from);
  if (!m_provider.is_on_gpu(from)) {
    put_from_host(to, data, bytes, until);
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
    // The next half is copied from the GPU while this one is sent.
    if (done + half < bytes) begin(done + half);
    put_from_host(to.moved(done), half_of(done / half),
                  std::min(bytes - done, half), Until::is_safe);
  }
}

void GpuStaging::put_signal(PeMemory to, void const* from, std::size_t bytes,
                            PeMemory signal, std::uint64_t value, AtomicOp op,
                            Until until) {
  bool const is_on_gpu = bytes != 0 && m_provider.is_on_gpu(from);
  bool const is_one    = bytes <= Transport::most_begun;
  if (!is_one && (is_on_gpu || is_of_gpu(to.segment))) {
    put(to, from, bytes, until);
    m_transport.fence();
    m_transport.put_signal(signal, nullptr, 0, signal, value, op, until);
    return;
  }
  if (!is_on_gpu) {
    m_transport.put_signal(to, from, bytes, signal, value, op, until);
    return;
  }
  std::lock_guard const lock(m_mutex);
  m_queue.begin_copy(block(half_of(0), from, bytes));
  m_queue.finish();
  m_transport.put_signal(to, half_of(0), bytes, signal, value, op,
                         Until::is_safe);
}

void GpuStaging::get_to_host(std::byte* to, PeMemory from, std::size_t bytes) {
  Begun begun(m_transport, from.pe);
  // Not all at once: replies take memory until this PE reads them.
  constexpr std::size_t most = 8 * half;
  for (std::size_t done = 0; done < bytes; done += most) {
    begun.get(to + done, from.moved(done), std::min(bytes - done, most));
    begun.wait();
  }
}

void GpuStaging::get(void* to, PeMemory from, std::size_t bytes, Until until) {
  auto* const data = static_cast<std::byte*>(to);
  if (!m_provider.is_on_gpu(to)) {
    if (is_of_gpu(from.segment)) {
      get_to_host(data, from, bytes);
    } else {
      m_transport.get(to, from, bytes, until);
    }
    return;
  }
  std::lock_guard const lock(m_mutex);
  Begun begun(m_transport, from.pe);
  auto const begin = [&](std::size_t at) {
    begun.get(half_of(at / half), from.moved(at), std::min(bytes - at, half));
  };
  if (bytes != 0) begin(0);
  for (std::size_t done = 0; done < bytes; done += half) {
    begun.wait();
    m_queue.finish();  // the other half may be written again
    // The next half is fetched while this one is copied to the GPU.
    if (done + half < bytes) begin(done + half);
    m_queue.begin_copy(
        block(data + done, half_of(done / half), std::min(bytes - done, half)));
  }
  m_queue.finish();
}

void GpuStaging::put_strided(PeMemory to, void const* from, Strides strides) {
  auto const size        = strides.element_bytes;
  auto const* const data = static_cast<std::byte const*>(from);
  if (size > most_of_element) {
    for (std::size_t i = 0; i < strides.count; ++i) {
      put(to.moved(i * strides.remote_bytes), data + i * strides.local_bytes,
          size, Until::is_safe);
    }
    return;
  }
  if (!m_provider.is_on_gpu(from)) {
    m_transport.put_strided(to, from, strides);
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
    m_transport.put_strided(to.moved(first * strides.remote_bytes), half_of(0),
                            {size, count, strides.remote_bytes, size});
  }
}

void GpuStaging::get_strided(void* to, PeMemory from, Strides strides) {
  auto const size  = strides.element_bytes;
  auto* const data = static_cast<std::byte*>(to);
  if (size > most_of_element) {
    for (std::size_t i = 0; i < strides.count; ++i) {
      get(data + i * strides.local_bytes, from.moved(i * strides.remote_bytes),
          size, Until::is_safe);
    }
    return;
  }
  if (!m_provider.is_on_gpu(to)) {
    m_transport.get_strided(to, from, strides);
    return;
  }
  std::lock_guard const lock(m_mutex);
  auto const at_once = half / size;
  for (std::size_t first = 0; first < strides.count; first += at_once) {
    auto const count = std::min(strides.count - first, at_once);
    m_transport.get_strided(half_of(0),
                            from.moved(first * strides.remote_bytes),
                            {size, count, strides.remote_bytes, size});
    m_queue.begin_copy(
        {reinterpret_cast<char*>(data + first * strides.local_bytes),
         reinterpret_cast<char const*>(half_of(0)), strides.local_bytes, size,
         size, count});
    m_queue.finish();
  }
}

}  // namespace symm::Impl
