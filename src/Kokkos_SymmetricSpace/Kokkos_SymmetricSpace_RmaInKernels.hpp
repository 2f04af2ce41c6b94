// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef KOKKOS_SYMMETRICSPACE_RMAINKERNELS_HPP
#define KOKKOS_SYMMETRICSPACE_RMAINKERNELS_HPP

#include <cstddef>
#include <type_traits>

#include <Kokkos_Core.hpp>
#include <Kokkos_SymmetricSpace_Access.hpp>
#include <Kokkos_SymmetricSpace_Copy.hpp>
#include <Kokkos_SymmetricSpace_Rma.hpp>
#include <Kokkos_SymmetricSpace_RmaStrided.hpp>

#include "../runtime/base/Types.hpp"
#include "../runtime/memory/HeapMap.hpp"

// Remote memory access in kernels, by one thread or a group of threads;
// Kokkos_SymmetricSpace_Rma.hpp says what all forms have in common. They are
// callable on the host, too, for memory that it reaches.
//
// `heap` is what heap_map(view) of the host returns, with the View that has the
// symmetric address, or heap_map<Space>(); kernels capture it by value. A map
// of another heap stops the program where preconditions are checked.
//
// A group is a thread team, all of whose threads call (as for team_barrier()),
// or lanes(member), all vector lanes of one thread: with equal arguments.
// Before the call the source must be complete as the group sees it: where the
// team has written it, with a team_barrier() in between. Copies of a group use
// accesses of 16 bytes if both addresses are congruent modulo 16, else as wide
// as they allow.

