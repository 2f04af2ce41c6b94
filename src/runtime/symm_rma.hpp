// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_RMA_HPP
#define SYMM_RMA_HPP

#include <cstddef>
#include <type_traits>

#include "access/Access.hpp"
#include "base/Function.hpp"
#include "base/Observer.hpp"
#include "base/Types.hpp"
#include "groups/Group.hpp"
#include "groups/ThisBlock.hpp"
#include "memory/HeapMap.hpp"
#include "one_sided/Rma.hpp"
#include "symm_contexts.hpp"
#include "symm_rma_blocks.hpp"

// Remote memory access (OpenSHMEM 1.5, 9.5 and 9.6). A put writes PE `pe`'s
// copy of the symmetric object `dest`; a get reads PE `pe`'s copy of the
// symmetric object `source`. The other side of the copy can be any of this PE's
// memory, private or symmetric, that the caller can reach.
//
//   caller               first arguments   returns when
//   the host                               the copy is done
//   one thread           heap              the copy is done
//   a group of threads   threads, heap     the copy is done (a group barrier)
//
// In kernels without Kokkos, the group is symm::this_block(). The groups for
// Kokkos, and the forms that take an execution space instance, are in
// Kokkos_SymmetricSpace_Operations.hpp.
//
// The element type of a put or get must be trivially copyable. A put or get
// with a count of 0 copies nothing, and checks neither `pe` nor the addresses.
// `pe` may be this PE. `dest` and `source` must not overlap.
//
// Ordering. "Done" means that `source` may be overwritten, and that a get's
// data has arrived. Other PEs see a put after quiet() or barrier_all(); fence()
// orders two puts. The _nbi forms may return before the copy is done (9.6);
// quiet() waits for it. For a PE on another node, do not change `source` until
// the copy is done; a get's data may be missing until then. For a PE on this
// node, the _nbi forms are the same as the blocking forms.
//
// Polling. If another PE puts a 1-, 2-, 4- or 8-byte word that is aligned to
// its size, the word arrives in one piece and exactly once: a PE that has seen
// the word may clear it and will not see it again. This holds in the following
// cases, where the word is copied with one load and one store. (The order
// relative to other words in the copy is not defined.)
//
// - in p and g,
// - on CPUs, in copies of up to 64 bytes, and in each element of up to 64 bytes
//   in iput and iget; a word that is aligned on one side only is copied with
//   one access on that side,
// - in GPU kernels, in copies of any size if the word is aligned on both sides,
//   and in iput and iget if the word is an element.
//
// In two kinds of copies, a word may arrive in pieces, and more than once: in
// larger copies on CPUs (memcpy), and in copies made by CUDA or HIP. These make
// all enqueued copies, and the copies in the host's calls on GPU memory,
// including p. (Nobody has tested copies on AMD GPUs.) To detect that such a
// copy has arrived, wait for a signal, or for a word put after fence(). A GPU
// kernel that polls another PE's word must use g, because get may read from a
// cache.
//
// Errors. The host's forms throw UsageError on this PE if `pe` is not a valid
// PE number, or if this PE's own address is null. They also throw UsageError if
// the bytes are outside this PE's part of the symmetric heap (null, private
// memory, a peer's part). In addition, p and g throw UsageError if the address
// is not aligned for its type. (put and get move bytes, at any alignment.) The
// host's forms throw SystemError if the copy fails. In kernels, an invalid PE
// or symmetric address aborts the program if the library was built with
// SYMM_CHECKS_IN_KERNELS, as in debug builds.
//
// PEs on other nodes. All forms of put and get reach PEs on other nodes. If the
// host calls a form with a heap map, one thread of the group sends the
// messages. For GPU kernels, a host thread sends them (docs/nodes.md).
//
// GPU memory. The host's forms wait for this PE's kernels, so they cannot
// deliver data to a kernel that is waiting for it. For the symmetric heap in
// host memory, this PE's side must be memory that the host can reach.

