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

// How the operations find their objects. All take symmetric addresses: that of
// the object in this PE's part of a heap names the copies of all PEs. In
// kernels they also take the HeapMap, first or after the group of threads.

/// The heap of the symmetric address `address`, for an operation of the host on
/// `bytes` from there on PE `pe`. Local; any thread, also while another one is
/// in a collective call.
/// \throws UsageError on this PE, with `call`, if the bytes are not in a heap
///         (null, private memory, a peer's part, beyond its memory) or there is
///         no such PE.
SymmetricHeap& heap_to_access(void const* address, std::size_t bytes, Pe pe,
                              char const* call);

/// PE `pe`'s copy of the `bytes` at the symmetric address `address`, if
/// heap_to_access() finds them. The one look-up of an operation.
[[nodiscard]] PeMemory resolve(void const* address, std::size_t bytes, Pe pe,
                               char const* call);

/// The same in two registers, for operations of few instructions.
struct ResolvedCopy {
  void* words;  // its address, if loads and stores reach it; else null
  SymmetricHeap const* heap;
};
[[nodiscard]] ResolvedCopy resolve_copy(void const* address, std::size_t bytes,
                                        Pe pe, char const* call);
/// The same memory as resolve() returns.
[[nodiscard]] PeMemory memory_of(ResolvedCopy found, void const* address,
                                 Pe pe);

/// resolve() for operations that take loads and stores, or messages.
/// \throws UsageError, too, if the memory is that of a near PE's GPU.
[[nodiscard]] PeMemory resolve_words(void const* address, std::size_t bytes,
                                     Pe pe, char const* call);
[[noreturn]] void throw_not_reached(void const* address, char const* call);
/// \throws UsageError on this PE, if it is.
inline void check_words(PeMemory its, void const* address, char const* call) {
  if (its.path == AccessPath::gpu) [[unlikely]] {
    throw_not_reached(address, call);
  }
}

[[noreturn]] void throw_misaligned(void const* address, std::size_t alignment,
                                   char const* call);
/// For objects that PEs load, store or change in one step.
/// \throws UsageError on this PE, if `address` is no multiple of `alignment`, a
///         power of two.
inline void check_aligned(void const* address, std::size_t alignment,
                          char const* call) {
  if ((reinterpret_cast<std::size_t>(address) & (alignment - 1)) != 0)
      [[unlikely]] {
    throw_misaligned(address, alignment, call);
  }
}

/// \throws UsageError on this PE, if `address`, of this PE's side of an
///         operation, is null.
void check_private(void const* address, char const* call);

/// The same of a far PE, for memory whose heap is known.
/// \throws UsageError on this PE, if there is no such PE.
[[nodiscard]] PeMemory resolve_part(HeapMap const& heap, void const* address,
                                    Pe pe, char const* call);

/// The same without the check. Preconditions are those of expect_access().
[[nodiscard, gnu::cold]] PeMemory resolve_far(HeapMap const& heap,
                                              void const* address, Pe pe);

/// In a kernel: stops the program, with PE and address, if an operation cannot
/// work; also if `heap` is the map of another heap than that of the address.
/// Only where preconditions are checked (SYMM_CHECKS_IN_KERNELS).
/// \param alignment of the address; 1: any.
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
       << (!is_pe       ? "there is no such PE"
           : !is_inside ? "not in this PE's part of the symmetric heap whose "
                          "map was passed: pass symm::heap_map(view) of the "
                          "View that has them"
                        : "no multiple of the alignment: words that PEs share "
                          "are aligned to their size");
  text.abort();
#endif
}

}  // namespace symm::Impl

#endif
