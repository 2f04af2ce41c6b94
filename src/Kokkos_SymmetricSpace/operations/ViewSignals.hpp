// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef KOKKOS_SYMMETRICSPACE_VIEWSIGNALS_HPP
#define KOKKOS_SYMMETRICSPACE_VIEWSIGNALS_HPP

#include <Kokkos_Core.hpp>
#include <cstddef>
#include <string>
#include <type_traits>

#include "../../runtime/access/Signal.hpp"
#include "../../runtime/base/Types.hpp"
#include "../../runtime/symm_errors.hpp"
#include "../../runtime/symm_signals.hpp"
#include "../../runtime/waiting/Waiting.hpp"
#include "../space/SymmetricSpaceBase.hpp"
#include "Signals.hpp"
#include "ViewCollectives.hpp"
#include "ViewCopy.hpp"

namespace symm::Impl {

/// \throws UsageError on this PE, with labels and extents in the message, if
///         the Views do not have equal extents and layouts or have gaps between
///         their elements.
template <class Dst, class Src>
void check_signaled_views(Dst const& dst, Src const& src) {
  static_assert(is_symmetric_space_v<typename Dst::memory_space>,
                "the destination must be in a symmetric space: declare it as "
                "Kokkos::View<..., symm::SymmetricSpace>");
  static_assert(std::is_same_v<typename Dst::value_type,
                               typename Src::non_const_value_type>,
                "the Views must have the same element type, and the "
                "destination must not be const");
  static_assert(Dst::rank() == Src::rank(),
                "the Views must have the same rank");
  if (have_equal_extents(dst, src) &&
      (dst.size() == 0 || are_equal_bytes(dst, src))) {
    return;
  }
  throw UsageError(
      "symm::put_signal: Views " + text_of_view(dst) + " and " +
      text_of_view(src) +
      " must be contiguous and have equal extents and layouts; copy other "
      "Views with symm::copy or a kernel, and then call symm::fence() and "
      "symm::signal_op(...), or symm::signal_op(exec, ...)");
}

/// The address of a signal, which is the View's only element.
template <class View>
Signal* signal_of(View const& signal) {
  static_assert(
      View::rank() == 0 && std::is_same_v<typename View::value_type, Signal>,
      "a signal must be a View of rank 0 of symm::Signal, such as "
      "Kokkos::subview(signals, i)");
  return signal.data();
}

/// The address of the variable to wait for, which is the View's only element.
template <class View>
auto const* variable_of(View const& variable) {
  static_assert(View::rank() == 0,
                "symm::wait_until takes a View of rank 0, such as "
                "Kokkos::subview(signals, i); for several elements, call "
                "symm::wait_until_all");
  return variable.data();
}

/// \throws UsageError on this PE if the View has gaps between its elements.
template <class View>
auto const* variables_of(View const& variables) {
  static_assert(View::rank() == 1,
                "symm::wait_until_all: the variables must be a View of rank 1");
  if (variables.span_is_contiguous()) return variables.data();
  throw UsageError("symm::wait_until_all: View " + text_of_view(variables) +
                   " is not contiguous; pass a contiguous View, or call "
                   "symm::wait_until for each element");
}

}  // namespace symm::Impl

namespace symm {

// The operations of symm_signals.hpp for Views, performed by the host or
// enqueued on an execution space instance (operations/Signals.hpp describes the
// ordering). All calls are local. A subview of this PE's View also selects the
// same part of PE `pe`'s copy of the View.

/// Puts `src` into PE `pe`'s copy of `dst`, then changes the signal on that PE.
///
/// \param dst a View in the symmetric space.
/// \param src a View in any memory that `exec`, or the host, can access. It
///        must have the same rank, extents and layout as `dst`. Neither View
///        may have gaps between its elements (rows of LayoutRight Views have
///        none).
/// \param signal this PE's copy of the signal: a rank-0 View, such as
///        subview(signals, i).
/// \throws UsageError on this PE, with labels and extents in the message, if
///         the Views do not meet these conditions. UsageError on this PE in the
///         same cases as put_signal() with addresses. Nothing has been put in
///         either case.
template <class T, class... P, class U, class... Q, class... S>
void put_signal(Kokkos::View<T, P...> const& dst,
                Kokkos::View<U, Q...> const& src,
                Kokkos::View<S...> const& signal, Signal value, SignalOp op,
                Pe pe) {
  Impl::check_signaled_views(dst, src);
  put_signal(dst.data(), src.data(), src.size(), Impl::signal_of(signal), value,
             op, pe);
}
template <Impl::ExecutionSpace Exec, class T, class... P, class U, class... Q,
          class... S>
void put_signal(Exec const& exec, Kokkos::View<T, P...> const& dst,
                Kokkos::View<U, Q...> const& src,
                Kokkos::View<S...> const& signal, Signal value, SignalOp op,
                Pe pe) {
  Impl::check_signaled_views(dst, src);
  put_signal(exec, dst.data(), src.data(), src.size(), Impl::signal_of(signal),
             value, op, pe);
}

/// Sends a signal without data. With `exec`, the signal follows all earlier
/// work on `exec`. Without `exec`, the signal follows the operations that
/// fence() has ordered before it.
template <class... S>
void signal_op(Kokkos::View<S...> const& signal, Signal value, SignalOp op,
               Pe pe) {
  signal_op(Impl::signal_of(signal), value, op, pe);
}
template <Impl::ExecutionSpace Exec, class... S>
void signal_op(Exec const& exec, Kokkos::View<S...> const& signal, Signal value,
               SignalOp op, Pe pe) {
  signal_op(exec, Impl::signal_of(signal), value, op, pe);
}

/// Waits for the only element of a rank-0 View, as wait_until() does.
/// \returns the element's value after the wait (only in the host form).
template <class T, class... P>
auto wait_until(Kokkos::View<T, P...> const& variable, Compare compare,
                typename Kokkos::View<T, P...>::const_value_type& value) {
  return wait_until(Impl::variable_of(variable), compare, value);
}
template <Impl::ExecutionSpace Exec, class T, class... P>
void wait_until(Exec const& exec, Kokkos::View<T, P...> const& variable,
                Compare compare,
                typename Kokkos::View<T, P...>::const_value_type& value) {
  wait_until(exec, Impl::variable_of(variable), compare, value);
}

/// Waits for the elements of a rank-1 View without gaps, such as
/// subview(signals, pair(first, end)), as wait_until_all() does. If the View
/// has no elements, the call does not wait.
template <class T, class... P>
void wait_until_all(Kokkos::View<T, P...> const& variables, Compare compare,
                    typename Kokkos::View<T, P...>::const_value_type& value) {
  wait_until_all(Impl::variables_of(variables), variables.size(), nullptr,
                 compare, value);
}
template <Impl::ExecutionSpace Exec, class T, class... P>
void wait_until_all(Exec const& exec, Kokkos::View<T, P...> const& variables,
                    Compare compare,
                    typename Kokkos::View<T, P...>::const_value_type& value) {
  wait_until_all(exec, Impl::variables_of(variables), variables.size(), nullptr,
                 compare, value);
}

}  // namespace symm

#endif
