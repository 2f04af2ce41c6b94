// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#include "Access.hpp"
#include "../base/PeNumbers.hpp"

#include "../base/Text.hpp"
#include "../heap/SymmetricHeap.hpp"
#include "../job/Runtime.hpp"
#include "../symm_errors.hpp"

namespace symm::Impl {

namespace {

// Errors are thrown out of line to keep the success paths short.

[[noreturn, gnu::noinline]] void throw_not_in_heap(void const* address,
                                                   std::size_t bytes,
                                                   char const* call) {
  throw UsageError(Text(call, ": ", bytes, " bytes at ", address,
                        " are not in this PE's part of the symmetric heap; "
                        "pass the address of this PE's copy and the number of "
                        "the PE to access"));
}

/// heap_to_access(), inlined into its callers below. A function call would add
/// a tenth to the time of a one-word put.
[[gnu::always_inline]] inline SymmetricHeap& find_heap(void const* address,
                                                       std::size_t bytes, Pe pe,
                                                       char const* call) {
  auto& heap      = Runtime::heap_of(address, call);
  int const n_pes = heap.map().n_pes;
  if (static_cast<unsigned>(pe) >= static_cast<unsigned>(n_pes)) {
    throw_no_pe(pe, n_pes, call);
  }
  if (!heap.is_mapped(address, bytes)) throw_not_in_heap(address, bytes, call);
  return heap;
}

constexpr Segment segment_of(MemoryKind kind) {
  return kind == MemoryKind::host ? Segment::host_heap : Segment::device_heap;
}

[[gnu::always_inline]] inline PeMemory resolve_in(SymmetricHeap const& heap,
                                                  void const* address, Pe pe) {
  auto const& map = heap.map();
  if (!map.is_near(pe)) [[unlikely]] {
    return {pe, segment_of(heap.memory()), map.offset_of(address)};
  }
  return PeMemory::at(pe, segment_of(heap.memory()), map.peer_ptr(address, pe));
}

[[noreturn, gnu::noinline]] void throw_null(char const* call) {
  throw UsageError(Text(call, ": the local address of the copy is null"));
}

}  // namespace

void throw_not_reached(void const* address, char const* call) {
  throw UsageError(Text(call, ": ", address,
                        " is in GPU memory, which the host cannot load or "
                        "store; make this call in a kernel, or use "
                        "SymmetricHostSpace"));
}

void throw_misaligned(void const* address, std::size_t alignment,
                      char const* call) {
  throw UsageError(Text(call, ": ", address, " is not a multiple of ",
                        alignment,
                        "; pass an aligned address, because PEs access words "
                        "atomically"));
}

SymmetricHeap& heap_to_access(void const* address, std::size_t bytes, Pe pe,
                              char const* call) {
  return find_heap(address, bytes, pe, call);
}

PeMemory resolve(void const* address, std::size_t bytes, Pe pe,
                 char const* call) {
  return resolve_in(find_heap(address, bytes, pe, call), address, pe);
}

ResolvedCopy resolve_copy(void const* address, std::size_t bytes, Pe pe,
                          char const* call) {
  auto const& heap    = find_heap(address, bytes, pe, call);
  auto const& map     = heap.map();
  bool const by_words = map.is_near(pe) && heap.memory() == MemoryKind::host;
  return {by_words ? const_cast<void*>(map.peer_ptr(address, pe)) : nullptr,
          &heap};
}

PeMemory memory_of(ResolvedCopy found, void const* address, Pe pe) {
  return resolve_in(*found.heap, address, pe);
}

PeMemory resolve_words(void const* address, std::size_t bytes, Pe pe,
                       char const* call) {
  auto const there = resolve(address, bytes, pe, call);
  check_words(there, address, call);
  return there;
}

void check_private(void const* address, char const* call) {
  if (address == nullptr) throw_null(call);
}

PeMemory resolve_part(HeapMap const& heap, void const* address, Pe pe,
                      char const* call) {
  expect_pe(pe, heap.n_pes, call);
  return resolve_far(heap, address, pe);
}

PeMemory resolve_far(HeapMap const& heap, void const* address, Pe pe) {
  auto const* const on_gpus =
      Runtime::is_initialized()
          ? Runtime::instance("symm").find_heap(MemoryKind::device)
          : nullptr;
  bool const is_on_gpu = on_gpus != nullptr && on_gpus->map().base == heap.base;
  return {pe, is_on_gpu ? Segment::device_heap : Segment::host_heap,
          heap.offset_of(address)};
}

}  // namespace symm::Impl
