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

// Operations on symmetric memory for Kokkos thread teams, execution spaces and
// Views.

namespace symm {

// Groups of threads. In kernels, operations also have forms in which a group of
// threads shares the work. These forms take the group as an argument before the
// heap map.
//
//   group              first arguments       called by
//   a thread team      member, heap          all of its threads and lanes
//   a thread's lanes   lanes(member), heap   all of these lanes
//
// Each of these operations ends with a barrier across the thread team or the
// lanes.

/// The vector lanes of the calling thread in a thread team, as a group. The
/// group is valid as long as `member` is valid.
template <class Member>
requires Kokkos::is_team_handle_v<Member>
[[nodiscard]] KOKKOS_FUNCTION Impl::Lanes<Member> lanes(Member const& member) {
  return {member};
}

// Remote memory access (symm_rma.hpp), enqueued on an execution space instance.
// Each copy runs in order with the other work on that instance. A copy is
// complete once all work on the instance is complete (exec.fence()). Until
// then, the non-symmetric operand must remain valid. If the instance runs on
// the host and the symmetric heap is in host memory, the host must be able to
// access that operand. The errors are the same as in the host forms. On GPUs,
// copy engines perform the copies without a kernel. If the PE is on another
// node, a one-thread kernel asks the host to perform the copy.

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

/// Copies the elements of `src` to `dst`. The threads of a thread team share
/// the work. To share the work among the lanes of one thread, call
/// copy(symm::lanes(member), dst, src). Either View may be a peer's copy, from
/// peer_view() or GlobalView::peer(). If the elements of both Views have the
/// same order in memory and no gaps, the copy uses the widest possible
/// accesses. Otherwise, it copies element by element.
///
/// All threads (lanes) of the group make the call with the same arguments. The
/// call ends with a barrier across the group: on return, all elements have been
/// read, and the whole group sees the written elements. As with put(), other
/// PEs see the written elements after quiet() or barrier_all().
///
/// \param threads the member handle of a Kokkos thread team, or lanes() of that
///        handle.
/// \param dst, src Views with equal ranks and extents and any layouts; subviews
///        are allowed. The two Views must not overlap. If the extents differ,
///        the program stops and prints the extents.
template <Impl::ThreadGroup Threads, class T, class... P, class U, class... Q>
KOKKOS_FUNCTION void copy(Threads const& threads,
                          Kokkos::View<T, P...> const& dst,
                          Kokkos::View<U, Q...> const& src) {
  Impl::copy_by(threads, dst, src);
}

/// Copies the elements of `src` to `dst`. The calling thread does all the work.
/// Callable in kernels, and on the host if the host can access both Views
/// (otherwise use Kokkos::deep_copy).
///
/// \throws UsageError on this PE, on the host only, if the extents differ or a
///         View is in GPU memory. (In a kernel on a GPU, the program stops if
///         the extents differ.)
template <class T, class... P, class U, class... Q>
KOKKOS_FUNCTION void copy(Kokkos::View<T, P...> const& dst,
                          Kokkos::View<U, Q...> const& src) {
  Impl::copy_alone(dst, src);
}

// Copies to and from any PE. One side is a RemotePeer,
// remote_view(view).peer(pe); on the host, both sides may be RemotePeers. If
// the RemotePeer's PE is near, the call does the same as copy() between two
// Views. If that PE is far, the host sends as few messages as the layout on
// that PE allows. A block that is contiguous there requires one message (one
// per MiB if this PE must pack the block first). A plane of a larger View is
// sent in 64 KiB messages. If the elements are few and small, they share a
// message with elements from other calls, as in put_nbi(). In a kernel, a block
// that is contiguous on both sides is copied in one piece, and any other block
// is copied element by element. Layouts and types are converted on this PE.
// Other PEs see the result after quiet() or barrier_all().

/// Copies to or from a RemotePeer. The threads of a thread team, or the lanes
/// of one thread, share the work.
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

/// Copies to or from a RemotePeer. The calling thread does all the work.
/// \throws UsageError on this PE, on the host only, in the same cases as copy()
///         between two Views, and if the PE does not exist.
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

/// Copies from one PE to another, on the host. If both PEs are far, the
/// elements pass through this PE's memory.
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

// Kokkos::deep_copy accepts a RemotePeer on one side. If the RemotePeer's PE is
// near, the call does the same as deep_copy with the View on that PE. If that
// PE is far, the host sends messages as symm::copy() does. deep_copy waits for
// kernels, like Kokkos' own deep_copy: for the kernels on the instance, or for
// all kernels if no instance is passed. The elements have arrived when the call
// returns. Exception: if deep_copy puts elements with a host instance, they are
// guaranteed to have arrived only after quiet() or a barrier. This allows many
// small parts to share a message. If the other View is in GPU memory, it is
// staged through HostSpace. (No parameter shares its name with another entity
// in this file because nvcc would confuse the two.)
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

/// Sets all elements of `dst` to `value`.
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
