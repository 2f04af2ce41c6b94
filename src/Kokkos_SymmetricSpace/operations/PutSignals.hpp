// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef KOKKOS_SYMMETRICSPACE_PUTSIGNALS_HPP
#define KOKKOS_SYMMETRICSPACE_PUTSIGNALS_HPP

#include <Kokkos_Core.hpp>
#include <cstddef>
#include <type_traits>
#include <vector>

#include "../../runtime/access/Elements.hpp"
#include "../../runtime/access/Signal.hpp"
#include "../../runtime/base/Types.hpp"
#include "../space/ExecutionSpaceStream.hpp"
#include "EnqueuedSignals.hpp"
#include "ViewSignals.hpp"

namespace symm {

/// Several put_signal() that go together, such as one to each neighbour. On a
/// GPU one kernel sends them, where each put_signal(exec, ...) is a kernel.
///
///     symm::PutSignals rows;
///     for (auto const& [pe, row, ghost, signal] : neighbours)
///       rows.add(subview(u, ghost, ALL), subview(u, row, ALL),
///                subview(signals, signal), step, symm::SignalOp::set, pe);
///     rows.enqueue(exec);
///
/// Local. One thread uses an object. It may be used again in each step, and
/// then allocates nothing.
class PutSignals {
 public:
  /// Takes the arguments of put_signal(). Nothing is sent.
  /// \throws UsageError on this PE, with labels and extents, if the Views are
  ///         not such as put_signal() takes; nothing is added.
  template <class T, class... P, class U, class... Q, class... S>
  void add(Kokkos::View<T, P...> const& dst, Kokkos::View<U, Q...> const& src,
           Kokkos::View<S...> const& signal, Signal value, SignalOp op, Pe pe) {
    Impl::check_signalled_views(dst, src);
    add(dst.data(), src.data(), src.size(), Impl::signal_of(signal), value, op,
        pe);
  }
  /// The same of addresses. \param count elements; 0: the signal alone.
  template <class T>
  void add(T* dest, std::type_identity_t<T> const* source, std::size_t count,
           Signal* signal_address, Signal signal, SignalOp op, Pe pe) {
    Impl::check_element<T>();
    m_puts.push_back({dest, source, Impl::bytes_of(sizeof(T), count),
                      signal_address, signal, op, pe});
  }
  [[nodiscard]] std::size_t size() const { return m_puts.size(); }
  void clear() { m_puts.clear(); }

  /// Sends all that have been added, each as put_signal(exec, ...) does: after
  /// the earlier work of `exec`, and the data before their own signal. Puts of
  /// one object arrive in any order. On return there are none.
  /// \throws UsageError on this PE, as put_signal(): nothing has been sent, and
  ///         the puts are kept. SystemError on this PE, if CUDA refuses.
  template <Impl::ExecutionSpace Exec>
  void enqueue(Exec const& exec) {
    if (m_puts.empty()) return;
    Impl::enqueue_put_signals(exec, std::span<Impl::SignalledPut const>(m_puts),
                              "symm::PutSignals::enqueue");
    m_puts.clear();
  }

 private:
  std::vector<Impl::SignalledPut> m_puts;
};

}  // namespace symm

#endif
