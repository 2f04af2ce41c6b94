// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef KOKKOS_SYMMETRICSPACE_SIGNALS_HPP
#define KOKKOS_SYMMETRICSPACE_SIGNALS_HPP

#include <Kokkos_Core.hpp>
#include <cstddef>
#include <span>
#include <symm_gpu/Launch.hpp>
#include <type_traits>

#include "../../runtime/access/Access.hpp"
#include "../../runtime/access/Signal.hpp"
#include "../../runtime/base/Types.hpp"
#include "../../runtime/memory/CopyQueue.hpp"
#include "../../runtime/one_sided/Rma.hpp"
#include "../../runtime/symm_atomics.hpp"
#include "../../runtime/symm_job.hpp"
#include "../../runtime/symm_signals.hpp"
#include "../../runtime/waiting/Waiting.hpp"
#include "EnqueuedSignals.hpp"

namespace symm::Impl {

struct QuietKernel {
  KOKKOS_FUNCTION void operator()(int) const { quiet(); }
};

template <class Poll>
struct WaitKernel {
  Poll poll;
  template <Group Threads>
  SYMM_FUNCTION void operator()(Threads const&, std::size_t,
                                std::size_t) const {
    auto is_done = poll;
    wait_for("symm::wait_until", is_done);
  }
};

/// Makes a GPU queue wait without a kernel of this library. Processes that take
/// turns on a GPU need such a wait.
/// \returns false if no wait was enqueued because processes do not take turns
///          on a GPU, or because the queue does not support this wait.
template <class Exec, class T>
bool wait_in_queue(Exec const& exec, char const* call, WaitSet<T> const& set) {
  bool const is_equal = set.compare == Compare::eq;
  if (!has_gates(call) || set.status != nullptr ||
      (!is_equal && set.compare != Compare::ge)) {
    return false;
  }
  enqueue_kernels(call, exec, [&](void* queue) {
    copy_queue(call).wait_for_all(queue, set.count, [&](std::size_t i) {
      return CopyQueue::WordWait{
          set.ivars + i, static_cast<std::make_unsigned_t<T>>(set.wanted(i)),
          sizeof(T), is_equal};
    });
  });
  finish_for_check(exec, call);
  for (std::size_t i = 0; i < set.count; ++i) check::seen(set.ivars + i);
  return true;
}

/// Enqueues a wait for variables in this PE's part of a heap.
/// \throws UsageError on this PE if the variables are not in this PE's part of
///         a heap, or if `exec` runs on the host and the host cannot access the
///         variables.
template <class Exec, class Poll>
void enqueue_wait(Exec const& exec, char const* call, Poll poll) {
  using Word = std::remove_pointer_t<decltype(poll.set.ivars)>;
  if (poll.set.count == 0) return;
  Observed const observed([=] { return Operation{OperationKind::wait, call}; });
  check_aligned(poll.set.ivars, sizeof(Word), call);
  auto const memory = resolve(
      poll.set.ivars, bytes_of(sizeof(Word), poll.set.count), my_pe(), call);
  if constexpr (runs_on_host_v<Exec>) {
    static_cast<void>(memory);
    exec.fence(call);
    wait_for(call, poll);
  } else if (!is_of_gpu(memory.segment) ||
             !wait_in_queue(exec, call, poll.set)) {
    enqueue_kernels(call, exec, [&](void* queue) {
      enqueue_kernel(call, queue, 1, 1, WaitKernel<Poll>{poll});
    });
  }
}

/// Performs put_signal() in order with the other work on `exec`.
template <class Exec, class T>
void enqueue_put_signal(Exec const& exec, T* dest,
                        std::type_identity_t<T> const* source,
                        std::size_t count, Signal* signal_address,
                        Signal signal, SignalOp op, Pe pe, char const* call) {
  check_element<T>();
  SignaledPut const put{
      dest, source, bytes_of(sizeof(T), count), signal_address, signal, op, pe};
  enqueue_put_signals(exec, std::span(&put, 1), call);
}

}  // namespace symm::Impl

