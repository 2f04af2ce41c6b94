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

// Data, and a signal that they have arrived (OpenSHMEM 1.5, signaling
// operations). A call puts `count` elements of `source` into PE `pe`'s copy of
// `dest`, then changes its copy of the signal at `signal_address`. A PE that
// has seen the change by signal_wait_until(), a wait or a test sees the data.
// The signal does not order other puts of the caller: call fence() first for
// those. Callers, completion and errors are those of put() (symm_rma.hpp). A
// count of 0 sends the signal alone, as signal_op().
//
// Signals of several PEs to one signal object are atomic if all use the same
// SignalOp. Between PEs, signals may be mixed with atomics on std::uint64_t.

/// shmem_put_signal, on the host. A kernel changes a signal in GPU memory, and
/// the call waits for it; with Kokkos the kernel runs in the default instance.
/// To a PE of another node, data and signal are one message.
/// \throws UsageError on this PE, too, if the signal is not in this PE's part
///         of the heap, or its address is no multiple of 8. Nothing has been
///         put then.
template <class T>
void put_signal(T* dest, std::type_identity_t<T> const* source,
                std::size_t count, Signal* signal_address, Signal signal,
                SignalOp op, Pe pe) {
  Impl::put_signal_on_host(dest, source, count, signal_address, signal, op, pe,
                           Impl::Until::is_safe, "symm::put_signal");
}

/// shmem_put_signal in a kernel by all threads of a thread team, or all lanes
/// of a thread: sends one signal, after the data of all of them. `heap` is the
/// map of both the data and the signal.
template <Impl::ThreadGroup Threads, class T>
SYMM_INLINE_FUNCTION void put_signal(Threads const& threads,
                                     HeapMap const& heap, T* dest,
                                     std::type_identity_t<T> const* source,
                                     std::size_t count, Signal* signal_address,
                                     Signal signal, SignalOp op, Pe pe) {
  Impl::put_signal_of_group(threads, heap, dest, source, count, signal_address,
                            signal, op, pe, Impl::Until::is_safe,
                            "symm::put_signal");
}

/// The same by one thread.
template <class T>
SYMM_INLINE_FUNCTION void put_signal(HeapMap const& heap, T* dest,
                                     std::type_identity_t<T> const* source,
                                     std::size_t count, Signal* signal_address,
                                     Signal signal, SignalOp op, Pe pe) {
  put_signal(Impl::OneThread(), heap, dest, source, count, signal_address,
             signal, op, pe);
}

// shmem_put_signal_nbi: may return before the data and the signal have arrived;
// quiet() waits for them. For a PE of another node `source` must not change
// until then. For a PE of this node it is the same as put_signal(). `request`
// becomes the operation, unless it is null: wait_source() says when `source`
// may change, wait() when the signal has.

