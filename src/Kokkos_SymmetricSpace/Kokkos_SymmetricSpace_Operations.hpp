// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef KOKKOS_SYMMETRICSPACE_OPERATIONS_HPP
#define KOKKOS_SYMMETRICSPACE_OPERATIONS_HPP

#include <cstddef>
#include <type_traits>

#include <Kokkos_Core.hpp>
#include "operations/Collectives.hpp"
#include "operations/EnqueuedElements.hpp"
#include "operations/EnqueuedRma.hpp"
#include "operations/Groups.hpp"
#include "operations/PutSignals.hpp"
#include "operations/RemoteCopy.hpp"
#include "operations/Signals.hpp"
#include "operations/ViewCollectives.hpp"
#include "operations/ViewCopy.hpp"
#include "operations/ViewSignals.hpp"
#include "places/Gather.hpp"

#include "../runtime/symm_locks.hpp"
#include "../runtime/symm_rma.hpp"
#include "../runtime/symm_rma_blocks.hpp"
#include "view/RemoteView.hpp"

// The operations on symmetric memory for Kokkos' thread teams, execution spaces
// and Views.

namespace symm {

// Groups of threads: the operations' forms for kernels take one before the heap
// map.
//
//   group              first arguments
//   a thread team      member, heap          all of its threads and lanes call
//   a thread's lanes   lanes(member), heap   all of them call
//
// The barrier at the end is the team's or the lanes'.

/// The vector lanes of the calling thread of a thread team, as a group. Valid
/// as long as `member`.
template <class Member>
requires Kokkos::is_team_handle_v<Member>
[[nodiscard]] KOKKOS_FUNCTION Impl::Lanes<Member> lanes(Member const& member) {
  return {member};
}

// Remote memory access (symm_rma.hpp), enqueued on an execution space instance
// in order with its other work, and done when the instance is (exec.fence()).
// The side that is not symmetric must stay until then. If the instance runs on
// the host and the symmetric heap is in host memory, that side must be memory
// that the host reaches. Errors are those of the host's forms. On GPUs the copy
// engines copy, without a kernel; for a PE of another node, a kernel of one
// thread asks the host to copy.

template <Impl::ExecutionSpace Exec, class T>
void put(Exec const& exec, T* dest, std::type_identity_t<T> const* source,
         std::size_t count, Pe pe) {
  Impl::check_element<T>();
  Impl::enqueue_copy_of_pe<Impl::Direction::put>(
      exec, dest, source, Impl::bytes_of(sizeof(T), count), pe, "symm::put");
}

template <Impl::ExecutionSpace Exec, class T>
void get(Exec const& exec, T* dest, std::type_identity_t<T> const* source,
         std::size_t count, Pe pe) {
  Impl::check_element<T>();
  Impl::enqueue_copy_of_pe<Impl::Direction::get>(
      exec, dest, source, Impl::bytes_of(sizeof(T), count), pe, "symm::get");
}

template <Impl::ExecutionSpace Exec>
void putmem(Exec const& exec, void* dest, void const* source, std::size_t bytes,
            Pe pe) {
  Impl::enqueue_copy_of_pe<Impl::Direction::put>(exec, dest, source, bytes, pe,
                                                 "symm::putmem");
}

template <Impl::ExecutionSpace Exec>
void getmem(Exec const& exec, void* dest, void const* source, std::size_t bytes,
            Pe pe) {
  Impl::enqueue_copy_of_pe<Impl::Direction::get>(exec, dest, source, bytes, pe,
                                                 "symm::getmem");
}

template <Impl::ExecutionSpace Exec, class T>
void iput(Exec const& exec, T* dest, std::type_identity_t<T> const* source,
          std::size_t dest_stride, std::size_t source_stride, std::size_t count,
          Pe pe) {
  Impl::enqueue_strided(exec,
                        Impl::StridedCopy<Impl::Direction::put, T>{
                            dest, source, dest_stride, source_stride, count},
                        pe);
}

template <Impl::ExecutionSpace Exec, class T>
void iget(Exec const& exec, T* dest, std::type_identity_t<T> const* source,
          std::size_t dest_stride, std::size_t source_stride, std::size_t count,
          Pe pe) {
  Impl::enqueue_strided(exec,
                        Impl::StridedCopy<Impl::Direction::get, T>{
                            dest, source, dest_stride, source_stride, count},
                        pe);
}

template <Impl::ExecutionSpace Exec, class T>
void ibput(Exec const& exec, T* dest, std::type_identity_t<T> const* source,
           std::size_t dest_stride, std::size_t source_stride,
           std::size_t block, std::size_t count, Pe pe) {
  Impl::enqueue_strided(
      exec,
      Impl::StridedCopy<Impl::Direction::put, T, true>{
          dest, source, dest_stride, source_stride, count, block},
      pe);
}

template <Impl::ExecutionSpace Exec, class T>
void ibget(Exec const& exec, T* dest, std::type_identity_t<T> const* source,
           std::size_t dest_stride, std::size_t source_stride,
           std::size_t block, std::size_t count, Pe pe) {
  Impl::enqueue_strided(
      exec,
      Impl::StridedCopy<Impl::Direction::get, T, true>{
          dest, source, dest_stride, source_stride, count, block},
      pe);
}

/// Copies the elements of `src` to `dst`, shared by the threads of a thread
/// team, or by the lanes of one thread: copy(symm::lanes(member), dst, src).
/// Either may be a peer's View, peer_view() or GlobalView::peer(). Views of
/// equal order in memory and without gaps are copied by the widest accesses
/// there are, all others element by element.
///
/// All threads (lanes) of the group call with equal arguments. The call ends
/// with the group's barrier: all elements have been read, and all of the group
/// sees what was written. Other PEs see it as after put(): after quiet() or
/// barrier_all().
///
/// \param threads member handle of a Kokkos thread team, or lanes() of it.
/// \param dst, src of any layouts, subviews too, of equal rank and extents;
///        they must not overlap. If the extents differ, the program stops and
///        prints them.
template <Impl::ThreadGroup Threads, class T, class... P, class U, class... Q>
KOKKOS_FUNCTION void copy(Threads const& threads,
                          Kokkos::View<T, P...> const& dst,
                          Kokkos::View<U, Q...> const& src) {
  Impl::copy_by(threads, dst, src);
}

/// The same by the calling thread alone, in a kernel, or on the host if it
/// reaches both Views (otherwise use Kokkos::deep_copy).
///
/// \throws UsageError on the host, on this PE, if the extents differ (in a
///         kernel on a GPU the program stops), or if a View is in GPU memory.
template <class T, class... P, class U, class... Q>
KOKKOS_FUNCTION void copy(Kokkos::View<T, P...> const& dst,
                          Kokkos::View<U, Q...> const& src) {
  Impl::copy_alone(dst, src);
}

// Copies to and from any PE: one side, or both on the host, is a RemotePeer,
// remote_view(view).peer(pe). If that PE is near, they are the copies above. If
// it is far, the host sends as few messages as the layout there allows: one for
// a block that is contiguous there (one per MiB if this PE must pack it first),
// messages of 64 KiB for a plane of a larger View; few and small elements share
// one with those of other calls, as in put_nbi(). A kernel copies a block that
// is contiguous on both sides at once, others element by element. This PE
// converts layouts and types. Other PEs see the result after quiet() or
// barrier_all().

/// By the threads of a thread team, or the lanes of one thread.
template <Impl::ThreadGroup Threads, class View, class U, class... Q>
KOKKOS_FUNCTION void copy(Threads const& threads, RemotePeer<View> const& dst,
                          Kokkos::View<U, Q...> const& src) {
  Impl::copy_by(threads, dst, src);
}
template <Impl::ThreadGroup Threads, class T, class... P, class View>
KOKKOS_FUNCTION void copy(Threads const& threads,
                          Kokkos::View<T, P...> const& dst,
                          RemotePeer<View> const& src) {
  Impl::copy_by(threads, dst, src);
}

/// By the calling thread alone.
/// \throws UsageError on the host, on this PE, as copy() of two Views, and if
///         there is no such PE.
template <class View, class U, class... Q>
KOKKOS_FUNCTION void copy(RemotePeer<View> const& dst,
                          Kokkos::View<U, Q...> const& src) {
  Impl::copy_alone(dst, src);
}
template <class T, class... P, class View>
KOKKOS_FUNCTION void copy(Kokkos::View<T, P...> const& dst,
                          RemotePeer<View> const& src) {
  Impl::copy_alone(dst, src);
}

/// From PE to PE, on the host; through memory of this PE, if both are far.
template <class DstView, class SrcView>
void copy(RemotePeer<DstView> const& dst, RemotePeer<SrcView> const& src) {
  Impl::check_views<RemotePeer<DstView>, RemotePeer<SrcView>>();
  Impl::check_host_copy(dst, src);
  Impl::Observed const observed(
      [&] { return Impl::operation_of_views("symm::copy", dst, src); },
      Impl::check::Accesses::are_seen);
  auto const from_far = [&] {
    Impl::at_view_of(
        dst, [&](auto const& view) { symm::copy(view, src); },
        [&] {
          auto const staging = Impl::make_staging_view(src);
          symm::copy(staging, src);
          symm::copy(dst, staging);
        });
  };
  Impl::at_view_of(
      src, [&](auto const& view) { symm::copy(dst, view); }, from_far);
}

}  // namespace symm