namespace symm {

/// \tparam alignment of both addresses, at least; `bytes` is a multiple of it.
template <std::size_t alignment, class Group>
KOKKOS_INLINE_FUNCTION void put_bytes(Group const& group, HeapMap const& heap,
                                      void* dest, void const* source,
                                      std::size_t bytes, Pe pe,
                                      char const* call) {
  if (bytes != 0) {
    expect_access(heap, dest, bytes, pe, call);
    copy_bytes<alignment>(group, heap.peer_ptr(dest, pe), source, bytes);
  }
  group.barrier();
}

template <std::size_t alignment, class Group>
KOKKOS_INLINE_FUNCTION void get_bytes(Group const& group, HeapMap const& heap,
                                      void* dest, void const* source,
                                      std::size_t bytes, Pe pe,
                                      char const* call) {
  if (bytes != 0) {
    expect_access(heap, source, bytes, pe, call);
    copy_bytes<alignment>(group, dest, heap.peer_ptr(source, pe), bytes);
  }
  group.barrier();
}

template <class T, class Group>
KOKKOS_INLINE_FUNCTION void put_strided(Group const& group, HeapMap const& heap,
                                        T* dest, T const* source,
                                        std::size_t dest_stride,
                                        std::size_t source_stride,
                                        std::size_t count, Pe pe) {
  check_element<T>();
  KOKKOS_EXPECTS(dest_stride != 0 && source_stride != 0);
  if (count != 0) {
    expect_access(heap, dest, bytes_of(sizeof(T), count, dest_stride), pe,
                  "symm::iput");
    run_strided(group, StridedCopy<T>{heap.peer_ptr(dest, pe), source,
                                      dest_stride, source_stride, count});
  }
  group.barrier();
}

template <class T, class Group>
KOKKOS_INLINE_FUNCTION void get_strided(Group const& group, HeapMap const& heap,
                                        T* dest, T const* source,
                                        std::size_t dest_stride,
                                        std::size_t source_stride,
                                        std::size_t count, Pe pe) {
  check_element<T>();
  KOKKOS_EXPECTS(dest_stride != 0 && source_stride != 0);
  if (count != 0) {
    expect_access(heap, source, bytes_of(sizeof(T), count, source_stride), pe,
                  "symm::iget");
    run_strided(group, StridedCopy<T>{dest, heap.peer_ptr(source, pe),
                                      dest_stride, source_stride, count});
  }
  group.barrier();
}

// One thread.

template <class T>
KOKKOS_INLINE_FUNCTION void put(HeapMap const& heap, T* dest,
                                std::type_identity_t<T> const* source,
                                std::size_t count, Pe pe) {
  check_element<T>();
  put_bytes<alignof(T)>(OneThread(), heap, dest, source,
                        bytes_of(sizeof(T), count), pe, "symm::put");
}

template <class T>
KOKKOS_INLINE_FUNCTION void put_nbi(HeapMap const& heap, T* dest,
                                    std::type_identity_t<T> const* source,
                                    std::size_t count, Pe pe) {
  check_element<T>();
  put_bytes<alignof(T)>(OneThread(), heap, dest, source,
                        bytes_of(sizeof(T), count), pe, "symm::put_nbi");
}

template <class T>
KOKKOS_INLINE_FUNCTION void get(HeapMap const& heap, T* dest,
                                std::type_identity_t<T> const* source,
                                std::size_t count, Pe pe) {
  check_element<T>();
  get_bytes<alignof(T)>(OneThread(), heap, dest, source,
                        bytes_of(sizeof(T), count), pe, "symm::get");
}

template <class T>
KOKKOS_INLINE_FUNCTION void get_nbi(HeapMap const& heap, T* dest,
                                    std::type_identity_t<T> const* source,
                                    std::size_t count, Pe pe) {
  check_element<T>();
  get_bytes<alignof(T)>(OneThread(), heap, dest, source,
                        bytes_of(sizeof(T), count), pe, "symm::get_nbi");
}

KOKKOS_INLINE_FUNCTION void putmem(HeapMap const& heap, void* dest,
                                   void const* source, std::size_t bytes,
                                   Pe pe) {
  put_bytes<1>(OneThread(), heap, dest, source, bytes, pe, "symm::putmem");
}

KOKKOS_INLINE_FUNCTION void putmem_nbi(HeapMap const& heap, void* dest,
                                       void const* source, std::size_t bytes,
                                       Pe pe) {
  put_bytes<1>(OneThread(), heap, dest, source, bytes, pe, "symm::putmem_nbi");
}

KOKKOS_INLINE_FUNCTION void getmem(HeapMap const& heap, void* dest,
                                   void const* source, std::size_t bytes,
                                   Pe pe) {
  get_bytes<1>(OneThread(), heap, dest, source, bytes, pe, "symm::getmem");
}

KOKKOS_INLINE_FUNCTION void getmem_nbi(HeapMap const& heap, void* dest,
                                       void const* source, std::size_t bytes,
                                       Pe pe) {
  get_bytes<1>(OneThread(), heap, dest, source, bytes, pe, "symm::getmem_nbi");
}

template <class T>
KOKKOS_INLINE_FUNCTION void iput(HeapMap const& heap, T* dest,
                                 std::type_identity_t<T> const* source,
                                 std::size_t dest_stride,
                                 std::size_t source_stride, std::size_t count,
                                 Pe pe) {
  put_strided<T>(OneThread(), heap, dest, source, dest_stride, source_stride,
                 count, pe);
}

template <class T>
KOKKOS_INLINE_FUNCTION void iget(HeapMap const& heap, T* dest,
                                 std::type_identity_t<T> const* source,
                                 std::size_t dest_stride,
                                 std::size_t source_stride, std::size_t count,
                                 Pe pe) {
  get_strided<T>(OneThread(), heap, dest, source, dest_stride, source_stride,
                 count, pe);
}

/// One element: of 4 or 8 bytes by a single store.
template <class T>
KOKKOS_INLINE_FUNCTION void p(HeapMap const& heap, T* dest,
                              std::type_identity_t<T> const& value, Pe pe) {
  check_element<T>();
  expect_access(heap, dest, sizeof(T), pe, "symm::p");
  store_element(heap.peer_ptr(dest, pe), value);
}

/// One element: of 4 or 8 bytes by a single load, which no cache answers.
template <class T>
[[nodiscard]] KOKKOS_INLINE_FUNCTION std::remove_const_t<T> g(
    HeapMap const& heap, T* source, Pe pe) {
  check_element<T>();
  expect_access(heap, source, sizeof(T), pe, "symm::g");
  return load_element<std::remove_const_t<T>>(heap.peer_ptr(source, pe));
}

// A group of threads.

template <ThreadGroup Group, class T>
KOKKOS_INLINE_FUNCTION void put(Group const& group, HeapMap const& heap,
                                T* dest, std::type_identity_t<T> const* source,
                                std::size_t count, Pe pe) {
  check_element<T>();
  put_bytes<alignof(T)>(group_of(group), heap, dest, source,
                        bytes_of(sizeof(T), count), pe, "symm::put");
}

template <ThreadGroup Group, class T>
KOKKOS_INLINE_FUNCTION void put_nbi(Group const& group, HeapMap const& heap,
                                    T* dest,
                                    std::type_identity_t<T> const* source,
                                    std::size_t count, Pe pe) {
  check_element<T>();
  put_bytes<alignof(T)>(group_of(group), heap, dest, source,
                        bytes_of(sizeof(T), count), pe, "symm::put_nbi");
}

template <ThreadGroup Group, class T>
KOKKOS_INLINE_FUNCTION void get(Group const& group, HeapMap const& heap,
                                T* dest, std::type_identity_t<T> const* source,
                                std::size_t count, Pe pe) {
  check_element<T>();
  get_bytes<alignof(T)>(group_of(group), heap, dest, source,
                        bytes_of(sizeof(T), count), pe, "symm::get");
}

template <ThreadGroup Group, class T>
KOKKOS_INLINE_FUNCTION void get_nbi(Group const& group, HeapMap const& heap,
                                    T* dest,
                                    std::type_identity_t<T> const* source,
                                    std::size_t count, Pe pe) {
  check_element<T>();
  get_bytes<alignof(T)>(group_of(group), heap, dest, source,
                        bytes_of(sizeof(T), count), pe, "symm::get_nbi");
}

template <ThreadGroup Group>
KOKKOS_INLINE_FUNCTION void putmem(Group const& group, HeapMap const& heap,
                                   void* dest, void const* source,
                                   std::size_t bytes, Pe pe) {
  put_bytes<1>(group_of(group), heap, dest, source, bytes, pe, "symm::putmem");
}

template <ThreadGroup Group>
KOKKOS_INLINE_FUNCTION void putmem_nbi(Group const& group, HeapMap const& heap,
                                       void* dest, void const* source,
                                       std::size_t bytes, Pe pe) {
  put_bytes<1>(group_of(group), heap, dest, source, bytes, pe,
               "symm::putmem_nbi");
}

template <ThreadGroup Group>
KOKKOS_INLINE_FUNCTION void getmem(Group const& group, HeapMap const& heap,
                                   void* dest, void const* source,
                                   std::size_t bytes, Pe pe) {
  get_bytes<1>(group_of(group), heap, dest, source, bytes, pe, "symm::getmem");
}

template <ThreadGroup Group>
KOKKOS_INLINE_FUNCTION void getmem_nbi(Group const& group, HeapMap const& heap,
                                       void* dest, void const* source,
                                       std::size_t bytes, Pe pe) {
  get_bytes<1>(group_of(group), heap, dest, source, bytes, pe,
               "symm::getmem_nbi");
}

template <ThreadGroup Group, class T>
KOKKOS_INLINE_FUNCTION void iput(Group const& group, HeapMap const& heap,
                                 T* dest, std::type_identity_t<T> const* source,
                                 std::size_t dest_stride,
                                 std::size_t source_stride, std::size_t count,
                                 Pe pe) {
  put_strided<T>(group_of(group), heap, dest, source, dest_stride,
                 source_stride, count, pe);
}

template <ThreadGroup Group, class T>
KOKKOS_INLINE_FUNCTION void iget(Group const& group, HeapMap const& heap,
                                 T* dest, std::type_identity_t<T> const* source,
                                 std::size_t dest_stride,
                                 std::size_t source_stride, std::size_t count,
                                 Pe pe) {
  get_strided<T>(group_of(group), heap, dest, source, dest_stride,
                 source_stride, count, pe);
}

}  // namespace symm

#endif