namespace symm {

// Forms for the host.

/// Copies `count` elements of `source` to PE `pe`'s copy of `dest` (shmem_put).
template <class T>
void put(T* dest, std::type_identity_t<T> const* source, std::size_t count,
         Pe pe) {
  Impl::copy_on_host<Impl::Direction::put, Impl::Completion::local>(
      "symm::put", dest, source, count, pe);
}

/// Copies `count` elements of PE `pe`'s copy of `source` to `dest` (shmem_get).
template <class T>
void get(T* dest, std::type_identity_t<T> const* source, std::size_t count,
         Pe pe) {
  Impl::copy_on_host<Impl::Direction::get, Impl::Completion::local>(
      "symm::get", dest, source, count, pe);
}

/// Like put(), but may return before the copy is done (shmem_put_nbi).
/// \param request if not null, tracks the operation.
template <class T>
void put_nbi(T* dest, std::type_identity_t<T> const* source, std::size_t count,
             Pe pe, Request* request = nullptr) {
  Impl::copy_on_host_nbi<Impl::Direction::put>("symm::put_nbi", dest, source,
                                               count, pe, request);
}

/// Like get(), but may return before the copy is done (shmem_get_nbi).
/// \param request if not null, tracks the operation.
template <class T>
void get_nbi(T* dest, std::type_identity_t<T> const* source, std::size_t count,
             Pe pe, Request* request = nullptr) {
  Impl::copy_on_host_nbi<Impl::Direction::get>("symm::get_nbi", dest, source,
                                               count, pe, request);
}

/// Copy `bytes` bytes of any type (shmem_putmem, shmem_getmem and their _nbi
/// forms).
inline void putmem(void* dest, void const* source, std::size_t bytes, Pe pe) {
  Impl::copy_on_host<Impl::Direction::put, Impl::Completion::local>(
      "symm::putmem", static_cast<char*>(dest),
      static_cast<char const*>(source), bytes, pe);
}
inline void getmem(void* dest, void const* source, std::size_t bytes, Pe pe) {
  Impl::copy_on_host<Impl::Direction::get, Impl::Completion::local>(
      "symm::getmem", static_cast<char*>(dest),
      static_cast<char const*>(source), bytes, pe);
}
inline void putmem_nbi(void* dest, void const* source, std::size_t bytes, Pe pe,
                       Request* request = nullptr) {
  Impl::copy_on_host_nbi<Impl::Direction::put>(
      "symm::putmem_nbi", static_cast<char*>(dest),
      static_cast<char const*>(source), bytes, pe, request);
}
inline void getmem_nbi(void* dest, void const* source, std::size_t bytes, Pe pe,
                       Request* request = nullptr) {
  Impl::copy_on_host_nbi<Impl::Direction::get>(
      "symm::getmem_nbi", static_cast<char*>(dest),
      static_cast<char const*>(source), bytes, pe, request);
}

/// Puts one element (shmem_p). If the host can reach the target, a 1-, 2-, 4-
/// or 8-byte element is written with a single store.
template <class T>
void p(T* dest, std::type_identity_t<T> const& value, Pe pe) {
  Impl::store_on_host("symm::p", dest, value, pe);
}

/// Gets one element (shmem_g). If the host can reach the source, a 1-, 2-, 4-
/// or 8-byte element is read with a single load.
template <class T>
[[nodiscard]] std::remove_const_t<T> g(T* source, Pe pe) {
  return Impl::load_on_host<char const*, std::remove_const_t<T>>("symm::g",
                                                                 source, pe);
}

// Forms for the host, in a context: `pe` is a PE number within the context.
// They also throw UsageError on this PE if the context has been moved from, or
// if finalize() has been called since the context was created.

template <class T>
void put(Context const& context, T* dest, std::type_identity_t<T> const* source,
         std::size_t count, Pe pe) {
  Impl::copy_in_context<Impl::Direction::put, Impl::Completion::local>(
      context, "symm::put", dest, source, count, pe);
}
template <class T>
void put_nbi(Context const& context, T* dest,
             std::type_identity_t<T> const* source, std::size_t count, Pe pe,
             Request* request = nullptr) {
  Impl::copy_in_context<Impl::Direction::put, Impl::Completion::none>(
      context, "symm::put_nbi", dest, source, count, pe, request);
}
template <class T>
void get(Context const& context, T* dest, std::type_identity_t<T> const* source,
         std::size_t count, Pe pe) {
  Impl::copy_in_context<Impl::Direction::get, Impl::Completion::local>(
      context, "symm::get", dest, source, count, pe);
}
template <class T>
void get_nbi(Context const& context, T* dest,
             std::type_identity_t<T> const* source, std::size_t count, Pe pe,
             Request* request = nullptr) {
  Impl::copy_in_context<Impl::Direction::get, Impl::Completion::none>(
      context, "symm::get_nbi", dest, source, count, pe, request);
}
inline void putmem(Context const& context, void* dest, void const* source,
                   std::size_t bytes, Pe pe) {
  Impl::copy_in_context<Impl::Direction::put, Impl::Completion::local>(
      context, "symm::putmem", static_cast<char*>(dest),
      static_cast<char const*>(source), bytes, pe);
}
inline void putmem_nbi(Context const& context, void* dest, void const* source,
                       std::size_t bytes, Pe pe, Request* request = nullptr) {
  Impl::copy_in_context<Impl::Direction::put, Impl::Completion::none>(
      context, "symm::putmem_nbi", static_cast<char*>(dest),
      static_cast<char const*>(source), bytes, pe, request);
}
inline void getmem(Context const& context, void* dest, void const* source,
                   std::size_t bytes, Pe pe) {
  Impl::copy_in_context<Impl::Direction::get, Impl::Completion::local>(
      context, "symm::getmem", static_cast<char*>(dest),
      static_cast<char const*>(source), bytes, pe);
}
inline void getmem_nbi(Context const& context, void* dest, void const* source,
                       std::size_t bytes, Pe pe, Request* request = nullptr) {
  Impl::copy_in_context<Impl::Direction::get, Impl::Completion::none>(
      context, "symm::getmem_nbi", static_cast<char*>(dest),
      static_cast<char const*>(source), bytes, pe, request);
}
template <class T>
void p(Context const& context, T* dest, std::type_identity_t<T> const& value,
       Pe pe) {
  Impl::store_on_host(context.call("symm::p"), dest, value,
                      context.world_pe(pe, "symm::p"));
}
template <class T>
[[nodiscard]] std::remove_const_t<T> g(Context const& context, T* source,
                                       Pe pe) {
  return Impl::load_on_host<Impl::HostCall, std::remove_const_t<T>>(
      context.call("symm::g"), source, context.world_pe(pe, "symm::g"));
}

// Forms for kernels, and for the host on memory that the host can reach.
//
// `heap` is the result of calling heap_map() on the host for the kind of memory
// that contains the symmetric address (in the Kokkos layer: for the View).
// Kernels capture `heap` by value. With SYMM_CHECKS_IN_KERNELS, the map of a
// different heap aborts the program.
//
// All threads of a group must make the call, with the same arguments on every
// thread. If threads of the group have written the source, a group barrier must
// come before the call. Copies by a group use 16-byte accesses if both
// addresses are congruent modulo 16, and otherwise the widest accesses that the
// addresses allow.

template <Impl::ThreadGroup Threads, class T>
SYMM_INLINE_FUNCTION void put(Threads const& threads, HeapMap const& heap,
                              T* dest, std::type_identity_t<T> const* source,
                              std::size_t count, Pe pe) {
  Impl::copy_elements_of_pe<Impl::Direction::put>(threads, heap, dest, source,
                                                  count, pe, "symm::put");
}

template <Impl::ThreadGroup Threads, class T>
SYMM_INLINE_FUNCTION void put_nbi(Threads const& threads, HeapMap const& heap,
                                  T* dest,
                                  std::type_identity_t<T> const* source,
                                  std::size_t count, Pe pe) {
  Impl::copy_elements_of_pe<Impl::Direction::put>(threads, heap, dest, source,
                                                  count, pe, "symm::put_nbi",
                                                  Impl::Completion::none);
}

template <Impl::ThreadGroup Threads, class T>
SYMM_INLINE_FUNCTION void get(Threads const& threads, HeapMap const& heap,
                              T* dest, std::type_identity_t<T> const* source,
                              std::size_t count, Pe pe) {
  Impl::copy_elements_of_pe<Impl::Direction::get>(threads, heap, dest, source,
                                                  count, pe, "symm::get");
}

template <Impl::ThreadGroup Threads, class T>
SYMM_INLINE_FUNCTION void get_nbi(Threads const& threads, HeapMap const& heap,
                                  T* dest,
                                  std::type_identity_t<T> const* source,
                                  std::size_t count, Pe pe) {
  Impl::copy_elements_of_pe<Impl::Direction::get>(threads, heap, dest, source,
                                                  count, pe, "symm::get_nbi",
                                                  Impl::Completion::none);
}

template <Impl::ThreadGroup Threads>
SYMM_INLINE_FUNCTION void putmem(Threads const& threads, HeapMap const& heap,
                                 void* dest, void const* source,
                                 std::size_t bytes, Pe pe) {
  Impl::copy_elements_of_pe<Impl::Direction::put>(
      threads, heap, static_cast<char*>(dest), static_cast<char const*>(source),
      bytes, pe, "symm::putmem");
}

template <Impl::ThreadGroup Threads>
SYMM_INLINE_FUNCTION void putmem_nbi(Threads const& threads,
                                     HeapMap const& heap, void* dest,
                                     void const* source, std::size_t bytes,
                                     Pe pe) {
  Impl::copy_elements_of_pe<Impl::Direction::put>(
      threads, heap, static_cast<char*>(dest), static_cast<char const*>(source),
      bytes, pe, "symm::putmem_nbi", Impl::Completion::none);
}

template <Impl::ThreadGroup Threads>
SYMM_INLINE_FUNCTION void getmem(Threads const& threads, HeapMap const& heap,
                                 void* dest, void const* source,
                                 std::size_t bytes, Pe pe) {
  Impl::copy_elements_of_pe<Impl::Direction::get>(
      threads, heap, static_cast<char*>(dest), static_cast<char const*>(source),
      bytes, pe, "symm::getmem");
}

template <Impl::ThreadGroup Threads>
SYMM_INLINE_FUNCTION void getmem_nbi(Threads const& threads,
                                     HeapMap const& heap, void* dest,
                                     void const* source, std::size_t bytes,
                                     Pe pe) {
  Impl::copy_elements_of_pe<Impl::Direction::get>(
      threads, heap, static_cast<char*>(dest), static_cast<char const*>(source),
      bytes, pe, "symm::getmem_nbi", Impl::Completion::none);
}

// Forms for one thread.

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

/// Puts one element. A 4- or 8-byte element is written with a single store.
template <class T>
SYMM_INLINE_FUNCTION void p(HeapMap const& heap, T* dest,
                            std::type_identity_t<T> const& value, Pe pe) {
  Impl::store_in_heap(heap, "symm::p", dest, value, pe);
}

/// Gets one element. A 4- or 8-byte element is read with a single load, never
/// from a stale cache.
template <class T>
[[nodiscard]] SYMM_INLINE_FUNCTION std::remove_const_t<T> g(HeapMap const& heap,
                                                            T* source, Pe pe) {
  using Value = std::remove_const_t<T>;
  return Impl::load_in_heap<Value>(heap, "symm::g", source, pe);
}

}  // namespace symm

#endif
