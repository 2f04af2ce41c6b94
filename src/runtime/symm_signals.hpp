// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_SIGNALS_HPP
#define SYMM_SIGNALS_HPP

#include <cstddef>
#include <type_traits>

#include "access/Signal.hpp"
#include "base/Check.hpp"
#include "base/Function.hpp"
#include "base/Types.hpp"
#include "groups/Group.hpp"
#include "groups/ThisBlock.hpp"
#include "memory/HeapMap.hpp"
#include "one_sided/PutSignal.hpp"
#include "symm_contexts.hpp"
#include "waiting/Waiting.hpp"

namespace symm {

// A put with a signal sends data, then a signal that tells the target that the
// data has arrived (OpenSHMEM 1.5, signaling operations). A call puts `count`
// elements of `source` into PE `pe`'s copy of `dest`, then updates PE `pe`'s
// copy of the signal at `signal_address`. Once PE `pe` has seen the update in
// signal_wait_until(), a wait or a test, it also sees the data. The signal does
// not order the caller's other puts: to order those, call fence() first.
// Callers, completion and errors are the same as for put() (symm_rma.hpp). With
// a count of 0, the call sends only the signal, like signal_op().
//
// Signals from several PEs to one signal object are atomic if all PEs use the
// same SignalOp. Programs may mix signals with atomics on std::uint64_t.

/// Puts `count` elements and then updates the signal, on the host
/// (shmem_put_signal). If the signal is in GPU memory, a kernel updates it, and
/// the call waits for that kernel. With Kokkos, the kernel runs on the default
/// instance. To a PE on another node, a small block and its signal travel as
/// one message.
/// \throws UsageError on this PE also if the signal is outside this PE's part
///         of the heap, or if the signal's address is not a multiple of 8. In
///         that case, nothing has been put.
template <class T>
void put_signal(T* dest, std::type_identity_t<T> const* source,
                std::size_t count, Signal* signal_address, Signal signal,
                SignalOp op, Pe pe) {
  Impl::put_signal_on_host(dest, source, count, signal_address, signal, op, pe,
                           Impl::Completion::local, "symm::put_signal");
}

/// put_signal() in a kernel, called by all threads of a thread team or by all
/// lanes of a thread. The call sends one signal, after the data from all of
/// these threads. `heap` is the map of the heap that contains both the data and
/// the signal.
template <Impl::ThreadGroup Threads, class T>
SYMM_INLINE_FUNCTION void put_signal(Threads const& threads,
                                     HeapMap const& heap, T* dest,
                                     std::type_identity_t<T> const* source,
                                     std::size_t count, Signal* signal_address,
                                     Signal signal, SignalOp op, Pe pe) {
  Impl::put_signal_of_group(threads, heap, dest, source, count, signal_address,
                            signal, op, pe, Impl::Completion::local,
                            "symm::put_signal");
}

/// put_signal() in a kernel, called by one thread.
template <class T>
SYMM_INLINE_FUNCTION void put_signal(HeapMap const& heap, T* dest,
                                     std::type_identity_t<T> const* source,
                                     std::size_t count, Signal* signal_address,
                                     Signal signal, SignalOp op, Pe pe) {
  put_signal(Impl::OneThread(), heap, dest, source, count, signal_address,
             signal, op, pe);
}

// put_signal_nbi() (shmem_put_signal_nbi) may return before the data and the
// signal have arrived; quiet() waits for both. For a PE on another node, do not
// change `source` until then. For a PE on this node, put_signal_nbi() is the
// same as put_signal(). `request`, if not null, tracks the operation: its
// wait_source() returns when `source` may change, and its wait() returns when
// the signal has been updated.

template <class T>
void put_signal_nbi(T* dest, std::type_identity_t<T> const* source,
                    std::size_t count, Signal* signal_address, Signal signal,
                    SignalOp op, Pe pe, Request* request = nullptr) {
  constexpr char const* name = "symm::put_signal_nbi";
  Impl::put_signal_on_host(dest, source, count, signal_address, signal, op, pe,
                           Impl::Completion::none,
                           request == nullptr
                               ? Impl::HostCall(name)
                               : Impl::call_of(name, nullptr, request));
}
template <Impl::ThreadGroup Threads, class T>
SYMM_INLINE_FUNCTION void put_signal_nbi(Threads const& threads,
                                         HeapMap const& heap, T* dest,
                                         std::type_identity_t<T> const* source,
                                         std::size_t count,
                                         Signal* signal_address, Signal signal,
                                         SignalOp op, Pe pe) {
  Impl::put_signal_of_group(threads, heap, dest, source, count, signal_address,
                            signal, op, pe, Impl::Completion::none,
                            "symm::put_signal_nbi");
}
template <class T>
SYMM_INLINE_FUNCTION void put_signal_nbi(HeapMap const& heap, T* dest,
                                         std::type_identity_t<T> const* source,
                                         std::size_t count,
                                         Signal* signal_address, Signal signal,
                                         SignalOp op, Pe pe) {
  put_signal_nbi(Impl::OneThread(), heap, dest, source, count, signal_address,
                 signal, op, pe);
}

// put_signal() and put_signal_nbi() on the host in a context (see
// symm_rma.hpp).

template <class T>
void put_signal(Context const& context, T* dest,
                std::type_identity_t<T> const* source, std::size_t count,
                Signal* signal_address, Signal signal, SignalOp op, Pe pe) {
  constexpr char const* name = "symm::put_signal";
  Impl::put_signal_on_host(dest, source, count, signal_address, signal, op,
                           context.world_pe(pe, name), Impl::Completion::local,
                           context.call(name));
}
template <class T>
void put_signal_nbi(Context const& context, T* dest,
                    std::type_identity_t<T> const* source, std::size_t count,
                    Signal* signal_address, Signal signal, SignalOp op, Pe pe,
                    Request* request = nullptr) {
  constexpr char const* name = "symm::put_signal_nbi";
  Impl::put_signal_on_host(dest, source, count, signal_address, signal, op,
                           context.world_pe(pe, name), Impl::Completion::none,
                           context.call(name, request));
}

/// Sends only the signal, on the host (nvshmemx_signal_op; in OpenSHMEM,
/// shmem_put_signal with no elements). signal_op() imposes no ordering: to
/// order the caller's earlier puts and stores, call fence() first. When
/// signal_op() returns, a signal to a PE on another node may still be in
/// flight; quiet() waits for it. A signal in GPU memory is updated by a kernel,
/// as in put_signal().
/// \throws UsageError on this PE, as put_signal() does.
inline void signal_op(Signal* signal_address, Signal signal, SignalOp op,
                      Pe pe) {
  Impl::put_signal_on_host(static_cast<char*>(nullptr), nullptr, 0,
                           signal_address, signal, op, pe,
                           Impl::Completion::local, "symm::signal_op");
}

/// Sends only the signal, in a kernel, by one thread. To order a thread team's
/// stores before the signal, the team must first pass a barrier; the sending
/// thread must then call fence() before it sends the signal.
SYMM_INLINE_FUNCTION void signal_op(HeapMap const& heap, Signal* signal_address,
                                    Signal signal, SignalOp op, Pe pe) {
  Impl::put_signal_of_group(Impl::OneThread(), heap,
                            static_cast<char*>(nullptr), nullptr, 0,
                            signal_address, signal, op, pe,
                            Impl::Completion::local, "symm::signal_op");
}

/// shmem_signal_fetch: returns the value of this PE's signal. The call is
/// local, and callable from the host and from kernels, like the waits. As after
/// a wait, the data that came with every signal included in the returned value
/// is visible.
/// \throws UsageError as wait_until() does.
[[nodiscard]] SYMM_INLINE_FUNCTION Signal
signal_fetch(Signal const* signal_address) {
  SYMM_IF_ON_HOST((Impl::check_variable("symm::signal_fetch", signal_address,
                                        sizeof(Signal));))
  [[maybe_unused]] Impl::check::Call const its_call("symm::signal_fetch");
  auto const value = Impl::poll(signal_address);
  Impl::check::seen(signal_address);
  return value;
}

/// shmem_signal_wait_until: calls wait_until() on this PE's signal.
/// \returns the value of the signal.
/// \throws UsageError as wait_until() does.
SYMM_INLINE_FUNCTION Signal signal_wait_until(Signal const* signal_address,
                                              Compare compare, Signal value) {
  Impl::PollOne<Signal> one{{signal_address, 1, nullptr, compare, value}};
  Impl::wait_for("symm::signal_wait_until", one);
  return one.now;
}

// Waiting until another PE has changed a variable on this PE (OpenSHMEM 1.5,
// point-to-point synchronization). The change must be a store that arrives in
// one piece and exactly once. p, atomics, signals and store_relaxed() make such
// stores, as do put and related functions under the conditions in symm_rma.hpp
// (on CPUs, up to 64 bytes). Once a wait or a test has seen such a store, this
// thread also sees everything that the other PE ordered before the store (with
// put_signal or fence). The thread may then clear the variable for the next
// store.
//
// Waits and tests are local, and callable from the host and from kernels, on
// any address that the caller can reach. In kernels, the address must be in
// global memory, not in a thread team's scratch memory.
//
// In a kernel, a wait polls. It never ends if the other PE's kernel cannot run
// because both PEs share a GPU that has no room for that kernel.
//
// On the host, a wait first polls continuously, then yields the core between
// polls, and finally sleeps between polls. Every SYMM_TIMEOUT seconds, the
// waiting PE reports what it is waiting for. It ends the job if any PE's
// process has exited. When a report is due, the waiting PE also ends the job if
// all other PEs (at least one) are waiting in finalize(), where they no longer
// store anything. It does not end the job earlier, because one of its own
// threads or kernels might still make the store. (It does not check for
// finalize() in jobs with more than 1000 far PEs.)
//
// On the host, all waits and tests check the address. They throw UsageError on
// this PE if the address is null, is not a multiple of the variable's size, or
// is in a heap's GPU memory. They also throw UsageError before initialize() and
// after finalize().

/// Waits until the comparison of `*ivar` with `value` is true (Compare::ge:
/// `*ivar >= value`).
/// \returns the value of `*ivar` for which the comparison was true.
template <Impl::Waitable T>
SYMM_INLINE_FUNCTION T wait_until(T const* ivar, Compare compare,
                                  std::type_identity_t<T> value) {
  Impl::PollOne<T> one{{ivar, 1, nullptr, compare, value}};
  Impl::wait_for("symm::wait_until", one);
  return one.now;
}

/// Whether the comparison of `*ivar` with `value` is currently true.
template <Impl::Waitable T>
[[nodiscard]] SYMM_INLINE_FUNCTION bool test(T const* ivar, Compare compare,
                                             std::type_identity_t<T> value) {
  Impl::PollOne<T> one{{ivar, 1, nullptr, compare, value}};
  return Impl::test_for("symm::test", one);
}

// Waits and tests for several variables at once. Common parameters:
//
// - `ivars`: the first of `count` variables; a wait returns immediately if no
//   variable is selected.
// - `status`: an array with one int for each variable; a variable is selected
//   if that int is 0. If `status` is null, all variables are selected.
// - `value`: one value for all variables. Functions whose names end in _vector
//   instead take `values`, an array with one value for each variable.

/// Waits until the comparison has been true at least once for each selected
/// variable, not necessarily for all variables at the same time.
template <Impl::Waitable T>
SYMM_INLINE_FUNCTION void wait_until_all(T const* ivars, std::size_t count,
                                         int const* status, Compare compare,
                                         std::type_identity_t<T> value) {
  Impl::PollAll<T> all{{ivars, count, status, compare, value}};
  Impl::wait_for("symm::wait_until_all", all);
}

/// Waits until the comparison is true for any selected variable. If the
/// comparison is true for several variables, repeated calls eventually return
/// the index of each of them.
/// \returns the index of such a variable; SIZE_MAX if no variable is selected.
template <Impl::Waitable T>
SYMM_INLINE_FUNCTION std::size_t wait_until_any(T const* ivars,
                                                std::size_t count,
                                                int const* status,
                                                Compare compare,
                                                std::type_identity_t<T> value) {
  Impl::PollAny<T> any{{ivars, count, status, compare, value}};
  Impl::wait_for("symm::wait_until_any", any);
  return any.found;
}

/// Waits until the comparison is true for at least one selected variable.
/// \param indices room for `count` indices; receives the indices of the
///        variables for which the comparison is true, in ascending order.
/// \returns the number of these variables; 0 if no variable is selected.
template <Impl::Waitable T>
SYMM_INLINE_FUNCTION std::size_t wait_until_some(
    T const* ivars, std::size_t count, std::size_t* indices, int const* status,
    Compare compare, std::type_identity_t<T> value) {
  Impl::PollSome<T> some{{ivars, count, status, compare, value}, indices};
  Impl::wait_for("symm::wait_until_some", some);
  return some.n_found;
}

/// Whether the comparison is true for each selected variable; true if no
/// variable is selected.
template <Impl::Waitable T>
[[nodiscard]] SYMM_INLINE_FUNCTION bool test_all(
    T const* ivars, std::size_t count, int const* status, Compare compare,
    std::type_identity_t<T> value) {
  Impl::PollAll<T> all{{ivars, count, status, compare, value}};
  return Impl::test_for("symm::test_all", all);
}

/// Returns the index of a selected variable for which the comparison is true,
/// chosen as in wait_until_any(); SIZE_MAX if there is no such variable.
template <Impl::Waitable T>
[[nodiscard]] SYMM_INLINE_FUNCTION std::size_t test_any(
    T const* ivars, std::size_t count, int const* status, Compare compare,
    std::type_identity_t<T> value) {
  Impl::PollAny<T> any{{ivars, count, status, compare, value}};
  Impl::test_for("symm::test_any", any);
  return any.found;
}

/// Returns the number of selected variables for which the comparison is true.
/// \param indices as for wait_until_some().
template <Impl::Waitable T>
[[nodiscard]] SYMM_INLINE_FUNCTION std::size_t test_some(
    T const* ivars, std::size_t count, std::size_t* indices, int const* status,
    Compare compare, std::type_identity_t<T> value) {
  Impl::PollSome<T> some{{ivars, count, status, compare, value}, indices};
  Impl::test_for("symm::test_some", some);
  return some.n_found;
}

/// Like wait_until_all(), but with a separate value for each variable.
template <Impl::Waitable T>
SYMM_INLINE_FUNCTION void wait_until_all_vector(
    T const* ivars, std::size_t count, int const* status, Compare compare,
    std::type_identity_t<T> const* values) {
  Impl::PollAll<T> all{{ivars, count, status, compare, T{}, values}};
  Impl::wait_for("symm::wait_until_all_vector", all);
}

/// Like wait_until_any(), but with a separate value for each variable.
template <Impl::Waitable T>
SYMM_INLINE_FUNCTION std::size_t wait_until_any_vector(
    T const* ivars, std::size_t count, int const* status, Compare compare,
    std::type_identity_t<T> const* values) {
  Impl::PollAny<T> any{{ivars, count, status, compare, T{}, values}};
  Impl::wait_for("symm::wait_until_any_vector", any);
  return any.found;
}

/// Like wait_until_some(), but with a separate value for each variable.
template <Impl::Waitable T>
SYMM_INLINE_FUNCTION std::size_t wait_until_some_vector(
    T const* ivars, std::size_t count, std::size_t* indices, int const* status,
    Compare compare, std::type_identity_t<T> const* values) {
  Impl::PollSome<T> some{{ivars, count, status, compare, T{}, values}, indices};
  Impl::wait_for("symm::wait_until_some_vector", some);
  return some.n_found;
}

/// Like test_all(), but with a separate value for each variable.
template <Impl::Waitable T>
[[nodiscard]] SYMM_INLINE_FUNCTION bool test_all_vector(
    T const* ivars, std::size_t count, int const* status, Compare compare,
    std::type_identity_t<T> const* values) {
  Impl::PollAll<T> all{{ivars, count, status, compare, T{}, values}};
  return Impl::test_for("symm::test_all_vector", all);
}

/// Like test_any(), but with a separate value for each variable.
template <Impl::Waitable T>
[[nodiscard]] SYMM_INLINE_FUNCTION std::size_t test_any_vector(
    T const* ivars, std::size_t count, int const* status, Compare compare,
    std::type_identity_t<T> const* values) {
  Impl::PollAny<T> any{{ivars, count, status, compare, T{}, values}};
  Impl::test_for("symm::test_any_vector", any);
  return any.found;
}

/// Like test_some(), but with a separate value for each variable.
template <Impl::Waitable T>
[[nodiscard]] SYMM_INLINE_FUNCTION std::size_t test_some_vector(
    T const* ivars, std::size_t count, std::size_t* indices, int const* status,
    Compare compare, std::type_identity_t<T> const* values) {
  Impl::PollSome<T> some{{ivars, count, status, compare, T{}, values}, indices};
  Impl::test_for("symm::test_some_vector", some);
  return some.n_found;
}

}  // namespace symm

#endif
