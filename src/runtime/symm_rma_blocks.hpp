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
#include "one_sided/Rma.hpp"
#include "one_sided/RmaStrided.hpp"
#include "symm_contexts.hpp"

namespace symm {

// Blocks with strides (OpenSHMEM 1.6): block i, of `block` elements from
// element i * source_stride of `source`, to element i * dest_stride of `dest`,
// for all i below `count`. The elements between them stay as they are. With
// blocks of one element this is iput() and iget(). symm_rma.hpp says what holds
// for all forms of puts and gets; words of blocks of up to 64 bytes are those
// of an element.
//
// - `dest_stride`, `source_stride`: from block to block, in elements; at least
//   1, and at least `block`, or UsageError on this PE.
// - `block`: in elements; 0 copies nothing. (To PEs of other nodes by a kernel:
//   less than 4 GiB.)
// - `count`: in blocks.

/// shmem_ibput, on the host.
template <class T>
void ibput(T* dest, std::type_identity_t<T> const* source,
           std::size_t dest_stride, std::size_t source_stride,
           std::size_t block, std::size_t count, Pe pe) {
  Impl::copy_strided(
      Impl::StridedCopy<Impl::Direction::put, T, true>{
          dest, source, dest_stride, source_stride, count, block},
      pe);
}
/// In a context (symm_contexts.hpp).
template <class T>
void ibput(Context const& context, T* dest,
           std::type_identity_t<T> const* source, std::size_t dest_stride,
           std::size_t source_stride, std::size_t block, std::size_t count,
           Pe pe) {
  Impl::StridedCopy<Impl::Direction::put, T, true> const copy{
      dest, source, dest_stride, source_stride, count, block};
  Impl::copy_strided(copy, context.world_pe(pe, copy.call),
                     context.call(copy.call));
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

/// shmem_ibget, on the host.
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
void ibget(Context const& context, T* dest,
           std::type_identity_t<T> const* source, std::size_t dest_stride,
           std::size_t source_stride, std::size_t block, std::size_t count,
           Pe pe) {
  Impl::StridedCopy<Impl::Direction::get, T, true> const copy{
      dest, source, dest_stride, source_stride, count, block};
  Impl::copy_strided(copy, context.world_pe(pe, copy.call),
                     context.call(copy.call));
}
/// By a group of threads, in kernels and on the host.
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
