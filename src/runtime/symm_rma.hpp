// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_RMA_HPP
#define SYMM_RMA_HPP

#include <cstddef>
#include <type_traits>

#include "base/Function.hpp"
#include "base/Observer.hpp"
#include "base/Types.hpp"
#include "memory/HeapMap.hpp"
#include "shmem/Access.hpp"
#include "shmem/Group.hpp"
#include "shmem/Rma.hpp"
#include "shmem/RmaStrided.hpp"
#include "shmem/ThisBlock.hpp"

// Remote memory access (OpenSHMEM 1.5, 9.5 and 9.6): what is put goes to PE
// `pe`'s copy of the symmetric object `dest`, what is got comes from its copy
// of `source`. The other side is any memory of this PE that the caller reaches:
// private or symmetric.
//
//   who                  first arguments   returns when
//   the host                               it is done
//   one thread           heap              it is done
//   a group of threads   threads, heap     it is done: the group's barrier
//
// A group is symm::this_block() in kernels without Kokkos. (What it is with
// Kokkos says Kokkos_SymmetricSpace_Operations.hpp, which has the forms for
// execution space instances, too.)
//
// All take: elements of a type that is trivially copyable, and their number;
// 0 copies nothing and looks at nothing else. `pe` may be this PE. Dest and
// source must not overlap.
//
// Ordering. "Done" is: `source` may be used again, and a get's data are there.
// Other PEs see what is put after quiet() or barrier_all(), two puts in an
// order after fence(). The _nbi forms may return before that (9.6), and quiet()
// waits for them: those to and from PEs of other nodes do, where `source` must
// stay as it is, and what is got is not there, until then. To PEs of this node
// they are the blocking ones.
//
// What may be polled: everything that OpenSHMEM programs poll. A word of 1, 2,
// 4 or 8 bytes, at a multiple of its size, that another PE puts comes whole and
// once: who has seen it may clear it, and does not see it again. It is one load
// and one store, in no order with the other words of the copy,
//
// - by p and g,
// - on CPUs, in copies of up to 64 bytes, and in iput and iget in each element
//   of up to 64 bytes; if it is aligned on one side only, one access there,
// - by kernels on GPUs, in copies of any size, if it is aligned on both sides,
//   and in iput and iget if it is an element.
//
// It may come in pieces, several times, in larger copies on CPUs (memcpy), and
// where CUDA copies: in the calls of the host for GPU memory, p too, and in
// what is enqueued. Behind those wait for a signal, or
// for a word put after fence(). To look at another PE's word again and again,
// kernels on GPUs use g: what they get may be in a cache.
//
// Errors. The host's forms throw UsageError on this PE if there is no such PE
// or the bytes are not in this PE's part of the symmetric heap (null, private
// memory, a peer's part), SystemError if the copy fails. In kernels the same
// stops the program if the library was built with SYMM_CHECKS_IN_KERNELS, as
// debug builds are.
//
// PEs of other nodes. All forms reach them, and on the host those that take a
// heap map, too: one thread of a group does it. Kernels on GPUs have a thread
// of the host do it (docs/nodes.md). "Done" is then for put that `source` may
// be used again.
//
// GPU memory. The host's forms wait for the kernels of this PE: not a way to
// answer a kernel that waits. For the symmetric heap in host memory, the other
// side is memory that the host reaches.

