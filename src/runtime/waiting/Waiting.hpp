// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_WAITING_WAITING_HPP
#define SYMM_WAITING_WAITING_HPP

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include <symm_gpu/KernelWords.hpp>
#include "../access/ProxyClient.hpp"
#include "../base/Check.hpp"
#include "../base/Function.hpp"
#include "../memory/Words.hpp"

namespace symm {

/// How a variable is compared with a value.
enum class Compare { eq, ne, gt, ge, lt, le };

}  // namespace symm

namespace symm::Impl {

// Building blocks of the waits and tests in symm_signals.hpp.

/// Types of variables that a PE can wait for: 4- and 8-byte integers.
template <class T>
concept Waitable = std::integral<T> && !std::same_as<T, bool> &&
                   !std::is_const_v<T> && MachineWord<T>;

/// Whether the comparison of `now` with `value` is true.
template <Waitable T>
SYMM_INLINE_FUNCTION constexpr bool is_true(T now, Compare compare, T value) {
  switch (compare) {
    case Compare::eq: return now == value;
    case Compare::ne: return now != value;
    case Compare::gt: return now > value;
    case Compare::ge: return now >= value;
    case Compare::lt: return now < value;
    case Compare::le: return now <= value;
  }
  return false;
}

/// The load that all waits and tests use. (A relaxed load, followed by a fence
/// on success, would also be correct. On a GPU, however, the fence would wait
/// for the thread's own stores, whereas an acquire load only invalidates the L1
/// cache.)
template <Waitable T>
SYMM_INLINE_FUNCTION T poll(T const* ivar) {
  return load_acquire(ivar);
}

/// Checks the address of a variable for a wait or a test. Also processes
/// incoming messages from far PEs, because a program may test a variable in a
/// loop until such a message changes it.
/// \param bytes size of the variable, or of the first one if there are several.
/// \throws UsageError on this PE if the host cannot load from `address`, or if
///         `address` is not a multiple of `bytes`.
void check_variable(char const* call, void const* address, std::size_t bytes);

/// Returns a different number on each call. For any divisor, the remainders of
/// these numbers are evenly distributed.
[[nodiscard]] std::uint64_t scatter();

/// Variables, and the values to compare them with.
template <class T>
struct WaitSet {
  T const* ivars;
  std::size_t count;
  int const* status;  // nonzero: ignore this variable; null: ignore none
  Compare compare;
  T value;
  // If not null, contains one value for each variable, and `value` is ignored.
  T const* values = nullptr;

  SYMM_FUNCTION bool counts(std::size_t i) const {
    return status == nullptr || status[i] == 0;
  }
  SYMM_FUNCTION T wanted(std::size_t i) const {
    return values == nullptr ? value : values[i];
  }
  SYMM_FUNCTION bool is_met(std::size_t i) const {
    if (!is_true(poll(ivars + i), compare, wanted(i))) return false;
    check::seen(ivars + i);
    return true;
  }
};

// Function objects for waits and tests. A wait calls the function object until
// it returns true; a test calls it once.

template <class T>
struct PollOne {
  WaitSet<T> set;
  T now{};
  SYMM_FUNCTION bool operator()() {
    now = poll(set.ivars);
    if (!is_true(now, set.compare, set.value)) return false;
    check::seen(set.ivars);
    return true;
  }
};

template <class T>
struct PollAll {
  WaitSet<T> set;
  std::size_t next = 0;  // all variables before this one have met the condition
  SYMM_FUNCTION bool operator()() {
    while (next < set.count && (!set.counts(next) || set.is_met(next))) ++next;
    return next == set.count;
  }
};

template <class T>
struct PollAny {
  WaitSet<T> set;
  // The first variable to check. It varies so that no variable starves.
  std::size_t first = choose_first(set.count);
  std::size_t found = SIZE_MAX;
  SYMM_FUNCTION bool operator()() {
    bool is_empty = true;
    for (std::size_t n = 0; n < set.count; ++n) {
      auto const i = n < set.count - first ? first + n : first + n - set.count;
      if (!set.counts(i)) continue;
      is_empty = false;
      if (!set.is_met(i)) continue;
      found = i;
      return true;
    }
    return is_empty;
  }
  SYMM_FUNCTION static std::size_t choose_first(std::size_t count) {
    if (count < 2) return 0;
    SYMM_IF_ON_HOST((return scatter() % count;))
    SYMM_IF_ON_DEVICE(
        (return (std::uint64_t(clock64()) * 0x9e37'79b9'7f4a'7c15U >> 32U) %
                    count;))
  }
};

template <class T>
struct PollSome {
  WaitSet<T> set;
  std::size_t* indices;
  std::size_t n_found = 0;
  SYMM_FUNCTION bool operator()() {
    bool is_empty = true;
    for (std::size_t i = 0; i < set.count; ++i) {
      if (!set.counts(i)) continue;
      is_empty = false;
      if (set.is_met(i)) indices[n_found++] = i;
    }
    return is_empty || n_found > 0;
  }
};

/// Waits until is_done() returns true. Prints reports and ends the job as
/// documented in symm_signals.hpp. The library instantiates this function for
/// all Waitable types. Precondition: is_done() has returned false.
template <class Poll>
void wait_on_host(char const* call, Poll& is_done);

/// Calls is_done() until it returns true; returns immediately if there are no
/// variables.
template <class Poll>
SYMM_INLINE_FUNCTION void wait_for([[maybe_unused]] char const* call,
                                   Poll& is_done) {
  if (is_done.set.count == 0) return;
  [[maybe_unused]] check::Call const its_call(call);
#ifdef SYMM_FOR_DEVICE
  while (!is_done()) InKernel::help_far();
#else
  check_variable(call, is_done.set.ivars, sizeof(*is_done.set.ivars));
  if (!is_done()) wait_on_host(call, is_done);
#endif
}

/// Calls is_done() once; returns true if there are no variables.
template <class Poll>
SYMM_INLINE_FUNCTION bool test_for([[maybe_unused]] char const* call,
                                   Poll& is_done) {
  if (is_done.set.count == 0) return true;
  [[maybe_unused]] check::Call const its_call(call);
  SYMM_IF_ON_HOST(
      (check_variable(call, is_done.set.ivars, sizeof(*is_done.set.ivars));))
  return is_done();
}

}  // namespace symm::Impl

#endif
