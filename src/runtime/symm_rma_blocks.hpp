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

// Strided elements (OpenSHMEM 1.5, 9.5). These functions copy element i *
// source_stride of `source` to element i * dest_stride of `dest`, for all i
// less than `count`. The elements in the gaps do not change. The rules for all
// puts and gets in symm_rma.hpp also apply here.
//
// - `dest_stride`, `source_stride`: strides in elements. A stride less than 1
//   throws UsageError on this PE. Strides cannot be negative on either side:
//   std::size_t(-1) also throws UsageError.
// - `count`: number of elements.

/// Put and get strided elements, on the host (shmem_iput, shmem_iget).
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
/// Put and get strided elements, on the host in a context (symm_contexts.hpp).
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
/// Put and get strided elements, in a kernel or on the host. All threads of a
/// group must make the call.
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
/// Put and get strided elements with one thread, in a kernel or on the host.
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

// Strided blocks (OpenSHMEM 1.6). These functions copy `count` blocks: the
// `block` elements that start at element i * source_stride of `source` go to
// `dest`, starting at element i * dest_stride. With blocks of one element,
// ibput() and ibget() are the same as iput() and iget(). Words in blocks of up
// to 64 bytes arrive like words in an element (see symm_rma.hpp).
//
// - `dest_stride`, `source_stride`: distance between the starts of consecutive
//   blocks, in elements. A stride must be positive and at least `block`;
//   otherwise the call throws UsageError on this PE.
// - `block`: number of elements in a block; 0 copies nothing. (If a kernel
//   copies to PEs on other nodes, a block must be smaller than 4 GiB.)
// - `count`: number of blocks.

/// Put and get strided blocks, on the host (shmem_ibput, shmem_ibget).
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
/// Put and get strided blocks, on the host in a context (symm_contexts.hpp).
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
/// Put and get strided blocks, in a kernel or on the host. All threads of a
/// group must make the call.
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
/// Put and get strided blocks with one thread, in a kernel or on the host.
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
