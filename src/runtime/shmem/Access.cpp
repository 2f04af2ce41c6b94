// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#include "Access.hpp"

#include "../base/Text.hpp"
#include "../heap/SymmetricHeap.hpp"
#include "../job/Runtime.hpp"
#include "../symm_errors.hpp"

namespace symm::Impl {

namespace {

// What fails is apart from what does not, which has fewer instructions so.

[[noreturn, gnu::noinline]] void throw_no_pe(Pe pe, int n_pes,
                                             char const* call) {
  throw UsageError(
      Text(call, ": there is no PE ", pe, "; PEs are 0 to ", n_pes - 1));
}

[[noreturn, gnu::noinline]] void throw_not_in_heap(void const* address,
                                                   std::size_t bytes,
                                                   char const* call) {
  throw UsageError(Text(call, ": ", bytes, " bytes at ", address,
                        " are not in this PE's part of the symmetric heap: "
                        "pass the address of this PE's copy, and the PE's "
                        "number"));
}

[[noreturn, gnu::noinline]] void throw_not_reached(void const* address,
                                                   char const* call) {
  throw UsageError(Text(call, ": ", address,
                        " is in GPU memory, where the host has no loads and "
                        "stores: call it in a kernel, or use "
                        "SymmetricHostSpace"));
}

/// heap_to_access(), in each of the functions below: a call more is a tenth of
/// a put of one word.
[[gnu::always_inline]] inline SymmetricHeap& find_heap(void const* address,
                                                       std::size_t bytes, Pe pe,
                                                       char const* call) {
  auto& heap      = Runtime::instance(call).heap_of(address);
  int const n_pes = heap.map().n_pes;
  if (pe < 0 || pe >= n_pes) throw_no_pe(pe, n_pes, call);
  if (!heap.is_mapped(address, bytes)) throw_not_in_heap(address, bytes, call);
  return heap;
}

}  // namespace

SymmetricHeap& heap_to_access(void const* address, std::size_t bytes, Pe pe,
                              char const* call) {
  return find_heap(address, bytes, pe, call);
}

Copy<void> copy_to_access(void const* address, std::size_t bytes, Pe pe,
                          char const* call) {
  auto const& heap = find_heap(address, bytes, pe, call);
  auto const& map  = heap.map();
  if (!map.is_near(pe)) [[unlikely]] {
    return {nullptr, Reach::message};
  }
  return {map.peer_ptr(const_cast<void*>(address), pe),
          static_cast<Reach>(heap.memory())};
}

HeapMap const& map_to_access(void const* address, std::size_t bytes, Pe pe,
                             char const* call) {
  auto const& heap = find_heap(address, bytes, pe, call);
  if (heap.memory() == MemoryKind::device && heap.map().is_near(pe)) {
    throw_not_reached(address, call);
  }
  return heap.map();
}

}  // namespace symm::Impl
