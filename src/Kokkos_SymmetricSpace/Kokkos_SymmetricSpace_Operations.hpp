// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef KOKKOS_SYMMETRICSPACE_OPERATIONS_HPP
#define KOKKOS_SYMMETRICSPACE_OPERATIONS_HPP

#include <cstddef>
#include <type_traits>

#include <Kokkos_Core.hpp>
#include "operations/Collectives.hpp"
#include "operations/EnqueuedRma.hpp"
#include "operations/Groups.hpp"
#include "operations/Signals.hpp"
#include "operations/ViewCollectives.hpp"
#include "operations/ViewCopy.hpp"

#include "../runtime/symm_rma.hpp"

// The operations on symmetric memory with what Kokkos has: thread teams,
// execution spaces and Views.

namespace symm {

// Groups of threads, which the forms of the operations for kernels take before
// the heap map:
//
//   who                first arguments
//   a thread team      member, heap          all of its threads and lanes call
//   a thread's lanes   lanes(member), heap   all of them call
//
// The barrier at the end is the team's or the lanes'.

/// The vector lanes of the calling thread of a team, as a group. Valid as long
/// as `member`.
template <class Member>
requires Kokkos::is_team_handle_v<Member>
[[nodiscard]] KOKKOS_FUNCTION Impl::Lanes<Member> lanes(Member const& member) {
  return {member};
}

// Remote memory access (symm_rma.hpp), enqueued on an execution space instance,
// in the order of what else is there; done when that is, by exec.fence() say.
// On GPUs the copy engines do it, and no kernel is needed for a peer's memory.
// The side that is not symmetric must stay until then; for an instance that
// runs on the host and the symmetric heap in host memory it is memory that the
// host reaches. Errors are those of the host's forms. PEs of other nodes are
// reached by instances that run on the host; others throw UsageError on this
// PE.

template <Impl::ExecutionSpace Exec, class T>
void put(Exec const& exec, T* dest, std::type_identity_t<T> const* source,
         std::size_t count, Pe pe) {
  Impl::check_element<T>();
  Impl::enqueue_copy_of_pe<Impl::Way::put>(
      exec, dest, source, Impl::bytes_of(sizeof(T), count), pe, "symm::put");
}

template <Impl::ExecutionSpace Exec, class T>
void get(Exec const& exec, T* dest, std::type_identity_t<T> const* source,
         std::size_t count, Pe pe) {
  Impl::check_element<T>();
  Impl::enqueue_copy_of_pe<Impl::Way::get>(
      exec, dest, source, Impl::bytes_of(sizeof(T), count), pe, "symm::get");
}

template <Impl::ExecutionSpace Exec>
void putmem(Exec const& exec, void* dest, void const* source, std::size_t bytes,
            Pe pe) {
  Impl::enqueue_copy_of_pe<Impl::Way::put>(exec, dest, source, bytes, pe,
                                           "symm::putmem");
}

template <Impl::ExecutionSpace Exec>
void getmem(Exec const& exec, void* dest, void const* source, std::size_t bytes,
            Pe pe) {
  Impl::enqueue_copy_of_pe<Impl::Way::get>(exec, dest, source, bytes, pe,
                                           "symm::getmem");
}

template <Impl::ExecutionSpace Exec, class T>
void iput(Exec const& exec, T* dest, std::type_identity_t<T> const* source,
          std::size_t dest_stride, std::size_t source_stride, std::size_t count,
          Pe pe) {
  Impl::enqueue_strided(exec,
                        Impl::StridedCopy<Impl::Way::put, T>{
                            dest, source, dest_stride, source_stride, count},
                        pe);
}

template <Impl::ExecutionSpace Exec, class T>
void iget(Exec const& exec, T* dest, std::type_identity_t<T> const* source,
          std::size_t dest_stride, std::size_t source_stride, std::size_t count,
          Pe pe) {
  Impl::enqueue_strided(exec,
                        Impl::StridedCopy<Impl::Way::get, T>{
                            dest, source, dest_stride, source_stride, count},
                        pe);
}

/// Copies the elements of `src` to `dst`, shared by the threads of a team, or
/// by the vector lanes of one thread of it: copy(symm::lanes(member), dst,
/// src). Either may be a peer's View, peer_view() or GlobalView::peer(). Views
/// of equal order in memory and without gaps are copied by the widest accesses
/// there are, all others element by element.
///
/// All threads (lanes) of the group call with equal arguments. When it returns
/// on any, all elements have been read, and they are written as far as the
/// group sees: its barrier is inside. Other PEs see them as after put(): behind
/// quiet() or barrier_all().
///
/// \param threads member handle of a Kokkos thread team, or lanes() of it.
/// \param dst, src of any layouts, subviews too, of equal rank and extents;
///        they must not overlap. Stops the program, with the extents, if those
///        differ.
template <Impl::ThreadGroup Threads, class T, class... P, class U, class... Q>
KOKKOS_FUNCTION void copy(Threads const& threads,
                          Kokkos::View<T, P...> const& dst,
                          Kokkos::View<U, Q...> const& src) {
  Impl::check_views<Kokkos::View<T, P...>, Kokkos::View<U, Q...>>();
  Impl::expect_equal_extents(dst, src);
  auto const group = Impl::group_of(threads);
  Impl::copy_view(group, dst, src);
  group.barrier();
}

/// The same by the calling thread alone: one of a kernel, or of the host where
/// that reaches both Views (where it does not, use Kokkos::deep_copy).
///
/// \throws UsageError on the host, on this PE, if the extents differ (in a
///         kernel on a GPU the program stops), or if the memory of a View is a
///         GPU's.
template <class T, class... P, class U, class... Q>
KOKKOS_FUNCTION void copy(Kokkos::View<T, P...> const& dst,
                          Kokkos::View<U, Q...> const& src) {
  Impl::check_views<Kokkos::View<T, P...>, Kokkos::View<U, Q...>>();
  KOKKOS_IF_ON_HOST((Impl::check_host_copy(dst, src);))
  KOKKOS_IF_ON_DEVICE((Impl::expect_equal_extents(dst, src);))
  Impl::copy_view(Impl::OneThread(), dst, src);
}

}  // namespace symm

#endif