template <class T>
void put_signal_nbi(T* dest, std::type_identity_t<T> const* source,
                    std::size_t count, Signal* signal_address, Signal signal,
                    SignalOp op, Pe pe, Request* request = nullptr) {
  constexpr char const* name = "symm::put_signal_nbi";
  Impl::put_signal_on_host(dest, source, count, signal_address, signal, op, pe,
                           Impl::Until::is_begun,
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
                            signal, op, pe, Impl::Until::is_begun,
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

// Both on the host in a context, as symm_rma.hpp says.

template <class T>
void put_signal(Context const& context, T* dest,
                std::type_identity_t<T> const* source, std::size_t count,
                Signal* signal_address, Signal signal, SignalOp op, Pe pe) {
  constexpr char const* name = "symm::put_signal";
  Impl::put_signal_on_host(dest, source, count, signal_address, signal, op,
                           context.world_pe(pe, name), Impl::Until::is_safe,
                           context.call(name));
}
template <class T>
void put_signal_nbi(Context const& context, T* dest,
                    std::type_identity_t<T> const* source, std::size_t count,
                    Signal* signal_address, Signal signal, SignalOp op, Pe pe,
                    Request* request = nullptr) {
  constexpr char const* name = "symm::put_signal_nbi";
  Impl::put_signal_on_host(dest, source, count, signal_address, signal, op,
                           context.world_pe(pe, name), Impl::Until::is_begun,
                           context.call(name, request));
}

/// Sends the signal alone, on the host (nvshmemx_signal_op; in OpenSHMEM,
/// shmem_put_signal of no elements). It orders nothing: call fence() first for
/// earlier puts and stores of the caller. On return it may still be in flight
/// to a PE of another node: quiet() waits for it. A signal in GPU memory is
/// changed as by put_signal().
/// \throws UsageError on this PE, as put_signal().
inline void signal_op(Signal* signal_address, Signal signal, SignalOp op,
                      Pe pe) {
  Impl::put_signal_on_host(static_cast<char*>(nullptr), nullptr, 0,
                           signal_address, signal, op, pe, Impl::Until::is_safe,
                           "symm::signal_op");
}

/// The same in a kernel, by one thread. For stores of a thread team, the team's
/// barrier comes first, then fence() by that thread.
SYMM_INLINE_FUNCTION void signal_op(HeapMap const& heap, Signal* signal_address,
                                    Signal signal, SignalOp op, Pe pe) {
  Impl::put_signal_of_group(
      Impl::OneThread(), heap, static_cast<char*>(nullptr), nullptr, 0,
      signal_address, signal, op, pe, Impl::Until::is_safe, "symm::signal_op");
}

/// shmem_signal_fetch: the value of this PE's signal. Local; callable from host
/// and kernels, as the waits are. The data of the signals that it has seen are
/// visible, as after a wait.
/// \throws UsageError as wait_until().
[[nodiscard]] SYMM_INLINE_FUNCTION Signal
signal_fetch(Signal const* signal_address) {
  SYMM_IF_ON_HOST((Impl::check_variable("symm::signal_fetch", signal_address,
                                        sizeof(Signal));))
  [[maybe_unused]] Impl::check::Call const its_call("symm::signal_fetch");
  auto const value = Impl::poll(signal_address);
  Impl::check::seen(signal_address);
  return value;
}

/// shmem_signal_wait_until: wait_until() on this PE's signal.
/// \returns its value.
/// \throws UsageError as wait_until().
SYMM_INLINE_FUNCTION Signal signal_wait_until(Signal const* signal_address,
                                              Compare compare, Signal value) {
  Impl::PollOne<Signal> one{{signal_address, 1, nullptr, compare, value}};
  Impl::wait_for("symm::signal_wait_until", one);
  return one.now;
}

// Waiting until another PE has changed a variable of this PE (OpenSHMEM 1.5,
// point-to-point synchronization). The change must be a store that arrives
// whole and once: by p, put and its relatives as symm_rma.hpp says (on CPUs up
// to 64 bytes), atomics, signals, store_relaxed(). When a wait or a test has
// seen such a store, this thread sees what the other PE has ordered before it
// (put_signal, fence), and may clear the variable for the next one.
//
// Callable from host and kernels, on any address that is reached there (in
// kernels: in global memory, not in scratch memory of a thread team); local.
// A kernel polls. It waits for ever for a PE whose kernel cannot run meanwhile,
// because both share a GPU that is full. The host polls, then yields its core,
// then sleeps. Every SYMM_TIMEOUT seconds it reports what it waits for. It ends
// the job if the process of a PE is gone. When a report is due, it also ends
// the job if all other PEs (one at least) wait in finalize(), where they store
// nothing any more; until then a thread or a kernel of this PE may store.
//
// On the host all throw UsageError on this PE, if the address is null, no
// multiple of the variable's size or in the GPU memory of a heap, and before
// initialize() and after finalize().

/// Waits until the comparison of `*ivar` with `value` is true (Compare::ge:
/// `*ivar >= value`).
/// \returns the value of `*ivar` then.
template <Impl::Waitable T>
SYMM_INLINE_FUNCTION T wait_until(T const* ivar, Compare compare,
                                  std::type_identity_t<T> value) {
  Impl::PollOne<T> one{{ivar, 1, nullptr, compare, value}};
  Impl::wait_for("symm::wait_until", one);
  return one.now;
}

/// Whether the comparison of `*ivar` with `value` is true.
template <Impl::Waitable T>
[[nodiscard]] SYMM_INLINE_FUNCTION bool test(T const* ivar, Compare compare,
                                             std::type_identity_t<T> value) {
  Impl::PollOne<T> one{{ivar, 1, nullptr, compare, value}};
  return Impl::test_for("symm::test", one);
}

// Several variables at once. Common parameters:
//
// - `ivars`: the first of `count`; a wait returns at once if none counts.
// - `status`: null, or one int for each variable, which counts if that is 0.
// - `value`: for all variables; in the functions that end in _vector `values`,
//   the first of one for each variable.

/// Waits until the comparison has been true of each variable that counts, not
/// necessarily of all at one time.
template <Impl::Waitable T>
SYMM_INLINE_FUNCTION void wait_until_all(T const* ivars, std::size_t count,
                                         int const* status, Compare compare,
                                         std::type_identity_t<T> value) {
  Impl::PollAll<T> all{{ivars, count, status, compare, value}};
  Impl::wait_for("symm::wait_until_all", all);
}

/// Waits until the comparison is true of a variable that counts. If it is true
/// of several, repeated calls return each of them sooner or later.
/// \returns its index; SIZE_MAX if none counts.
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

/// Waits until the comparison is true of at least one variable that counts.
/// \param indices room for `count`; gets the indices of those, ascending.
/// \returns how many there are; 0 if none counts.
template <Impl::Waitable T>
SYMM_INLINE_FUNCTION std::size_t wait_until_some(
    T const* ivars, std::size_t count, std::size_t* indices, int const* status,
    Compare compare, std::type_identity_t<T> value) {
  Impl::PollSome<T> some{{ivars, count, status, compare, value}, indices};
  Impl::wait_for("symm::wait_until_some", some);
  return some.n_found;
}

/// Whether the comparison is true of each variable that counts; true if none
/// counts.
template <Impl::Waitable T>
[[nodiscard]] SYMM_INLINE_FUNCTION bool test_all(
    T const* ivars, std::size_t count, int const* status, Compare compare,
    std::type_identity_t<T> value) {
  Impl::PollAll<T> all{{ivars, count, status, compare, value}};
  return Impl::test_for("symm::test_all", all);
}

/// The index of a variable that counts and of which the comparison is true,
/// chosen as by wait_until_any(); SIZE_MAX if there is none.
template <Impl::Waitable T>
[[nodiscard]] SYMM_INLINE_FUNCTION std::size_t test_any(
    T const* ivars, std::size_t count, int const* status, Compare compare,
    std::type_identity_t<T> value) {
  Impl::PollAny<T> any{{ivars, count, status, compare, value}};
  Impl::test_for("symm::test_any", any);
  return any.found;
}

/// The number of variables that count and of which the comparison is true.
/// \param indices as for wait_until_some().
template <Impl::Waitable T>
[[nodiscard]] SYMM_INLINE_FUNCTION std::size_t test_some(
    T const* ivars, std::size_t count, std::size_t* indices, int const* status,
    Compare compare, std::type_identity_t<T> value) {
  Impl::PollSome<T> some{{ivars, count, status, compare, value}, indices};
  Impl::test_for("symm::test_some", some);
  return some.n_found;
}

/// wait_until_all() with a value for each variable.
template <Impl::Waitable T>
SYMM_INLINE_FUNCTION void wait_until_all_vector(
    T const* ivars, std::size_t count, int const* status, Compare compare,
    std::type_identity_t<T> const* values) {
  Impl::PollAll<T> all{{ivars, count, status, compare, T{}, values}};
  Impl::wait_for("symm::wait_until_all_vector", all);
}

/// wait_until_any() with a value for each variable.
template <Impl::Waitable T>
SYMM_INLINE_FUNCTION std::size_t wait_until_any_vector(
    T const* ivars, std::size_t count, int const* status, Compare compare,
    std::type_identity_t<T> const* values) {
  Impl::PollAny<T> any{{ivars, count, status, compare, T{}, values}};
  Impl::wait_for("symm::wait_until_any_vector", any);
  return any.found;
}

/// wait_until_some() with a value for each variable.
template <Impl::Waitable T>
SYMM_INLINE_FUNCTION std::size_t wait_until_some_vector(
    T const* ivars, std::size_t count, std::size_t* indices, int const* status,
    Compare compare, std::type_identity_t<T> const* values) {
  Impl::PollSome<T> some{{ivars, count, status, compare, T{}, values}, indices};
  Impl::wait_for("symm::wait_until_some_vector", some);
  return some.n_found;
}

/// test_all() with a value for each variable.
template <Impl::Waitable T>
[[nodiscard]] SYMM_INLINE_FUNCTION bool test_all_vector(
    T const* ivars, std::size_t count, int const* status, Compare compare,
    std::type_identity_t<T> const* values) {
  Impl::PollAll<T> all{{ivars, count, status, compare, T{}, values}};
  return Impl::test_for("symm::test_all_vector", all);
}

/// test_any() with a value for each variable.
template <Impl::Waitable T>
[[nodiscard]] SYMM_INLINE_FUNCTION std::size_t test_any_vector(
    T const* ivars, std::size_t count, int const* status, Compare compare,
    std::type_identity_t<T> const* values) {
  Impl::PollAny<T> any{{ivars, count, status, compare, T{}, values}};
  Impl::test_for("symm::test_any_vector", any);
  return any.found;
}

/// test_some() with a value for each variable.
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