namespace symm {

// On the host.

/// shmem_put. \param count in elements.
template <class T>
void put(T* dest, std::type_identity_t<T> const* source, std::size_t count,
         Pe pe) {
  Impl::copy_elements<Impl::put_bytes>(dest, source, count, pe, "symm::put");
}

/// shmem_get. \param count in elements.
template <class T>
void get(T* dest, std::type_identity_t<T> const* source, std::size_t count,
         Pe pe) {
  Impl::copy_elements<Impl::get_bytes>(dest, source, count, pe, "symm::get");
}

/// shmem_put_nbi.
template <class T>
void put_nbi(T* dest, std::type_identity_t<T> const* source, std::size_t count,
             Pe pe) {
  Impl::copy_elements<Impl::put_bytes_nbi>(dest, source, count, pe,
                                           "symm::put_nbi");
}

/// shmem_get_nbi.
template <class T>
void get_nbi(T* dest, std::type_identity_t<T> const* source, std::size_t count,
             Pe pe) {
  Impl::copy_elements<Impl::get_bytes_nbi>(dest, source, count, pe,
                                           "symm::get_nbi");
}

/// shmem_putmem, shmem_getmem and their _nbi.
inline void putmem(void* dest, void const* source, std::size_t bytes, Pe pe) {
  Impl::put_bytes(dest, source, bytes, pe, "symm::putmem");
}
inline void getmem(void* dest, void const* source, std::size_t bytes, Pe pe) {
  Impl::get_bytes(dest, source, bytes, pe, "symm::getmem");
}
inline void putmem_nbi(void* dest, void const* source, std::size_t bytes,
                       Pe pe) {
  Impl::put_bytes_nbi(dest, source, bytes, pe, "symm::putmem_nbi");
}
inline void getmem_nbi(void* dest, void const* source, std::size_t bytes,
                       Pe pe) {
  Impl::get_bytes_nbi(dest, source, bytes, pe, "symm::getmem_nbi");
}

/// shmem_iput: element i * source_stride of `source` to element i * dest_stride
/// of `dest`; what is between them is left alone.
/// \param dest_stride, source_stride in elements, at least 1.
/// \param count in elements.
/// \throws UsageError on this PE, also if a stride is 0.
template <class T>
void iput(T* dest, std::type_identity_t<T> const* source,
          std::size_t dest_stride, std::size_t source_stride, std::size_t count,
          Pe pe) {
  Impl::copy_strided(
      Impl::StridedCopy<Impl::Way::put, T>{dest, source, dest_stride,
                                           source_stride, count},
      pe);
}

/// shmem_iget, as iput().
template <class T>
void iget(T* dest, std::type_identity_t<T> const* source,
          std::size_t dest_stride, std::size_t source_stride, std::size_t count,
          Pe pe) {
  Impl::copy_strided(
      Impl::StridedCopy<Impl::Way::get, T>{dest, source, dest_stride,
                                           source_stride, count},
      pe);
}

/// shmem_p: one element; of 1, 2, 4 or 8 bytes by a single store where the host
/// reaches it.
template <class T>
void p(T* dest, std::type_identity_t<T> const& value, Pe pe) {
  Impl::check_element<T>();
  Impl::observe(
      [=] {
        return Impl::Operation{Impl::OperationKind::put, "symm::p", pe,
                               sizeof(T), dest};
      },
      [=, &value] {
        Impl::PeMemory const its =
            Impl::resolve(dest, sizeof(T), pe, "symm::p");
        if (its.reach == Impl::Reach::words) {
          Impl::store_element(its.address<T>(), value);
        } else {
          Impl::put_otherwise(its, &value, sizeof(T), Impl::Until::is_safe,
                              "symm::p");
        }
      });
}

/// shmem_g: one element; of 1, 2, 4 or 8 bytes by a single load where the host
/// reaches it.
template <class T>
[[nodiscard]] std::remove_const_t<T> g(T* source, Pe pe) {
  using Value = std::remove_const_t<T>;
  Impl::check_element<Value>();
  return Impl::observe(
      [=] {
        return Impl::Operation{Impl::OperationKind::get, "symm::g", pe,
                               sizeof(T), source};
      },
      [=]() -> Value {
        Impl::PeMemory const its =
            Impl::resolve(source, sizeof(T), pe, "symm::g");
        if (its.reach == Impl::Reach::words) {
          return Impl::load_element<Value>(its.address<Value const>());
        }
        Value value;
        Impl::get_otherwise(&value, its, sizeof(T), Impl::Until::is_safe,
                            "symm::g");
        return value;
      });
}

// In kernels, and on the host for memory that it reaches.
//
// `heap` is what heap_map() of the host returns for the memory (the Kokkos
// layer: for the View) that has the symmetric address; kernels capture it by
// value. A map of another heap stops the program where preconditions are
// checked.
//
// All threads of a group call, with equal arguments. Before the call the source
// must be complete as the group sees it: where its threads have written it,
// with a barrier of the group in between. Copies of a group use accesses of 16
// bytes if both addresses are congruent modulo 16, else as wide as they allow.

template <Impl::ThreadGroup Threads, class T>
SYMM_INLINE_FUNCTION void put(Threads const& threads, HeapMap const& heap,
                              T* dest, std::type_identity_t<T> const* source,
                              std::size_t count, Pe pe) {
  Impl::copy_elements_of_pe<Impl::Way::put>(threads, heap, dest, source, count,
                                            pe, "symm::put");
}

template <Impl::ThreadGroup Threads, class T>
SYMM_INLINE_FUNCTION void put_nbi(Threads const& threads, HeapMap const& heap,
                                  T* dest,
                                  std::type_identity_t<T> const* source,
                                  std::size_t count, Pe pe) {
  Impl::copy_elements_of_pe<Impl::Way::put>(threads, heap, dest, source, count,
                                            pe, "symm::put_nbi",
                                            Impl::Until::is_begun);
}

template <Impl::ThreadGroup Threads, class T>
SYMM_INLINE_FUNCTION void get(Threads const& threads, HeapMap const& heap,
                              T* dest, std::type_identity_t<T> const* source,
                              std::size_t count, Pe pe) {
  Impl::copy_elements_of_pe<Impl::Way::get>(threads, heap, dest, source, count,
                                            pe, "symm::get");
}

template <Impl::ThreadGroup Threads, class T>
SYMM_INLINE_FUNCTION void get_nbi(Threads const& threads, HeapMap const& heap,
                                  T* dest,
                                  std::type_identity_t<T> const* source,
                                  std::size_t count, Pe pe) {
  Impl::copy_elements_of_pe<Impl::Way::get>(threads, heap, dest, source, count,
                                            pe, "symm::get_nbi",
                                            Impl::Until::is_begun);
}

template <Impl::ThreadGroup Threads>
SYMM_INLINE_FUNCTION void putmem(Threads const& threads, HeapMap const& heap,
                                 void* dest, void const* source,
                                 std::size_t bytes, Pe pe) {
  Impl::copy_elements_of_pe<Impl::Way::put>(
      threads, heap, static_cast<char*>(dest), static_cast<char const*>(source),
      bytes, pe, "symm::putmem");
}

template <Impl::ThreadGroup Threads>
SYMM_INLINE_FUNCTION void putmem_nbi(Threads const& threads,
                                     HeapMap const& heap, void* dest,
                                     void const* source, std::size_t bytes,
                                     Pe pe) {
  Impl::copy_elements_of_pe<Impl::Way::put>(
      threads, heap, static_cast<char*>(dest), static_cast<char const*>(source),
      bytes, pe, "symm::putmem_nbi", Impl::Until::is_begun);
}

template <Impl::ThreadGroup Threads>
SYMM_INLINE_FUNCTION void getmem(Threads const& threads, HeapMap const& heap,
                                 void* dest, void const* source,
                                 std::size_t bytes, Pe pe) {
  Impl::copy_elements_of_pe<Impl::Way::get>(
      threads, heap, static_cast<char*>(dest), static_cast<char const*>(source),
      bytes, pe, "symm::getmem");
}

template <Impl::ThreadGroup Threads>
SYMM_INLINE_FUNCTION void getmem_nbi(Threads const& threads,
                                     HeapMap const& heap, void* dest,
                                     void const* source, std::size_t bytes,
                                     Pe pe) {
  Impl::copy_elements_of_pe<Impl::Way::get>(
      threads, heap, static_cast<char*>(dest), static_cast<char const*>(source),
      bytes, pe, "symm::getmem_nbi", Impl::Until::is_begun);
}

template <Impl::ThreadGroup Threads, class T>
SYMM_INLINE_FUNCTION void iput(Threads const& threads, HeapMap const& heap,
                               T* dest, std::type_identity_t<T> const* source,
                               std::size_t dest_stride,
                               std::size_t source_stride, std::size_t count,
                               Pe pe) {
  Impl::copy_strided(threads, heap,
                     Impl::StridedCopy<Impl::Way::put, T>{
                         dest, source, dest_stride, source_stride, count},
                     pe);
}

template <Impl::ThreadGroup Threads, class T>
SYMM_INLINE_FUNCTION void iget(Threads const& threads, HeapMap const& heap,
                               T* dest, std::type_identity_t<T> const* source,
                               std::size_t dest_stride,
                               std::size_t source_stride, std::size_t count,
                               Pe pe) {
  Impl::copy_strided(threads, heap,
                     Impl::StridedCopy<Impl::Way::get, T>{
                         dest, source, dest_stride, source_stride, count},
                     pe);
}

// One thread: the group of itself.

template <class T>
SYMM_INLINE_FUNCTION void put(HeapMap const& heap, T* dest,
                              std::type_identity_t<T> const* source,
                              std::size_t count, Pe pe) {
  put(Impl::OneThread(), heap, dest, source, count, pe);
}

template <class T>
SYMM_INLINE_FUNCTION void put_nbi(HeapMap const& heap, T* dest,
                                  std::type_identity_t<T> const* source,
                                  std::size_t count, Pe pe) {
  put_nbi(Impl::OneThread(), heap, dest, source, count, pe);
}

template <class T>
SYMM_INLINE_FUNCTION void get(HeapMap const& heap, T* dest,
                              std::type_identity_t<T> const* source,
                              std::size_t count, Pe pe) {
  get(Impl::OneThread(), heap, dest, source, count, pe);
}

template <class T>
SYMM_INLINE_FUNCTION void get_nbi(HeapMap const& heap, T* dest,
                                  std::type_identity_t<T> const* source,
                                  std::size_t count, Pe pe) {
  get_nbi(Impl::OneThread(), heap, dest, source, count, pe);
}

SYMM_INLINE_FUNCTION void putmem(HeapMap const& heap, void* dest,
                                 void const* source, std::size_t bytes, Pe pe) {
  putmem(Impl::OneThread(), heap, dest, source, bytes, pe);
}

SYMM_INLINE_FUNCTION void putmem_nbi(HeapMap const& heap, void* dest,
                                     void const* source, std::size_t bytes,
                                     Pe pe) {
  putmem_nbi(Impl::OneThread(), heap, dest, source, bytes, pe);
}

SYMM_INLINE_FUNCTION void getmem(HeapMap const& heap, void* dest,
                                 void const* source, std::size_t bytes, Pe pe) {
  getmem(Impl::OneThread(), heap, dest, source, bytes, pe);
}

SYMM_INLINE_FUNCTION void getmem_nbi(HeapMap const& heap, void* dest,
                                     void const* source, std::size_t bytes,
                                     Pe pe) {
  getmem_nbi(Impl::OneThread(), heap, dest, source, bytes, pe);
}

template <class T>
SYMM_INLINE_FUNCTION void iput(HeapMap const& heap, T* dest,
                               std::type_identity_t<T> const* source,
                               std::size_t dest_stride,
                               std::size_t source_stride, std::size_t count,
                               Pe pe) {
  iput(Impl::OneThread(), heap, dest, source, dest_stride, source_stride, count,
       pe);
}

template <class T>
SYMM_INLINE_FUNCTION void iget(HeapMap const& heap, T* dest,
                               std::type_identity_t<T> const* source,
                               std::size_t dest_stride,
                               std::size_t source_stride, std::size_t count,
                               Pe pe) {
  iget(Impl::OneThread(), heap, dest, source, dest_stride, source_stride, count,
       pe);
}

/// One element: of 4 or 8 bytes by a single store.
template <class T>
SYMM_INLINE_FUNCTION void p(HeapMap const& heap, T* dest,
                            std::type_identity_t<T> const& value, Pe pe) {
  Impl::check_element<T>();
  Impl::expect_access(heap, dest, sizeof(T), pe, "symm::p");
  if (heap.is_near(pe)) [[likely]] {
    Impl::store_element(heap.peer_ptr(dest, pe), value);
  } else {
    Impl::store_far_element(heap, dest, value, pe);
  }
}

/// One element: of 4 or 8 bytes by a single load, which no cache answers.
template <class T>
[[nodiscard]] SYMM_INLINE_FUNCTION std::remove_const_t<T> g(HeapMap const& heap,
                                                            T* source, Pe pe) {
  using Value = std::remove_const_t<T>;
  Impl::check_element<Value>();
  Impl::expect_access(heap, source, sizeof(T), pe, "symm::g");
  if (heap.is_near(pe)) [[likely]] {
    return Impl::load_element<Value>(heap.peer_ptr(source, pe));
  }
  return Impl::load_far_element(heap, source, pe);
}

}  // namespace symm

#endif
