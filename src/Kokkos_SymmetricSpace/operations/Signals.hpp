// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef KOKKOS_SYMMETRICSPACE_SIGNALS_HPP
#define KOKKOS_SYMMETRICSPACE_SIGNALS_HPP

#include <Kokkos_Core.hpp>
#include <cstddef>
#include <type_traits>

#include "../../runtime/base/Types.hpp"
#include "../../runtime/shmem/Access.hpp"
#include "../../runtime/shmem/Rma.hpp"
#include "../../runtime/shmem/Signal.hpp"
#include "../../runtime/symm_atomics.hpp"
#include "../../runtime/symm_signals.hpp"
#include "EnqueuedRma.hpp"

namespace symm::Impl {

struct QuietKernel {
  KOKKOS_FUNCTION void operator()(int) const { quiet(); }
};

struct SignalKernel {
  DeliverSignal deliver;
  KOKKOS_FUNCTION void operator()(int) const { deliver(); }
};

/// PE `pe`'s copy of a signal, for a thread of the space; a host's must reach
/// it. \throws UsageError on this PE.
template <class Exec>
Copy<Signal> signal_to_deliver(Signal* address, Pe pe, char const* call) {
  if constexpr (runs_on_host_v<Exec>) {
    static_cast<void>(map_to_access(address, sizeof(Signal), pe, call));
  }
  return copy_to_access(address, sizeof(Signal), pe, call);
}

}  // namespace symm::Impl

namespace symm {

/// quiet() for what has been enqueued on an execution space instance: all of
/// it is complete and visible to all PEs before anything begins that is
/// enqueued later. Enqueued itself: the host does not wait. Local.
template <Impl::ExecutionSpace Exec>
void quiet(Exec const& exec) {
  // The launch itself orders: kernels and copies of one instance run one after
  // the other, and what a thread knows to be done its fence makes visible.
  Kokkos::parallel_for("symm::quiet", Kokkos::RangePolicy<Exec>(exec, 0, 1),
                       Impl::QuietKernel{});
}

/// put_signal(), enqueued on an execution space instance: the data after what
/// is there already, then the signal.
template <Impl::ExecutionSpace Exec, class T>
void put_signal(Exec const& exec, T* dest,
                std::type_identity_t<T> const* source, std::size_t count,
                Signal* signal_address, Signal signal, SignalOp op, Pe pe) {
  constexpr auto call = "symm::put_signal";
  Impl::check_element<T>();
  auto const its_signal =
      Impl::signal_to_deliver<Exec>(signal_address, pe, call);
  if (its_signal.reach == Impl::Reach::message) {
    if constexpr (Impl::runs_on_host_v<Exec>) {
      exec.fence(call);
      put_signal(dest, source, count, signal_address, signal, op, pe);
      return;
    } else {
      auto const bytes = Impl::bytes_of(sizeof(T), count);
      if (bytes != 0) {
        static_cast<void>(Impl::copy_to_access(dest, bytes, pe, call));
        Impl::check_private(source, call);
      }
      Impl::enqueue_far(
          exec, call,
          Impl::FarSignalKernel{dest, source, bytes, signal_address, signal,
                                Impl::atomic_op_of(op), pe});
      return;
    }
  }
  Impl::enqueue_copy_of_pe<Impl::Way::put>(
      exec, dest, source, Impl::bytes_of(sizeof(T), count), pe, call);
  // Copies and kernels of one instance run one after the other.
  Kokkos::parallel_for(
      call, Kokkos::RangePolicy<Exec>(exec, 0, 1),
      Impl::SignalKernel{{its_signal.address, signal, op, count != 0}});
}

}  // namespace symm

#endif
