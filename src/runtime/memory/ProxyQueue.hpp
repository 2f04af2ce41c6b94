// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_MEMORY_PROXYQUEUE_HPP
#define SYMM_MEMORY_PROXYQUEUE_HPP

#include <cstddef>
#include <cstdint>

#ifdef SYMM_CHECK
namespace symm::Impl::check {
class Shadow;
}
#endif

namespace symm::Impl {

struct AtomicBoard;

// Kernels request operations on far PEs from the host, which carries them out
// (ProxyServer). One ring of requests and one of replies are in page-locked
// memory of the host, and one of updates: words to be stored, atomic operations
// without a result, and fences.
//
// Each ring is read in the order of its tickets. A request comes behind the
// updates whose tickets were drawn before it was made, and a fence among the
// updates behind the requests whose tickets were drawn before. So what a thread
// does after a fence, or after a reply, comes behind all that it did before.

enum class FarOp : std::uint8_t {
  load,         // up to 8 bytes, into the reply
  put,          // a block
  get,          //
  put_strided,  //
  get_strided,  //
  put_signal,   //
  atomic,       // the reply is the word's value before
  quiet         //
};

/// The request of a thread: eight words, without padding.
struct alignas(64) FarRequest {
  std::uint64_t address;  // symmetric, of this PE's part
  std::uint64_t local;    // the address of this PE's buffer, or a value
  std::uint64_t count;    // bytes of a block, elements, or a value to compare
  std::uint64_t signal;   // its address, or the stride at the PE in bytes
  std::uint64_t value;    // of the signal, or the stride here in bytes
  std::uint64_t pe_and_bytes;  // the PE; above it, bytes of an element or word
  /// FarCode; above it, the lower 32 bits of the ticket that the next update
  /// will get.
  std::uint64_t code;
  /// The number of the request, from 1; 0 when its reply has been read. The
  /// thread writes it last.
  std::uint64_t number;
};
static_assert(sizeof(FarRequest) == 64);

/// The kind of a request, in one word.
struct FarCode {
  FarOp op;
  std::uint8_t atomic_op;
  std::uint8_t word_type;
  bool wants_reply;
};

/// `number` is that of the request; the host writes it last.
struct alignas(16) FarReply {
  std::uint64_t value;
  std::uint64_t number;
};

/// The tickets of a ring. A thread draws one; those below `*freed + size` have
/// room.
struct RingTickets {
  std::uint64_t const* freed;  // in host memory: those below it are done
  std::uint64_t next;
  std::uint64_t limit;  // a copy of *freed + size, perhaps outdated
};

/// In memory of the GPU, for kernels.
struct ProxyQueue {
  static constexpr std::uint64_t size = 4096;

  FarRequest* requests;    // in host memory
  FarReply* replies;       // in host memory
  std::uint64_t* updates;  // in host memory: UpdateWords
  AtomicBoard* board;      // for threads that wait
  alignas(64) RingTickets tickets;
  alignas(64) RingTickets update_tickets;
};

/// A module of kernels (a source, compiled for GPUs) with its own pointer to
/// the ring: kernels, and fence() and quiet() in them, need no argument for it.
struct KernelModule {
  /// \throws SystemError.
  void (*set_ring)(ProxyQueue* ring);
#ifdef SYMM_CHECK
  /// The same for what looks for races (symm_gpu/KernelCheck.hpp).
  void (*set_shadow)(check::Shadow* shadow);
#endif
  KernelModule* next = nullptr;
};

/// On any thread, also before main() and after it. A module that is added
/// later, as by dlopen(), gets the present ring.
void add_kernel_module(KernelModule& module) noexcept;
void remove_kernel_module(KernelModule& module) noexcept;

/// For all modules. \throws SystemError on this PE; some may have it then.
void set_ring_of_kernels(ProxyQueue* ring);
#ifdef SYMM_CHECK
void set_shadow_of_kernels(check::Shadow* shadow);
#endif

}  // namespace symm::Impl

#endif
