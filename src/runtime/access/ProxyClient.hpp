// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_ACCESS_PROXYCLIENT_HPP
#define SYMM_ACCESS_PROXYCLIENT_HPP

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include <symm_gpu/KernelAbort.hpp>
#include <symm_gpu/ProxyOfModule.hpp>

#include "../base/Address.hpp"
#include "../base/Function.hpp"
#include "../base/Types.hpp"
#include "../groups/Group.hpp"
#include "../memory/AtomicOp.hpp"
#include "../memory/ProxyQueue.hpp"
#include "../memory/UpdateLog.hpp"
#include "../memory/WordAtomics.hpp"
#include "../memory/Words.hpp"
#include "Elements.hpp"
#include "ProxyUpdates.hpp"

// Kernels' operations on far PEs. They are out of line so that they add only
// one comparison to an operation on a near PE.

namespace symm::Impl {

/// A request's ticket, and the ticket of the next update. The update's ticket
/// number is read just before the request's ticket is drawn.
struct RequestTicket {
  std::uint64_t number;
  std::uint64_t next_update;
};

/// Draws a request's ticket. Called by one thread; waits while the ring is
/// full. (A separate function, because the arguments of write_request() would
/// otherwise occupy registers during the wait.)
template <class Ring>
[[gnu::noinline]] SYMM_FUNCTION RequestTicket draw_request(Ring* ring) {
  expect_ring(ring);
  auto const next_update = load_relaxed(&ring->update_tickets.next);
  auto const ticket = fetch_add_word(&ring->tickets.next, std::uint64_t{1});
  wait_for_ring(ring, ring->tickets, ticket, Ring::size);
  return {ticket, next_update};
}

/// Writes a request. When the ProxyServer reads the request, it sees all stores
/// that this thread has made or seen.
template <class Ring>
[[gnu::noinline]] SYMM_FUNCTION void write_request(
    Ring* ring, RequestTicket ticket, std::uint64_t address,
    std::uint64_t local, std::uint64_t count, std::uint64_t signal,
    std::uint64_t value, std::uint64_t pe_and_bytes, std::uint64_t code) {
  FarRequest* const request = ring->requests + ticket.number % Ring::size;
  store_relaxed(&request->address, address);
  store_relaxed(&request->local, local);
  store_relaxed(&request->count, count);
  store_relaxed(&request->signal, signal);
  store_relaxed(&request->value, value);
  store_relaxed(&request->pe_and_bytes, pe_and_bytes);
  store_relaxed(&request->code, code | ticket.next_update << 32U);
  store_release(&request->number, ticket.number + 1);
}

/// Waits for the reply to a request, and frees the request's slot. On return,
/// this thread sees the ProxyServer's stores for the request.
template <class Ring>
[[gnu::noinline]] SYMM_FUNCTION std::uint64_t take_reply(Ring* ring,
                                                         std::uint64_t ticket) {
  FarReply const* const reply = ring->replies + ticket % Ring::size;
  while (load_relaxed(&reply->number) != ticket + 1) help_or_pause(ring);
  fence_words();
  auto const value = load_relaxed(&reply->value);
  store_release(&ring->requests[ticket % Ring::size].number, std::uint64_t{0});
  return value;
}

/// One kernel thread's operations on far PEs. If `waits` is true, an operation
/// on a block returns when it is locally complete: a put's buffer may be
/// reused, and a get's data has arrived.
class ProxyClient {
 public:
  /// An object's address in this PE's part of the heap, and the target PE.
  struct PeAddress {
    void const* address;
    Pe pe;
  };

  SYMM_FUNCTION explicit ProxyClient(ProxyQueue* ring) : m_ring(ring) {}