namespace symm {

/// Enqueues quiet() on an execution space instance. All work enqueued earlier
/// on the instance is complete and visible to all PEs before any work enqueued
/// later starts. The host waits if the instance runs on the host. The call is
/// local.
template <Impl::ExecutionSpace Exec>
void quiet(Exec const& exec) {
  Impl::Observed const observed([] {
    return Impl::Operation{Impl::OperationKind::quiet, "symm::quiet"};
  });
  // The launch itself orders the work: kernels and copies on one instance run
  // one after another. This kernel's fence makes the results of those kernels
  // and copies visible.
  Kokkos::parallel_for("symm::quiet", Kokkos::RangePolicy<Exec>(exec, 0, 1),
                       Impl::QuietKernel{});
}

// Signals and waits can be enqueued on an execution space instance; the host
// does not wait. However, if the instance runs on the host, the call waits for
// the instance's kernels and then does the same as the host form.
//
// Ordering. A signal is sent after all earlier work on `exec`, as if fence()
// preceded the signal. A PE that has seen the signal also sees everything that
// the kernels and copies of that earlier work wrote to that PE. Work enqueued
// after a wait starts only after the wait has finished, and sees everything
// that the wait has seen. On a GPU, a wait is a one-thread kernel that polls.
// If PEs take turns on a GPU (no MPS), a wait for `eq` or `ge` on GPU memory
// does not occupy an NVIDIA GPU. In such a wait, `ge` treats a variable as
// smaller than `value` if `value` is ahead of the variable by less than half of
// the type's range. On AMD GPUs (not tried), `ge` treats a variable as smaller
// if its highest bit is set, and throws UsageError on this PE if the highest
// bit of `value` is set. During a capture, both waits throw UsageError there.
// If PEs take turns on a GPU, other waits take milliseconds. Beware of
// deadlock: while a wait by this PE is pending, other PEs may in turn be
// waiting for this PE. Before this PE waits for its own kernels, or calls a
// function that does (Kokkos::fence(), constructing a View), it must enqueue or
// call the operations for which those PEs are waiting.

/// Enqueues put_signal() on `exec` (nvshmemx_putmem_signal_on_stream): puts the
/// data after the earlier work on `exec`, then changes the signal.
template <Impl::ExecutionSpace Exec, class T>
void put_signal(Exec const& exec, T* dest,
                std::type_identity_t<T> const* source, std::size_t count,
                Signal* signal_address, Signal signal, SignalOp op, Pe pe) {
  Impl::enqueue_put_signal(exec, dest, source, count, signal_address, signal,
                           op, pe, "symm::put_signal");
}

/// Enqueues a signal without data on `exec` (nvshmemx_signal_op_on_stream). The
/// signal indicates to PE `pe` that all data written to that PE by earlier work
/// on `exec` have arrived.
/// \throws UsageError on this PE in the same cases as put_signal().
template <Impl::ExecutionSpace Exec>
void signal_op(Exec const& exec, Signal* signal_address, Signal signal,
               SignalOp op, Pe pe) {
  Impl::enqueue_put_signal(exec, static_cast<char*>(nullptr), nullptr, 0,
                           signal_address, signal, op, pe, "symm::signal_op");
}

/// Enqueues wait_until() on `exec` (nvshmemx_TYPE_wait_until_on_stream): work
/// enqueued later starts only after the comparison of `*ivar` with `value` has
/// become true.
/// \param ivar address in this PE's part of the symmetric heap; must be
///        aligned.
/// \throws UsageError on this PE if `ivar` is not such an address, or if `exec`
///         runs on the host and the heap is in GPU memory. Nothing is enqueued
///         in these cases.
template <Impl::ExecutionSpace Exec, Impl::Waitable T>
void wait_until(Exec const& exec, T const* ivar, Compare compare,
                std::type_identity_t<T> value) {
  Impl::enqueue_wait(exec, "symm::wait_until",
                     Impl::PollOne<T>{{ivar, 1, nullptr, compare, value}});
}

/// Enqueues wait_until_all() on `exec`. Errors and ordering are as for
/// wait_until() on `exec`.
/// \param ivars address of the first of `count` variables in this PE's part of
///        the symmetric heap. If `count` is 0, nothing is enqueued.
/// \param status null, or the address of an array with one int per variable:
///        the wait ignores variables whose int is not 0. The ints must be in
///        memory that kernels on `exec` can access; they are read when the wait
///        runs.
template <Impl::ExecutionSpace Exec, Impl::Waitable T>
void wait_until_all(Exec const& exec, T const* ivars, std::size_t count,
                    int const* status, Compare compare,
                    std::type_identity_t<T> value) {
  Impl::enqueue_wait(exec, "symm::wait_until_all",
                     Impl::PollAll<T>{{ivars, count, status, compare, value}});
}

}  // namespace symm

#endif
