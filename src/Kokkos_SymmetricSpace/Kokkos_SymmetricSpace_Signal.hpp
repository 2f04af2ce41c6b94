// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef KOKKOS_SYMMETRICSPACE_SIGNAL_HPP
#define KOKKOS_SYMMETRICSPACE_SIGNAL_HPP

#include <Kokkos_Core.hpp>
#include <Kokkos_SymmetricSpace_Atomics.hpp>
#include <Kokkos_SymmetricSpace_Ordering.hpp>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include "kokkos_impl/MemorySpaceAccess.hpp"
#include "operations/EnqueuedRma.hpp"
#include "operations/Groups.hpp"

#include "../runtime/base/Types.hpp"
#include "../runtime/heap/SymmetricHeap.hpp"
#include "../runtime/memory/HeapMap.hpp"
#include "../runtime/shmem/Access.hpp"
#include "../runtime/shmem/Group.hpp"
#include "../runtime/shmem/GroupCopy.hpp"
#include "../runtime/shmem/Rma.hpp"
#include "../runtime/symm_signals.hpp"

namespace symm {

// Data and a signal that they are there (OpenSHMEM 1.5, signaling operations).
// PE `pe` gets `count` elements from `source` into its copy of `dest`, and then
// its copy of the signal at `signal_address` is changed: who has seen that by
// signal_wait_until(), a wait or a test sees the data. Nothing is said of other
// puts of the caller: fence() comes before the call for them. Callers, returns
// and errors are those of put() (symm_rma.hpp). With a count
// of 0 it is the signal alone.
//
// Signals of several PEs to one signal object are atomic if all are of one
// SignalOp. Between PEs, signals may be mixed with atomics on std::uint64_t.

/// What signals are about: a symmetric object, changed by signals and atomics
/// only.
using Signal = std::uint64_t;

/// Whether a signal replaces the value of the object or is added to it.
enum class SignalOp { set, add };

/// Changes the signal at `target`, any PE's. Before it, makes visible what the
/// calling thread knows to be done, if there are data.
KOKKOS_INLINE_FUNCTION void deliver_signal(Signal* target, Signal signal,
                                           SignalOp op, bool has_data) {
  if (has_data) fence_release();
  if (op == SignalOp::set) {
    store_relaxed(target, signal);
  } else {
    symm::atomic_add(target, signal);
  }
}

/// The same as a kernel of one thread.
struct DeliverSignal {
  Signal* target;
  Signal signal;
  SignalOp op;
  bool has_data;
  KOKKOS_FUNCTION void operator()(int) const {
    deliver_signal(target, signal, op, has_data);
  }
};

template <class ExecutionSpace>
void enqueue_signal(ExecutionSpace const& exec, DeliverSignal const& deliver) {
  Kokkos::parallel_for("symm::put_signal",
                       Kokkos::RangePolicy<ExecutionSpace>(exec, 0, 1),
                       deliver);
}

/// shmem_put_signal, on the host. A signal in GPU memory is delivered by a
/// kernel, which it waits for, behind the others of the default instance.
/// \throws UsageError on this PE, too, if the signal is not in this PE's part
///         of the heap. Nothing has been put then.
template <class T>
void put_signal(T* dest, std::type_identity_t<T> const* source,
                std::size_t count, Signal* signal_address, Signal signal,
                SignalOp op, Pe pe) {
  constexpr auto call = "symm::put_signal";
  check_element<T>();
  auto const& heap = heap_to_access(signal_address, sizeof(Signal), pe, call);
  put_bytes(dest, source, bytes_of(sizeof(T), count), pe, call);
  DeliverSignal const deliver{heap.map().peer_ptr(signal_address, pe), signal,
                              op, count != 0};
#ifdef KOKKOS_ENABLE_CUDA
  if (heap.memory() == MemoryKind::device) {
    Kokkos::Cuda const exec;
    enqueue_signal(exec, deliver);
    exec.fence(call);
    return;
  }
#endif
  deliver(0);
}

/// shmem_put_signal in a kernel, by one thread. `heap` is that of both the data
/// and the signal.
template <class T>
KOKKOS_INLINE_FUNCTION void put_signal(HeapMap const& heap, T* dest,
                                       std::type_identity_t<T> const* source,
                                       std::size_t count,
                                       Signal* signal_address, Signal signal,
                                       SignalOp op, Pe pe) {
  check_element<T>();
  expect_access(heap, signal_address, sizeof(Signal), pe, "symm::put_signal");
  put_bytes<alignof(T)>(OneThread(), heap, dest, source,
                        bytes_of(sizeof(T), count), pe, "symm::put_signal");
  deliver_signal(heap.peer_ptr(signal_address, pe), signal, op, count != 0);
}

/// The same by a thread team, or the lanes of a thread, all of which call. One
/// signal, when the data of all are there.
template <ThreadGroup Group, class T>
KOKKOS_INLINE_FUNCTION void put_signal(Group const& group, HeapMap const& heap,
                                       T* dest,
                                       std::type_identity_t<T> const* source,
                                       std::size_t count,
                                       Signal* signal_address, Signal signal,
                                       SignalOp op, Pe pe) {
  check_element<T>();
  expect_access(heap, signal_address, sizeof(Signal), pe, "symm::put_signal");
  // One fence for all threads. The put ends with a barrier of the group
  // (bar.sync, or for lanes bar.warp.sync), which orders the stores of each
  // before whatever the signalling thread does next, and fences are cumulative:
  // what is before a fence of scope sys includes what other threads have stored
  // before a barrier with the thread that fences (PTX's causality order).
  auto const threads = group_of(group);
  put_bytes<alignof(T)>(threads, heap, dest, source, bytes_of(sizeof(T), count),
                        pe, "symm::put_signal");
  if (threads.rank() != 0) return;
  deliver_signal(heap.peer_ptr(signal_address, pe), signal, op, count != 0);
}

/// The same, enqueued on an execution space instance: the data after what is
/// there already, then the signal.
template <class ExecutionSpace, class T>
requires Kokkos::is_execution_space_v<ExecutionSpace>
void put_signal(ExecutionSpace const& exec, T* dest,
                std::type_identity_t<T> const* source, std::size_t count,
                Signal* signal_address, Signal signal, SignalOp op, Pe pe) {
  constexpr auto call = "symm::put_signal";
  check_element<T>();
  constexpr bool is_on_gpu =
      Kokkos::SpaceAccessibility<ExecutionSpace, SymmetricSpace>::accessible;
  // Elsewhere, the thread that signals must reach the signal.
  auto const& map =
      is_on_gpu ? heap_to_access(signal_address, sizeof(Signal), pe, call).map()
                : map_to_access(signal_address, sizeof(Signal), pe, call);
  enqueue_put(exec, dest, source, bytes_of(sizeof(T), count), pe, call);
  // Copies and kernels of one instance run one after the other.
  enqueue_signal(exec,
                 {map.peer_ptr(signal_address, pe), signal, op, count != 0});
}

// shmem_put_signal_nbi: may return before the data and the signal are there,
// which quiet() waits for. Here they are put_signal().

template <class T>
void put_signal_nbi(T* dest, std::type_identity_t<T> const* source,
                    std::size_t count, Signal* signal_address, Signal signal,
                    SignalOp op, Pe pe) {
  put_signal(dest, source, count, signal_address, signal, op, pe);
}

template <class T>
KOKKOS_INLINE_FUNCTION void put_signal_nbi(
    HeapMap const& heap, T* dest, std::type_identity_t<T> const* source,
    std::size_t count, Signal* signal_address, Signal signal, SignalOp op,
    Pe pe) {
  put_signal(heap, dest, source, count, signal_address, signal, op, pe);
}

template <ThreadGroup Group, class T>
KOKKOS_INLINE_FUNCTION void put_signal_nbi(
    Group const& group, HeapMap const& heap, T* dest,
    std::type_identity_t<T> const* source, std::size_t count,
    Signal* signal_address, Signal signal, SignalOp op, Pe pe) {
  put_signal(group, heap, dest, source, count, signal_address, signal, op, pe);
}

/// shmem_signal_fetch: the value of this PE's signal. Local; callable from host
/// and kernels, as the waits are, and like them it shows the data of the
/// signals that it has seen.
/// \throws UsageError as wait_until().
[[nodiscard]] KOKKOS_INLINE_FUNCTION Signal
signal_fetch(Signal const* signal_address) {
  KOKKOS_IF_ON_HOST(
      (Impl::check_variable("symm::signal_fetch", signal_address);))
  return Impl::poll(signal_address);
}

/// shmem_signal_wait_until: wait_until() on this PE's signal.
/// \returns its value.
/// \throws UsageError as wait_until().
KOKKOS_INLINE_FUNCTION Signal signal_wait_until(Signal const* signal_address,
                                                Compare compare, Signal value) {
  Impl::PollOne<Signal> one{{signal_address, 1, nullptr, compare, value}};
  Impl::wait_for("symm::signal_wait_until", one);
  return one.now;
}

}  // namespace symm

#endif