  /// Stores the low-order `bytes` bytes of `bits`.
  /// \param bytes 1 to 8.
  SYMM_FUNCTION void store(PeAddress to, std::uint64_t bits,
                           std::size_t bytes) const {
    post_update(m_ring, number_of(to.address), bits, to.pe,
                Update::kind_of_store(bytes));
  }
  [[nodiscard]] SYMM_FUNCTION std::uint64_t load(PeAddress from,
                                                 std::size_t bytes) const {
    return ask(FarOp::load, from, 0, 0, 0, 0, bytes);
  }
  SYMM_FUNCTION void put(PeAddress to, void const* from, std::size_t bytes,
                         bool waits) const {
    run(waits, FarOp::put, to, number_of(from), bytes, 0, 0, 0);
  }
  SYMM_FUNCTION void get(void* to, PeAddress from, std::size_t bytes,
                         bool waits) const {
    run(waits, FarOp::get, from, number_of(to), bytes, 0, 0, 0);
  }
  /// Strides are in bytes. Returns when the copy is locally complete.
  SYMM_FUNCTION void copy_strided(bool is_put, PeAddress there,
                                  void const* local, std::size_t element_bytes,
                                  std::size_t count, std::size_t there_stride,
                                  std::size_t local_stride) const {
    ask(is_put ? FarOp::put_strided : FarOp::get_strided, there,
        number_of(local), count, there_stride, local_stride, element_bytes);
  }
  SYMM_FUNCTION void put_signal(PeAddress to, void const* from,
                                std::size_t bytes, void const* signal,
                                std::uint64_t value, AtomicOp op,
                                bool waits) const {
    run(waits && bytes != 0, FarOp::put_signal, to, number_of(from), bytes,
        number_of(signal), value, 0, op);
  }
  [[nodiscard]] SYMM_FUNCTION std::uint64_t atomic(
      PeAddress at, AtomicOp op, WordType type, std::uint64_t value,
      std::uint64_t compare) const {
    return ask(FarOp::atomic, at, value, compare, 0, 0, 0, op, type);
  }
  SYMM_FUNCTION void post_atomic(PeAddress at, AtomicOp op, WordType type,
                                 std::uint64_t value) const {
    post_update(m_ring, number_of(at.address), value, at.pe,
                WordOp{op, type}.code());
  }
  SYMM_FUNCTION void fence() const { post_fence(m_ring); }
  SYMM_FUNCTION void quiet() const {
    ask(FarOp::quiet, {nullptr, 0}, 0, 0, 0, 0, 0);
  }

 private:
  SYMM_FUNCTION static std::uint64_t number_of(void const* address) {
    return reinterpret_cast<std::uint64_t>(address);
  }
  SYMM_FUNCTION std::uint64_t post(FarOp op, PeAddress there,
                                   std::uint64_t local, std::uint64_t count,
                                   std::uint64_t signal, std::uint64_t value,
                                   std::size_t bytes, AtomicOp atomic_op = {},
                                   WordType type    = {},
                                   bool wants_reply = false) const {
    auto const ticket = draw_request(m_ring);
    write_request(m_ring, ticket, number_of(there.address), local, count,
                  signal, value,
                  static_cast<std::uint64_t>(bytes) << 32U |
                      static_cast<std::uint32_t>(there.pe),
                  FarCode{op, {atomic_op, type}, wants_reply}.bits());
    return ticket.number;
  }
  SYMM_FUNCTION std::uint64_t ask(FarOp op, PeAddress there,
                                  std::uint64_t local, std::uint64_t count,
                                  std::uint64_t signal, std::uint64_t value,
                                  std::size_t bytes, AtomicOp atomic_op = {},
                                  WordType type = {}) const {
    return take_reply(m_ring, post(op, there, local, count, signal, value,
                                   bytes, atomic_op, type, true));
  }
  SYMM_FUNCTION void run(bool waits, FarOp op, PeAddress there,
                         std::uint64_t local, std::uint64_t count,
                         std::uint64_t signal, std::uint64_t value,
                         std::size_t bytes, AtomicOp atomic_op = {}) const {
    auto const ticket = post(op, there, local, count, signal, value, bytes,
                             atomic_op, {}, waits);
    if (waits) take_reply(m_ring, ticket);
  }

