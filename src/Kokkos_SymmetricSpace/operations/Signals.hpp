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

/// Has the queue of a GPU wait, without a kernel, as processes that share the
/// GPU need it. \returns false if it cannot compare so.
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

/// Enqueues a wait for variables of this PE's part of a heap.
/// \throws UsageError on this PE, if they are not there, or `exec` runs on the
///         host and does not reach them.
template <class Exec, class Poll>
void enqueue_wait(Exec const& exec, char const* call, Poll poll) {
  using Word = std::remove_pointer_t<decltype(poll.set.ivars)>;
  if (poll.set.count == 0) return;
  Observed const observed([=] { return Operation{OperationKind::wait, call}; });
  check_aligned(poll.set.ivars, sizeof(Word), call);
  auto const its = resolve(
      poll.set.ivars, bytes_of(sizeof(Word), poll.set.count), my_pe(), call);
  if constexpr (runs_on_host_v<Exec>) {
    static_cast<void>(its);
    exec.fence(call);
    wait_for(call, poll);
  } else if (!is_of_gpu(its.segment) || !wait_in_queue(exec, call, poll.set)) {
    enqueue_kernels(call, exec, [&](void* queue) {
      enqueue_kernel(call, queue, 1, 1, WaitKernel<Poll>{poll});
    });
  }
}

/// put_signal() in the order of an execution space instance.
template <class Exec, class T>
void enqueue_put_signal(Exec const& exec, T* dest,
                        std::type_identity_t<T> const* source,
                        std::size_t count, Signal* signal_address,
                        Signal signal, SignalOp op, Pe pe, char const* call) {
  check_element<T>();
  SignalledPut const put{
      dest, source, bytes_of(sizeof(T), count), signal_address, signal, op, pe};
  enqueue_put_signals(exec, std::span(&put, 1), call);
}

}  // namespace symm::Impl

namespace symm {

/// quiet() for the work enqueued on an execution space instance: all of it is
/// complete and visible to all PEs before work enqueued later begins. The host
/// waits if the instance is one of the host. Local.
template <Impl::ExecutionSpace Exec>
void quiet(Exec const& exec) {
  Impl::Observed const observed([] {
    return Impl::Operation{Impl::OperationKind::quiet, "symm::quiet"};
  });
  // The launch itself orders: kernels and copies of one instance run one after
  // the other. This kernel's fence makes visible what they have done.
  Kokkos::parallel_for("symm::quiet", Kokkos::RangePolicy<Exec>(exec, 0, 1),
                       Impl::QuietKernel{});
}

// Signals and waits, enqueued on an execution space instance. The host does not
// wait. But if the instance runs on the host, the call waits for its kernels
// and then is the host's form.
//
// Ordering. A signal comes after all that was enqueued on `exec` before, as
// with fence() before it: a PE that has seen the signal also sees what kernels
// and copies there have written to that PE. Work enqueued after a wait begins
// when the wait has ended, and sees what it has seen. On a GPU a wait is a
// kernel of one thread that polls. Where PEs take turns on a GPU (no MPS), a
// wait for `eq` or `ge` of GPU memory occupies none; `ge` counts a variable as
// smaller then if `value` is ahead of it by less than half of the type's range.
// Other waits take milliseconds there. Until the wait ends, this PE must not
// wait for its kernels, nor call what does (Kokkos::fence(), making a View),
// before it has enqueued or called what the other PEs wait for in turn.

/// put_signal(), enqueued (nvshmemx_putmem_signal_on_stream): puts the data
/// after the earlier work of `exec`, then changes the signal.
template <Impl::ExecutionSpace Exec, class T>
void put_signal(Exec const& exec, T* dest,
                std::type_identity_t<T> const* source, std::size_t count,
                Signal* signal_address, Signal signal, SignalOp op, Pe pe) {
  Impl::enqueue_put_signal(exec, dest, source, count, signal_address, signal,
                           op, pe, "symm::put_signal");
}

/// The signal alone, enqueued (nvshmemx_signal_op_on_stream): tells PE `pe`
/// that what earlier work of `exec` has written there has arrived.
/// \throws UsageError on this PE, as put_signal().
template <Impl::ExecutionSpace Exec>
void signal_op(Exec const& exec, Signal* signal_address, Signal signal,
               SignalOp op, Pe pe) {
  Impl::enqueue_put_signal(exec, static_cast<char*>(nullptr), nullptr, 0,
                           signal_address, signal, op, pe, "symm::signal_op");
}

/// wait_until(), enqueued (nvshmemx_TYPE_wait_until_on_stream): work enqueued
/// later begins when the comparison of `*ivar` with `value` has been true.
/// \param ivar in this PE's part of the symmetric heap, and aligned.
/// \throws UsageError on this PE, if it is not, or `exec` runs on the host and
///         the heap is in GPU memory; nothing is enqueued.
template <Impl::ExecutionSpace Exec, Impl::Waitable T>
void wait_until(Exec const& exec, T const* ivar, Compare compare,
                std::type_identity_t<T> value) {
  Impl::enqueue_wait(exec, "symm::wait_until",
                     Impl::PollOne<T>{{ivar, 1, nullptr, compare, value}});
}

/// wait_until_all(), enqueued, as wait_until().
/// \param ivars the first of `count` in this PE's part of the symmetric heap;
///        with 0, nothing is enqueued.
/// \param status null, or one int for each variable, which counts if that is 0;
///        in memory that the threads of `exec` reach, read when the wait runs.
template <Impl::ExecutionSpace Exec, Impl::Waitable T>
void wait_until_all(Exec const& exec, T const* ivars, std::size_t count,
                    int const* status, Compare compare,
                    std::type_identity_t<T> value) {
  Impl::enqueue_wait(exec, "symm::wait_until_all",
                     Impl::PollAll<T>{{ivars, count, status, compare, value}});
}

}  // namespace symm

#endif
