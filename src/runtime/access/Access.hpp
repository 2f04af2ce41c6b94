// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_ACCESS_ACCESS_HPP
#define SYMM_ACCESS_ACCESS_HPP

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "../base/Function.hpp"
#include "../base/KernelText.hpp"
#include "../base/Types.hpp"
#include "../memory/HeapMap.hpp"
#include "../memory/PeMemory.hpp"

namespace symm::Impl {

class SymmetricHeap;

// Functions that locate the object that an operation accesses. All take a
// symmetric address: the object's address in this PE's part of a heap, which
// identifies the copies on all PEs. Functions for kernels also take the
// HeapMap.

/// Returns the heap that contains the symmetric address `address`, for a host
/// operation on `bytes` bytes at that address on PE `pe`. Local, and callable
/// from any thread, even while another thread is in a collective call.
/// \throws UsageError on this PE, naming `call`, if there is no PE `pe`, or if
///         the bytes are not in this PE's part of a heap. Null, private memory,
///         a peer's part, and unmapped memory are not in this PE's part.
SymmetricHeap& heap_to_access(void const* address, std::size_t bytes, Pe pe,
                              char const* call);

/// Returns the location of PE `pe`'s copy of the `bytes` bytes at the symmetric
/// address `address`. Each operation calls this function only once.
/// \throws UsageError on this PE like heap_to_access().
[[nodiscard]] PeMemory resolve(void const* address, std::size_t bytes, Pe pe,
                               char const* call);

/// The result of resolve_copy(). It fits in two registers, because some
/// operations are only a few instructions long.
struct ResolvedCopy {
  void* words;  // the copy's address; null if loads and stores cannot reach it
  SymmetricHeap const* heap;
};
[[nodiscard]] ResolvedCopy resolve_copy(void const* address, std::size_t bytes,
                                        Pe pe, char const* call);
/// Converts a ResolvedCopy to the PeMemory that resolve() would return.
[[nodiscard]] PeMemory memory_of(ResolvedCopy found, void const* address,
                                 Pe pe);

/// Like resolve(), but for operations that GPU copies cannot perform and that
/// therefore require loads and stores, or messages.
/// \throws UsageError on this PE also if the memory is on a near PE's GPU.
[[nodiscard]] PeMemory resolve_words(void const* address, std::size_t bytes,
                                     Pe pe, char const* call);
[[noreturn]] void throw_not_reached(void const* address, char const* call);
/// \throws UsageError on this PE if `there` is in GPU memory, which the host
///         cannot reach with loads and stores.
inline void check_words(PeMemory there, void const* address, char const* call) {
  if (there.path == AccessPath::gpu) [[unlikely]] {
    throw_not_reached(address, call);
  }
}

[[noreturn]] void throw_misaligned(void const* address, std::size_t alignment,
                                   char const* call);
/// Checks the address of an object that PEs access atomically.
/// \throws UsageError on this PE if `address` is not a multiple of `alignment`,
///         which must be a power of two.
inline void check_aligned(void const* address, std::size_t alignment,
                          char const* call) {
  if ((reinterpret_cast<std::size_t>(address) & (alignment - 1)) != 0)
      [[unlikely]] {
    throw_misaligned(address, alignment, call);
  }
}

/// Checks the address of an operation's buffer on this PE.
/// \throws UsageError on this PE if `address` is null.
void check_private(void const* address, char const* call);

/// Like resolve(), but for a far PE and an address that is known to be in
/// `heap`.
/// \throws UsageError on this PE if there is no PE `pe`.
[[nodiscard]] PeMemory resolve_part(HeapMap const& heap, void const* address,
                                    Pe pe, char const* call);

/// Like resolve_part(), but does not check `pe`. The preconditions are the same
/// as for expect_access().
[[nodiscard, gnu::cold]] PeMemory resolve_far(HeapMap const& heap,
                                              void const* address, Pe pe);

/// If an operation's arguments are invalid, aborts with a message that names
/// the PE and the address. The arguments are also invalid if `heap` is the map
/// of a heap that does not contain the address. Does nothing without
/// SYMM_CHECKS_IN_KERNELS.
/// \param alignment required alignment of `address` in bytes; 1 if any
///        alignment is allowed.
SYMM_INLINE_FUNCTION void expect_access(
    [[maybe_unused]] HeapMap const& heap, [[maybe_unused]] void const* address,
    [[maybe_unused]] std::size_t bytes, [[maybe_unused]] Pe pe,
    [[maybe_unused]] char const* call,
    [[maybe_unused]] std::size_t alignment = 1) {
#ifdef SYMM_CHECKS_IN_KERNELS
  bool const is_pe = 0 <= pe && pe < heap.n_pes;
  bool const is_inside =
      heap.contains(address) && bytes <= heap.stride - heap.offset_of(address);
  bool const is_aligned =
      (reinterpret_cast<std::size_t>(address) & (alignment - 1)) == 0;
  if (is_pe && is_inside && is_aligned) return;
  KernelText text;
  text << call << ": PE " << heap.my_pe << ": " << bytes << " bytes at "
       << address << " on PE " << pe << ": "
       << (!is_pe       ? "the PE does not exist"
           : !is_inside ? "not in this PE's part of the symmetric heap whose "
                          "map was passed; pass symm::heap_map(view) of the "
                          "View that contains them"
                        : "not aligned to their size, as words that PEs share "
                          "must be");
  text.abort();
#endif
}

}  // namespace symm::Impl

#endif
