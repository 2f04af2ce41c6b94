// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_SIGNALS_HPP
#define SYMM_SIGNALS_HPP

#include <cstddef>
#include <type_traits>

#include "base/Function.hpp"
#include "shmem/Waiting.hpp"

namespace symm {

// Waiting until another PE has changed a variable of this PE (OpenSHMEM 1.5,
// point-to-point synchronization). The variables are changed by stores that
// come whole and once: p, put and its relatives as
// symm_rma.hpp says (on CPUs up to 64 bytes), atomics, signals,
// store_relaxed(). Who has seen such a store may clear the variable
// for the next one. What the other PE has ordered before such a store
// (put_signal, fence) is visible to this thread when a wait or a test has seen
// it.
//
// Callable from host and kernels, on any address that is reached there (in
// kernels: in global memory, not in scratch memory of a team); local.
// A kernel polls; one that waits for a PE whose kernel cannot run meanwhile,
// since both share a GPU that is full, waits for ever. The host polls, then
// gives its core away, then sleeps. Every SYMM_TIMEOUT seconds it reports what
// it waits for. It ends the job if the process of a PE is gone; and if it is
// time for a report and all other PEs (one at least) wait in finalize(), where
// they store nothing any more: until then a thread or a kernel of this PE may.
//
// On the host all throw UsageError on this PE, if the address is null or in the
// GPU memory of a heap, and before initialize() and after finalize().

/// Waits until `*ivar` compares with `value` so.
/// \returns what it was then.
template <Impl::Waitable T>
SYMM_INLINE_FUNCTION T wait_until(T const* ivar, Compare compare,
                                  std::type_identity_t<T> value) {
  Impl::PollOne<T> one{{ivar, 1, nullptr, compare, value}};
  Impl::wait_for("symm::wait_until", one);
  return one.now;
}

/// Whether `*ivar` compares with `value` so.
template <Impl::Waitable T>
[[nodiscard]] SYMM_INLINE_FUNCTION bool test(T const* ivar, Compare compare,
                                             std::type_identity_t<T> value) {
  Impl::PollOne<T> one{{ivar, 1, nullptr, compare, value}};
  return Impl::test_for("symm::test", one);
}

// Several variables at once. Common parameters:
//
// ivars  the first of `count`; with none to wait for, nothing is waited for.
// status null, or one int for each variable; nonzero: it does not count.
// value  for all variables, or, in the functions that end in _vector, the first
//        of one for each variable.

/// Waits until each variable that counts has compared so, not necessarily all
/// at one time.
template <Impl::Waitable T>
SYMM_INLINE_FUNCTION void wait_until_all(T const* ivars, std::size_t count,
                                         int const* status, Compare compare,
                                         std::type_identity_t<T> value) {
  Impl::PollAll<T> all{{ivars, count, status, compare, value}};
  Impl::wait_for("symm::wait_until_all", all);
}

/// Waits until a variable that counts compares so. If several do, none is left
/// out for ever by calls in a row.
/// \returns its index; SIZE_MAX if none counts.
template <Impl::Waitable T>
SYMM_INLINE_FUNCTION std::size_t wait_until_any(T const* ivars,
                                                std::size_t count,
                                                int const* status,
                                                Compare compare,
                                                std::type_identity_t<T> value) {
  Impl::PollAny<T> any{{ivars, count, status, compare, value},
                       Impl::PollAny<T>::choose_first(count)};
  Impl::wait_for("symm::wait_until_any", any);
  return any.found;
}

/// Waits until at least one variable that counts compares so.
/// \param indices room for `count`; gets those that do, in order.
/// \returns how many do; 0 if none counts.
template <Impl::Waitable T>
SYMM_INLINE_FUNCTION std::size_t wait_until_some(
    T const* ivars, std::size_t count, std::size_t* indices, int const* status,
    Compare compare, std::type_identity_t<T> value) {
  Impl::PollSome<T> some{{ivars, count, status, compare, value}, indices};
  Impl::wait_for("symm::wait_until_some", some);
  return some.n_found;
}

/// Whether each variable that counts compares so; true if none counts.
template <Impl::Waitable T>
[[nodiscard]] SYMM_INLINE_FUNCTION bool test_all(
    T const* ivars, std::size_t count, int const* status, Compare compare,
    std::type_identity_t<T> value) {
  Impl::PollAll<T> all{{ivars, count, status, compare, value}};
  return Impl::test_for("symm::test_all", all);
}

/// The index of a variable that counts and compares so, as wait_until_any();
/// SIZE_MAX if there is none.
template <Impl::Waitable T>
[[nodiscard]] SYMM_INLINE_FUNCTION std::size_t test_any(
    T const* ivars, std::size_t count, int const* status, Compare compare,
    std::type_identity_t<T> value) {
  Impl::PollAny<T> any{{ivars, count, status, compare, value},
                       Impl::PollAny<T>::choose_first(count)};
  Impl::test_for("symm::test_any", any);
  return any.found;
}

/// How many variables count and compare so; their indices as
/// wait_until_some().
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
  Impl::PollAny<T> any{{ivars, count, status, compare, T{}, values},
                       Impl::PollAny<T>::choose_first(count)};
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
  Impl::PollAny<T> any{{ivars, count, status, compare, T{}, values},
                       Impl::PollAny<T>::choose_first(count)};
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
