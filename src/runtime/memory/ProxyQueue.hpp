// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_MEMORY_PROXYQUEUE_HPP
#define SYMM_MEMORY_PROXYQUEUE_HPP

#include <cstddef>
#include <cstdint>

#include "AtomicOp.hpp"

namespace symm::Impl::check {
class Shadow;
}

namespace symm::Impl {

struct AtomicBoard;

// Kernels ask the host to perform operations on far PEs (ProxyServer). Kernels
// and the host communicate through three rings in page-locked host memory:
// requests, replies, and updates. An update is a word store, an atomic
// operation without a result, or a fence.
//
// The host reads each ring in ticket order. It performs a request after all
// updates whose tickets were drawn before the request was made, and a fence
// after all requests whose tickets were drawn before the fence. Therefore, all
// operations that a thread issues after a fence or a reply are ordered after
// all of that thread's earlier operations.

enum class FarOp : std::uint8_t {
  load,         // up to 8 bytes, returned in the reply
  put,          // a contiguous block
  get,          //
  put_strided,  //
  get_strided,  //
  put_signal,   //
  atomic,       // the reply contains the word's old value
  quiet         //
};

/// One GPU thread's request: eight words, without padding.
struct alignas(64) FarRequest {
  std::uint64_t address;  // symmetric address in this PE's part
  std::uint64_t local;    // address of this PE's buffer, or a value
  std::uint64_t count;    // number of bytes or elements, or a value to compare
  std::uint64_t signal;   // the signal's address, or the remote stride in bytes
  std::uint64_t value;    // the signal's value, or the local stride in bytes
  /// Lower half: PE. Upper half: bytes per element or word.
  std::uint64_t pe_and_bytes;
  /// Lower half: FarCode::bits(). Upper half: the lower 32 bits of the next
  /// update's ticket.
  std::uint64_t code;
  /// The request's number, counted from 1. The thread writes this word last,
  /// and clears it to 0 after it has read the reply.
  std::uint64_t number;
};
static_assert(sizeof(FarRequest) == 64);

/// The kind of a request, encoded in the lower 32 bits of a word.
struct FarCode {
  FarOp op;
  WordOp word;  // the operation on the word, or on the signal
  bool wants_reply;

  [[nodiscard]] SYMM_FUNCTION std::uint64_t bits() const {
    return static_cast<std::uint64_t>(op) | std::uint64_t{word.code()} << 8U |
           std::uint64_t{wants_reply ? 1U : 0U} << 24U;
  }
  [[nodiscard]] static FarCode of(std::uint64_t bits) {
    return {static_cast<FarOp>(bits & 0xffU), WordOp::of(bits >> 8U & 0xffU),
            (bits >> 24U & 1U) != 0};
  }
};

/// The reply to a request. `number` is the request's number, which the host
/// writes last.
struct alignas(16) FarReply {
  std::uint64_t value;
  std::uint64_t number;
};

/// A ring's tickets. A thread draws one ticket for each entry that it writes. A
/// ticket has a slot in the ring if the ticket is less than `*freed + size`.
struct RingTickets {
  std::uint64_t const* freed;  // in host memory: lower tickets are done
  std::uint64_t next;
  std::uint64_t limit;  // a copy of *freed + size, possibly outdated
};

/// The kernel side of the three rings. This object is in GPU memory.
struct ProxyQueue {
  static constexpr std::uint64_t size = 4096;

  FarRequest* requests;    // in host memory
  FarReply* replies;       // in host memory
  std::uint64_t* updates;  // in host memory: UpdateWords
  AtomicBoard* board;      // for threads that wait for far PEs
  alignas(64) RingTickets tickets;
  alignas(64) RingTickets update_tickets;
};

/// A module of kernels (one source file, compiled for GPUs). Each module stores
/// its own pointers to the ProxyQueue and to the race detector's Shadow.
/// Therefore, these pointers need not be passed to kernels, or to fence() and
/// quiet() in kernels.
struct KernelModule {
  /// Both functions throw SystemError.
  void (*set_ring)(ProxyQueue* ring);
  void (*set_shadow)(check::Shadow* shadow);
  KernelModule* next = nullptr;
};

/// Any thread may call these two functions, even before and after main(). A
/// module that is added later, for example by dlopen(), receives the current
/// ring.
void add_kernel_module(KernelModule& module) noexcept;
void remove_kernel_module(KernelModule& module) noexcept;

/// Sets the ring in all modules. \throws SystemError on this PE; some modules
/// may then already have the new ring.
void set_ring_of_kernels(ProxyQueue* ring);
/// Like set_ring_of_kernels(), but for the race detector's shadow.
void set_shadow_of_kernels(check::Shadow* shadow);

}  // namespace symm::Impl

#endif
