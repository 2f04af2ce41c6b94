// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_MEMORY_FARRING_HPP
#define SYMM_MEMORY_FARRING_HPP

#include <cstddef>
#include <cstdint>

namespace symm::Impl {

// How kernels ask for operations on PEs of other nodes, which their processor
// carries out (RingServer): a ring of requests in page-locked memory of the
// host, and one of replies.

enum class FarOp : std::uint8_t {
  store,        // of up to 8 bytes, in `local`
  load,         // likewise, into the reply
  put,          // a block
  get,          //
  put_strided,  //
  get_strided,  //
  put_signal,   //
  atomic,       // what the word was is the reply
  post_atomic,  // no reply
  fence,        //
  quiet         //
};

/// What a thread asks for, of eight words so that nothing is between them.
struct alignas(64) FarRequest {
  std::uint64_t address;  // symmetric, of this PE's part
  std::uint64_t local;    // the address of this PE's side, or a value
  std::uint64_t count;    // bytes of a block, elements, or what to compare with
  std::uint64_t signal;   // its address, or the stride at the PE in bytes
  std::uint64_t value;    // of the signal, or the stride here in bytes
  std::uint64_t pe_and_bytes;  // the PE; above it, bytes of an element or word
  std::uint64_t code;          // FarCode
  /// The number of the request, from 1; 0 when its reply has been read. Written
  /// last.
  std::uint64_t number;
};
static_assert(sizeof(FarRequest) == 64);

/// What kind of request it is, in a word.
struct FarCode {
  FarOp op;
  std::uint8_t atomic_op;
  std::uint8_t word_type;
  bool wants_reply;
};

/// `number` is that of the request, written last.
struct alignas(16) FarReply {
  std::uint64_t value;
  std::uint64_t number;
};

/// In memory of the GPU, for kernels. A thread draws a ticket; the requests
/// with tickets below `*freed + size` have room.
struct FarRing {
  static constexpr std::uint64_t size = 4096;

  FarRequest* requests;        // of the host
  FarReply* replies;           // of the host
  std::uint64_t const* freed;  // of the host: all below are free again
  std::uint64_t ticket;        // the next
  std::uint64_t limit;         // what is known of *freed + size
};

/// A module of kernels (a source, compiled for GPUs) that has a pointer to the
/// ring: kernels find it without an argument, fence() and quiet() among them.
struct KernelModule {
  /// \throws SystemError.
  void (*set_ring)(FarRing* ring);
  KernelModule* next = nullptr;
};

/// Any thread, from constructors and destructors of objects of the program,
/// too. A module that comes later, as with dlopen(), gets the ring that there
/// is.
void add_kernel_module(KernelModule& module) noexcept;
void remove_kernel_module(KernelModule& module) noexcept;

/// All modules get it. \throws SystemError on this PE; some may have it then.
void set_ring_of_kernels(FarRing* ring);

}  // namespace symm::Impl

#endif
