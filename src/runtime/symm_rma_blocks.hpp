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

// Elements with strides (OpenSHMEM 1.5, 9.5). These functions copy element i *
// source_stride of `source` to element i * dest_stride of `dest`, for all i
// less than `count`. The elements in the gaps do not change. See symm_rma.hpp
// for what applies to all forms of puts and gets.
//
// - `dest_stride`, `source_stride`: strides in elements. A stride less than 1
//   throws UsageError on this PE. Strides cannot be negative, on either the
//   symmetric or the private side: std::size_t(-1) also throws UsageError.
// - `count`: number of elements.

/// These functions put and get strided elements, on the host (shmem_iput,
/// shmem_iget).
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
/// These functions put and get strided elements, on the host in a context
/// (symm_contexts.hpp).
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
/// These functions put and get strided elements. All threads of a group call
/// them, in a kernel or on the host.
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
/// These functions put and get strided elements. One thread calls them, in a
/// kernel or on the host.
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

// Blocks with strides (OpenSHMEM 1.6). These functions copy block i of `source`
// to `dest`: `block` elements that start at element i * source_stride of
// `source` go to element i * dest_stride of `dest`. With blocks of one element,
// ibput() and ibget() are the same as iput() and iget(). Words in blocks of up
// to 64 bytes arrive like words in an element (see symm_rma.hpp).
//
// - `dest_stride`, `source_stride`: distance from block to block, in elements.
//   A stride must be at least 1, at least `block`, and not negative; otherwise
//   the call throws UsageError on this PE.
// - `block`: number of elements in a block; 0 copies nothing. (If a kernel
//   copies to PEs on other nodes, a block must be smaller than 4 GiB.)
// - `count`: number of blocks.

/// These functions put and get strided blocks, on the host (shmem_ibput,
/// shmem_ibget).
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
/// These functions put and get strided blocks, on the host in a context
/// (symm_contexts.hpp).
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
/// These functions put and get strided blocks. All threads of a group call
/// them, in a kernel or on the host.
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
/// These functions put and get strided blocks. One thread calls them, in a
/// kernel or on the host.
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