// Kokkos::deep_copy with a RemotePeer on one side. If its PE is near, it is the
// deep_copy of its View. If it is far, the host sends messages as symm::copy()
// does. It waits for kernels as Kokkos does: for those of the instance, or for
// all if none is passed. The elements have arrived when the call returns; but
// elements that it puts with an instance of the host, after quiet() or a
// barrier, so that many small parts travel together. The other View, if in GPU
// memory, is copied by way of HostSpace.
// (No parameter has the name of something here: nvcc confuses the two.)
namespace Kokkos {

template <class V, class U, class... Q>
void deep_copy(symm::RemotePeer<V> const& dst,
               Kokkos::View<U, Q...> const& src) {
  symm::Impl::check_views<symm::RemotePeer<V>, Kokkos::View<U, Q...>>();
  symm::Impl::deep_copy_peer<symm::Impl::Direction::put>(dst, src);
}

template <class T, class... P, class V>
void deep_copy(Kokkos::View<T, P...> const& dst,
               symm::RemotePeer<V> const& src) {
  symm::Impl::check_views<Kokkos::View<T, P...>, symm::RemotePeer<V>>();
  symm::Impl::deep_copy_peer<symm::Impl::Direction::get>(src, dst);
}

/// All elements become `value`.
template <class V>
void deep_copy(symm::RemotePeer<V> const& dst,
               typename symm::RemotePeer<V>::const_value_type& value) {
  symm::Impl::fill_peer(dst, value);
}

template <symm::Impl::ExecutionSpace Exec, class V, class U, class... Q>
void deep_copy(Exec const& exec, symm::RemotePeer<V> const& dst,
               Kokkos::View<U, Q...> const& src) {
  symm::Impl::check_views<symm::RemotePeer<V>, Kokkos::View<U, Q...>>();
  symm::Impl::deep_copy_peer<symm::Impl::Direction::put>(dst, src, exec);
}

template <symm::Impl::ExecutionSpace Exec, class T, class... P, class V>
void deep_copy(Exec const& exec, Kokkos::View<T, P...> const& dst,
               symm::RemotePeer<V> const& src) {
  symm::Impl::check_views<Kokkos::View<T, P...>, symm::RemotePeer<V>>();
  symm::Impl::deep_copy_peer<symm::Impl::Direction::get>(src, dst, exec);
}

template <symm::Impl::ExecutionSpace Exec, class V>
void deep_copy(Exec const& exec, symm::RemotePeer<V> const& dst,
               typename symm::RemotePeer<V>::const_value_type& value) {
  symm::Impl::fill_peer(dst, value, exec);
}

}  // namespace Kokkos

#endif
