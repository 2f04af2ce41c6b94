// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef KOKKOS_SYMMETRICSPACE_PUTSIGNALS_HPP
#define KOKKOS_SYMMETRICSPACE_PUTSIGNALS_HPP

#include <Kokkos_Core.hpp>
#include <cstddef>
#include <span>
#include <type_traits>
#include <vector>

#include "../../runtime/access/Elements.hpp"
#include "../../runtime/access/Signal.hpp"
#include "../../runtime/base/Types.hpp"
#include "../space/ExecutionSpaceStream.hpp"
#include "EnqueuedSignals.hpp"
#include "ViewSignals.hpp"

namespace symm {

/// Several put_signal() operations that are sent together, such as one to each
/// neighbor. On a GPU, one kernel sends up to eight of these puts, whereas each
/// put_signal(exec, ...) launches a separate kernel.
///
///     symm::PutSignals rows;
///     for (auto const& [pe, row, ghost, signal] : neighbors)
///       rows.add(subview(u, ghost, ALL), subview(u, row, ALL),
///                subview(signals, signal), step, symm::SignalOp::set, pe);
///     rows.enqueue(exec);
///
/// All calls are local. Only one thread at a time may use an object. If an
/// object is reused in every step, it allocates memory only when the number of
/// puts grows.
class PutSignals {
 public:
  /// Adds one put with a signal. Takes the same arguments as put_signal().
  /// Nothing is sent until enqueue().
  /// \throws UsageError on this PE if put_signal() would reject the Views; the
  ///         message contains labels and extents. Nothing is added in that
  ///         case.
  template <class T, class... P, class U, class... Q, class... S>
  void add(Kokkos::View<T, P...> const& dst, Kokkos::View<U, Q...> const& src,
           Kokkos::View<S...> const& signal, Signal value, SignalOp op, Pe pe) {
    Impl::check_signaled_views(dst, src);
    add(dst.data(), src.data(), src.size(), Impl::signal_of(signal), value, op,
        pe);
  }
  /// Adds one put with a signal, like the form above, but with addresses.
  /// \param count number of elements; if 0, the signal is sent without data.
  template <class T>
  void add(T* dest, std::type_identity_t<T> const* source, std::size_t count,
           Signal* signal_address, Signal signal, SignalOp op, Pe pe) {
    Impl::check_element<T>();
    m_puts.push_back({dest, source, Impl::bytes_of(sizeof(T), count),
                      signal_address, signal, op, pe});
  }
  [[nodiscard]] std::size_t size() const { return m_puts.size(); }
  void clear() { m_puts.clear(); }

  /// Sends all puts that were added. As with put_signal(exec, ...), each put
  /// runs after the earlier work on `exec`, and each put's data arrive before
  /// its signal. One object's puts may arrive in any order. On return, the
  /// object is empty.
  /// \throws UsageError on this PE in the same cases as put_signal(). Nothing
  ///         has been sent in that case, and the object keeps the puts.
  ///         SystemError on this PE if CUDA fails to launch a kernel: the
  ///         object keeps all puts, although earlier kernels may have sent some
  ///         of them.
  template <Impl::ExecutionSpace Exec>
  void enqueue(Exec const& exec) {
    if (m_puts.empty()) return;
    Impl::enqueue_put_signals(exec, std::span<Impl::SignaledPut const>(m_puts),
                              "symm::PutSignals::enqueue");
    m_puts.clear();
  }

 private:
  std::vector<Impl::SignaledPut> m_puts;
};

}  // namespace symm

#endif
