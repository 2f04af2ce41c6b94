// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_RMA_BLOCKS_HPP
#define SYMM_RMA_BLOCKS_HPP

#include <cstddef>
#include <type_traits>

#include "base/Function.hpp"
#include "base/Types.hpp"
#include "groups/Group.hpp"
#include "groups/ThisBlock.hpp"
#include "memory/HeapMap.hpp"
#include "one_sided/RmaStrided.hpp"
#include "symm_contexts.hpp"

namespace symm {

// Elements with strides (OpenSHMEM 1.5, 9.5): element i * source_stride of
// `source` to element i * dest_stride of `dest`, for all i below `count`. The
// elements between them stay as they are. symm_rma.hpp says what holds for all
// forms of puts and gets.
//
// - `dest_stride`, `source_stride`: in elements; at least 1, or UsageError on
//   this PE. Neither is negative, on the symmetric side nor on the private one:
//   std::size_t(-1) is UsageError, too.
// - `count`: in elements.

/// shmem_iput and shmem_iget, on the host.
template <class T>
void iput(T* dest, std::type_identity_t<T> const* source,
          std::size_t dest_stride, std::size_t source_stride, std::size_t count,
          Pe pe) {
  Impl::copy_strided(
      Impl::StridedCopy<Impl::Direction::put, T>{dest, source, dest_stride,
                                                 source_stride, count},
      pe);
}
template <class T>
void iget(T* dest, std::type_identity_t<T> const* source,
          std::size_t dest_stride, std::size_t source_stride, std::size_t count,
          Pe pe) {
  Impl::copy_strided(
      Impl::StridedCopy<Impl::Direction::get, T>{dest, source, dest_stride,
                                                 source_stride, count},
      pe);
}
/// In a context (symm_contexts.hpp).
template <class T>
void iput(Context const& context, T* dest,
          std::type_identity_t<T> const* source, std::size_t dest_stride,
          std::size_t source_stride, std::size_t count, Pe pe) {
  Impl::copy_strided(context,
                     Impl::StridedCopy<Impl::Direction::put, T>{
                         dest, source, dest_stride, source_stride, count},
                     pe);
}
template <class T>
void iget(Context const& context, T* dest,
          std::type_identity_t<T> const* source, std::size_t dest_stride,
          std::size_t source_stride, std::size_t count, Pe pe) {
  Impl::copy_strided(context,
                     Impl::StridedCopy<Impl::Direction::get, T>{
                         dest, source, dest_stride, source_stride, count},
                     pe);
}
/// By a group of threads, in kernels and on the host.
template <Impl::ThreadGroup Threads, class T>
SYMM_INLINE_FUNCTION void iput(Threads const& threads, HeapMap const& heap,
                               T* dest, std::type_identity_t<T> const* source,
                               std::size_t dest_stride,
                               std::size_t source_stride, std::size_t count,
                               Pe pe) {
  Impl::copy_strided(threads, heap,
                     Impl::StridedCopy<Impl::Direction::put, T>{
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
                     Impl::StridedCopy<Impl::Direction::get, T>{
                         dest, source, dest_stride, source_stride, count},
                     pe);
}
/// By one thread.
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

// Blocks with strides (OpenSHMEM 1.6): block i, of `block` elements from
// element i * source_stride of `source`, to element i * dest_stride of `dest`.
// With blocks of one element this is iput() and iget(); words of blocks of up
// to 64 bytes are those of an element.
//
// - `dest_stride`, `source_stride`: from block to block, in elements; at least
//   1, and at least `block`, or UsageError on this PE; not negative, either.
// - `block`: in elements; 0 copies nothing. (To PEs of other nodes by a kernel:
//   less than 4 GiB.)
// - `count`: in blocks.

/// shmem_ibput and shmem_ibget, on the host.
template <class T>
void ibput(T* dest, std::type_identity_t<T> const* source,
           std::size_t dest_stride, std::size_t source_stride,
           std::size_t block, std::size_t count, Pe pe) {
  Impl::copy_strided(
      Impl::StridedCopy<Impl::Direction::put, T, true>{
          dest, source, dest_stride, source_stride, count, block},
      pe);
}
template <class T>
void ibget(T* dest, std::type_identity_t<T> const* source,
           std::size_t dest_stride, std::size_t source_stride,
           std::size_t block, std::size_t count, Pe pe) {
  Impl::copy_strided(
      Impl::StridedCopy<Impl::Direction::get, T, true>{
          dest, source, dest_stride, source_stride, count, block},
      pe);
}
/// In a context (symm_contexts.hpp).
template <class T>
void ibput(Context const& context, T* dest,
           std::type_identity_t<T> const* source, std::size_t dest_stride,
           std::size_t source_stride, std::size_t block, std::size_t count,
           Pe pe) {
  Impl::copy_strided(
      context,
      Impl::StridedCopy<Impl::Direction::put, T, true>{
          dest, source, dest_stride, source_stride, count, block},
      pe);
}
template <class T>
void ibget(Context const& context, T* dest,
           std::type_identity_t<T> const* source, std::size_t dest_stride,
           std::size_t source_stride, std::size_t block, std::size_t count,
           Pe pe) {
  Impl::copy_strided(
      context,
      Impl::StridedCopy<Impl::Direction::get, T, true>{
          dest, source, dest_stride, source_stride, count, block},
      pe);
}
/// By a group of threads, in kernels and on the host.
template <Impl::ThreadGroup Threads, class T>
SYMM_INLINE_FUNCTION void ibput(Threads const& threads, HeapMap const& heap,
                                T* dest, std::type_identity_t<T> const* source,
                                std::size_t dest_stride,
                                std::size_t source_stride, std::size_t block,
                                std::size_t count, Pe pe) {
  Impl::copy_strided(
      threads, heap,
      Impl::StridedCopy<Impl::Direction::put, T, true>{
          dest, source, dest_stride, source_stride, count, block},
      pe);
}
template <Impl::ThreadGroup Threads, class T>
SYMM_INLINE_FUNCTION void ibget(Threads const& threads, HeapMap const& heap,
                                T* dest, std::type_identity_t<T> const* source,
                                std::size_t dest_stride,
                                std::size_t source_stride, std::size_t block,
                                std::size_t count, Pe pe) {
  Impl::copy_strided(
      threads, heap,
      Impl::StridedCopy<Impl::Direction::get, T, true>{
          dest, source, dest_stride, source_stride, count, block},
      pe);
}
/// By one thread.
template <class T>
SYMM_INLINE_FUNCTION void ibput(HeapMap const& heap, T* dest,
                                std::type_identity_t<T> const* source,
                                std::size_t dest_stride,
                                std::size_t source_stride, std::size_t block,
                                std::size_t count, Pe pe) {
  ibput(Impl::OneThread(), heap, dest, source, dest_stride, source_stride,
        block, count, pe);
}
template <class T>
SYMM_INLINE_FUNCTION void ibget(HeapMap const& heap, T* dest,
                                std::type_identity_t<T> const* source,
                                std::size_t dest_stride,
                                std::size_t source_stride, std::size_t block,
                                std::size_t count, Pe pe) {
  ibget(Impl::OneThread(), heap, dest, source, dest_stride, source_stride,
        block, count, pe);
}

}  // namespace symm

#endif