  ProxyQueue* m_ring;
};

#ifdef SYMM_FOR_DEVICE

namespace InKernel {

[[nodiscard]] inline __device__ ProxyClient far_pes() {
  return ProxyClient(ring_of_module);
}

// fence() and quiet() for far PEs, which do nothing in a job without far PEs.

inline __device__ void fence_far() {
  if (ring_of_module != nullptr) [[unlikely]] {
    far_pes().fence();
  }
}
inline __device__ void quiet_far() {
  if (ring_of_module != nullptr) [[unlikely]] {
    far_pes().quiet();
  }
}

/// Performs some of the incoming atomic operations if the host has offered a
/// batch. Called in kernels' wait loops.
inline __device__ void help_far() {
  if (ring_of_module != nullptr) [[unlikely]] {
    take_part(ring_of_module->board);
  }
}

/// Packs at most 8 bytes into a word.
[[nodiscard]] inline __device__ std::uint64_t bits_at(void const* address,
                                                      std::size_t bytes) {
  std::uint64_t bits     = 0;
  auto const* const data = static_cast<unsigned char const*>(address);
  for (std::size_t i = 0; i < bytes; ++i) {
    bits |= static_cast<std::uint64_t>(data[i]) << 8U * i;
  }
  return bits;
}
inline __device__ void set_bits_at(void* address, std::uint64_t bits,
                                   std::size_t bytes) {
  auto* const data = static_cast<unsigned char*>(address);
  for (std::size_t i = 0; i < bytes; ++i) {
    data[i] = static_cast<unsigned char>(bits >> 8U * i);
  }
}

/// Whether a block is transferred in separate operations of at most 8 bytes
/// each. This is the case if the block is small, or if the host cannot access
/// it (local or shared memory).
inline __device__ bool goes_by_words(void const* local, std::size_t bytes) {
  return bytes <= 8 || !is_global(local);
}
[[nodiscard]] inline __device__ std::size_t bytes_of_word(std::size_t i,
                                                          std::size_t bytes) {
  return bytes - 8 * i < 8 ? bytes - 8 * i : 8;
}

template <Group Threads>
__device__ void put_words(Threads const& group, void const* dest,
                          void const* source, std::size_t bytes, Pe pe) {
  group.for_each((bytes + 7) / 8, [&](std::size_t i) {
    auto const n = bytes_of_word(i, bytes);
    far_pes().store({moved(dest, 8 * i), pe}, bits_at(moved(source, 8 * i), n),
                    n);
  });
}

// All threads of a group must call these functions, which contain no barrier.

template <Group Threads>
__device__ __noinline__ void put_far(Threads const& group, void const* dest,
                                     void const* source, std::size_t bytes,
                                     Pe pe, bool waits) {
  if (goes_by_words(source, bytes)) {
    put_words(group, dest, source, bytes, pe);
  } else if (group.rank() == 0) {
    far_pes().put({dest, pe}, source, bytes, waits);
  }
}

template <Group Threads>
__device__ __noinline__ void get_far(Threads const& group, void* dest,
                                     void const* source, std::size_t bytes,
                                     Pe pe, bool waits) {
  if (goes_by_words(dest, bytes)) {
    group.for_each((bytes + 7) / 8, [&](std::size_t i) {
      auto const n = bytes_of_word(i, bytes);
      set_bits_at(static_cast<char*>(dest) + 8 * i,
                  far_pes().load({moved(source, 8 * i), pe}, n), n);
    });
  } else if (group.rank() == 0) {
    far_pes().get(dest, {source, pe}, bytes, waits);
  }
}

/// Strides are in bytes.
template <Group Threads>
__device__ __noinline__ void copy_strided_far(Threads const& group, bool is_put,
                                              void const* there, void* local,
                                              std::size_t element_bytes,
                                              std::size_t count,
                                              std::size_t there_stride,
                                              std::size_t local_stride, Pe pe) {
  if (is_global(local)) {
    if (group.rank() == 0) {
      far_pes().copy_strided(is_put, {there, pe}, local, element_bytes, count,
                             there_stride, local_stride);
    }
    return;
  }
  group.for_each(count, [&](std::size_t i) {
    auto const* const far_element = moved(there, i * there_stride);
    auto* const local_element = static_cast<char*>(local) + i * local_stride;
    if (is_put) {
      put_far(OneThread(), far_element, local_element, element_bytes, pe, true);
    } else {
      get_far(OneThread(), local_element, far_element, element_bytes, pe, true);
    }
  });
}

/// All threads of the group must call this function. There is no barrier at its
/// end.
template <Group Threads>
__device__ __noinline__ void put_signal_far(
    Threads const& group, void const* dest, void const* source,
    std::size_t bytes, void const* signal, std::uint64_t value, AtomicOp op,
    Pe pe, bool waits) {
  if (bytes != 0 && !is_global(source)) {
    put_words(group, dest, source, bytes, pe);
    group.barrier();
    bytes = 0;
    // Order the signal after all threads' words.
    if (group.rank() == 0) far_pes().fence();
  }
  if (group.rank() == 0) {
    far_pes().put_signal({dest, pe}, source, bytes, signal, value, op, waits);
  }
}

template <class T>
__device__ void store_far(T* to, T const& value, Pe pe) {
  if constexpr (sizeof(T) <= 8) {
    std::uint64_t bits = 0;
    memcpy(&bits, &value, sizeof value);
    far_pes().store({to, pe}, bits, sizeof value);
  } else {
    put_words(OneThread(), to, &value, sizeof value, pe);
  }
}

template <class T>
[[nodiscard]] __device__ std::remove_const_t<T> load_far(T* from, Pe pe) {
  ElementMemory<std::remove_const_t<T>> memory;
  if constexpr (sizeof(T) <= 8) {
    auto const bits = far_pes().load({from, pe}, sizeof(T));
    memcpy(&memory, &bits, sizeof(T));
  } else {
    get_far(OneThread(), &memory.element, from, sizeof(T), pe, true);
  }
  return memory.element;
}

}  // namespace InKernel

#endif

}  // namespace symm::Impl

#endif
