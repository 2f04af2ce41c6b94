// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef KOKKOS_SYMMETRICSPACE_WAITING_HPP
#define KOKKOS_SYMMETRICSPACE_WAITING_HPP

#include <Kokkos_Core.hpp>
#include <Kokkos_SymmetricSpace_Ordering.hpp>
#include <chrono>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <type_traits>

#include "../runtime/base/Text.hpp"
#include "../runtime/pes/Backoff.hpp"

namespace symm {

// Waiting until another PE has changed a variable of this PE (OpenSHMEM 1.5,
// point-to-point synchronization). The variables are changed by stores that
// come whole and once: p, put and its relatives as
// Kokkos_SymmetricSpace_Rma.hpp says (on CPUs up to 64 bytes), atomics,
// signals, store_relaxed(). Who has seen such a store may clear the variable
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

/// How the variable and the value are to compare.
enum class Compare { eq, ne, gt, ge, lt, le };

/// What can be waited for: integers of 4 or 8 bytes.
template <class T>
concept Waitable = std::integral<T> && !std::same_as<T, bool> &&
                   !std::is_const_v<T> && MachineWord<T>;

/// Whether `now` compares with `value` so.
template <Waitable T>
KOKKOS_INLINE_FUNCTION constexpr bool is_true(T now, Compare compare, T value) {
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

/// How all waits and tests look at a variable. (A relaxed load with a fence
/// after success would do, too; on a GPU the fence waits for the thread's own
/// stores, an acquire only discards what the first cache has.)
template <Waitable T>
KOKKOS_INLINE_FUNCTION T poll(T const* ivar) {
  return load_acquire(ivar);
}

/// How the host waits, for the variables below and for the PEs of a team:
///
///     HostWait wait(call);
///     while (!is_done()) {
///       if (!wait.pause()) continue;
///       auto const why = wait.why_in_vain();
///       if (is_done()) break;
///       if (wait.must_report(why)) wait.report(why, ...);
///     }
///
/// It takes no private memory: a PE that has none left goes on waiting, and
/// does not leave a barrier alone.
class HostWait {
 public:
  /// \param call for messages, such as "symm::wait_until".
  explicit HostWait(char const* call);

  /// One pause. Returns whether it is time to look after the other PEs.
  bool pause() {
    m_waited = m_backoff.pause();
    if (m_waited < m_next_look) return false;
    set_next_look();
    return true;
  }
  /// "the process of PE 2 is gone", or "". What it stored before is visible
  /// afterwards.
  [[nodiscard]] static Text who_is_gone();
  /// That, or, if it is time for a report, that all other PEs have left for
  /// finalize(). What they stored before is visible afterwards, too.
  [[nodiscard]] Text why_in_vain() const;
  /// Whether report() has something to say.
  [[nodiscard]] bool must_report(Text const& why_in_vain) const {
    return !why_in_vain.empty() || is_report_due();
  }
  /// Ends the job, unless `why_in_vain` is "", and tells what it waits for.
  /// \param where     behind the name of the call: "" or " of ...".
  /// \param waits_for lines for the message.
  void report(Text const& why_in_vain, std::string_view where,
              std::string_view waits_for);

  /// \throws UsageError on this PE, if the host cannot look at `address`.
  static void check(char const* call, void const* address);
  /// A number for each call, all equally likely, modulo whatever.
  [[nodiscard]] static std::uint64_t scatter();
  /// "==" or the like.
  [[nodiscard]] static char const* text_of(Compare compare);

 private:
  [[nodiscard]] bool is_report_due() const;
  void set_next_look();

  char const* m_call;
  Backoff m_backoff;
  Backoff::Clock::duration m_waited{};
  Backoff::Clock::duration m_next_look;
  std::chrono::duration<double> m_next_report;
};

/// Variables and what they are to be.
template <class T>
struct WaitSet {
  T const* ivars;
  std::size_t count;
  int const* status;  // null, or nonzero: the variable does not count
  Compare compare;
  T value;
  T const* values = nullptr;  // one for each variable, in place of `value`

  KOKKOS_FUNCTION bool counts(std::size_t i) const {
    return status == nullptr || status[i] == 0;
  }
  KOKKOS_FUNCTION T wanted(std::size_t i) const {
    return values == nullptr ? value : values[i];
  }
  KOKKOS_FUNCTION bool is_met(std::size_t i) const {
    return is_true(poll(ivars + i), compare, wanted(i));
  }
  /// The first that are not met, for a message.
  [[nodiscard]] Text text() const {
    Text result;
    int lines = 0;
    for (std::size_t i = 0; i < count && lines < 4; ++i) {
      if (!counts(i) || is_met(i)) continue;
      ++lines;
      result.append("\n  variable ", i, " at ", ivars + i, ", now ",
                    +poll(ivars + i), ", to become ",
                    HostWait::text_of(compare), " ", +wanted(i));
    }
    return result;
  }
};

// What a wait repeats until it is true, and a test calls once.

template <class T>
struct PollOne {
  WaitSet<T> set;
  T now{};
  KOKKOS_FUNCTION bool operator()() {
    now = poll(set.ivars);
    return is_true(now, set.compare, set.value);
  }
};

template <class T>
struct PollAll {
  WaitSet<T> set;
  std::size_t next = 0;  // those before have been met
  KOKKOS_FUNCTION bool operator()() {
    while (next < set.count && (!set.counts(next) || set.is_met(next))) ++next;
    return next == set.count;
  }
};

template <class T>
struct PollAny {
  WaitSet<T> set;
  std::size_t first;  // to look at: not always the same, or others starve
  std::size_t found = SIZE_MAX;
  KOKKOS_FUNCTION bool operator()() {
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
  KOKKOS_FUNCTION static std::size_t choose_first(std::size_t count) {
    if (count < 2) return 0;
    KOKKOS_IF_ON_HOST((return HostWait::scatter() % count;))
    KOKKOS_IF_ON_DEVICE((return (static_cast<std::uint64_t>(clock64()) *
                                     0x9e37'79b9'7f4a'7c15U >>
                                 32U) %
                                    count;))
  }
};

template <class T>
struct PollSome {
  WaitSet<T> set;
  std::size_t* indices;
  std::size_t n_found = 0;
  KOKKOS_FUNCTION bool operator()() {
    bool is_empty = true;
    for (std::size_t i = 0; i < set.count; ++i) {
      if (!set.counts(i)) continue;
      is_empty = false;
      if (set.is_met(i)) indices[n_found++] = i;
    }
    return is_empty || n_found > 0;
  }
};

/// wait_for() on the host.
template <class Poll>
void wait_on_host(char const* call, Poll& is_done) {
  HostWait::check(call, is_done.set.ivars);
  if (is_done()) return;
  HostWait wait(call);
  while (!is_done()) {
    if (!wait.pause()) continue;
    auto const why = wait.why_in_vain();
    if (is_done()) return;  // what they have stored before counts
    if (wait.must_report(why)) wait.report(why, "", is_done.set.text());
  }
}

/// Calls poll() until it is true.
template <class Poll>
KOKKOS_INLINE_FUNCTION void wait_for([[maybe_unused]] char const* call,
                                     Poll& is_done) {
  if (is_done.set.count == 0) return;
  KOKKOS_IF_ON_DEVICE((while (!is_done()){}))
  KOKKOS_IF_ON_HOST((wait_on_host(call, is_done);))
}

/// Calls poll() once.
template <class Poll>
KOKKOS_INLINE_FUNCTION bool test_for([[maybe_unused]] char const* call,
                                     Poll& is_done) {
  if (is_done.set.count == 0) return true;
  KOKKOS_IF_ON_HOST((HostWait::check(call, is_done.set.ivars);))
  return is_done();
}

/// Waits until `*ivar` compares with `value` so.
/// \returns what it was then.
template <Waitable T>
KOKKOS_INLINE_FUNCTION T wait_until(T const* ivar, Compare compare,
                                    std::type_identity_t<T> value) {
  PollOne<T> one{{ivar, 1, nullptr, compare, value}};
  wait_for("symm::wait_until", one);
  return one.now;
}

/// Whether `*ivar` compares with `value` so.
template <Waitable T>
[[nodiscard]] KOKKOS_INLINE_FUNCTION bool test(T const* ivar, Compare compare,
                                               std::type_identity_t<T> value) {
  PollOne<T> one{{ivar, 1, nullptr, compare, value}};
  return test_for("symm::test", one);
}

// Several variables at once. Common parameters:
//
// ivars  the first of `count`; with none to wait for, nothing is waited for.
// status null, or one int for each variable; nonzero: it does not count.
// value  for all variables, or, in the functions that end in _vector, the first
//        of one for each variable.

/// Waits until each variable that counts has compared so, not necessarily all
/// at one time.
template <Waitable T>
KOKKOS_INLINE_FUNCTION void wait_until_all(T const* ivars, std::size_t count,
                                           int const* status, Compare compare,
                                           std::type_identity_t<T> value) {
  PollAll<T> all{{ivars, count, status, compare, value}};
  wait_for("symm::wait_until_all", all);
}

/// Waits until a variable that counts compares so. If several do, none is left
/// out for ever by calls in a row.
/// \returns its index; SIZE_MAX if none counts.
template <Waitable T>
KOKKOS_INLINE_FUNCTION std::size_t wait_until_any(
    T const* ivars, std::size_t count, int const* status, Compare compare,
    std::type_identity_t<T> value) {
  PollAny<T> any{{ivars, count, status, compare, value},
                 PollAny<T>::choose_first(count)};
  wait_for("symm::wait_until_any", any);
  return any.found;
}

/// Waits until at least one variable that counts compares so.
/// \param indices room for `count`; gets those that do, in order.
/// \returns how many do; 0 if none counts.
template <Waitable T>
KOKKOS_INLINE_FUNCTION std::size_t wait_until_some(
    T const* ivars, std::size_t count, std::size_t* indices, int const* status,
    Compare compare, std::type_identity_t<T> value) {
  PollSome<T> some{{ivars, count, status, compare, value}, indices};
  wait_for("symm::wait_until_some", some);
  return some.n_found;
}

/// Whether each variable that counts compares so; true if none counts.
template <Waitable T>
[[nodiscard]] KOKKOS_INLINE_FUNCTION bool test_all(
    T const* ivars, std::size_t count, int const* status, Compare compare,
    std::type_identity_t<T> value) {
  PollAll<T> all{{ivars, count, status, compare, value}};
  return test_for("symm::test_all", all);
}

/// The index of a variable that counts and compares so, as wait_until_any();
/// SIZE_MAX if there is none.
template <Waitable T>
[[nodiscard]] KOKKOS_INLINE_FUNCTION std::size_t test_any(
    T const* ivars, std::size_t count, int const* status, Compare compare,
    std::type_identity_t<T> value) {
  PollAny<T> any{{ivars, count, status, compare, value},
                 PollAny<T>::choose_first(count)};
  test_for("symm::test_any", any);
  return any.found;
}

/// How many variables count and compare so; their indices as
/// wait_until_some().
template <Waitable T>
[[nodiscard]] KOKKOS_INLINE_FUNCTION std::size_t test_some(
    T const* ivars, std::size_t count, std::size_t* indices, int const* status,
    Compare compare, std::type_identity_t<T> value) {
  PollSome<T> some{{ivars, count, status, compare, value}, indices};
  test_for("symm::test_some", some);
  return some.n_found;
}

/// wait_until_all() with a value for each variable.
template <Waitable T>
KOKKOS_INLINE_FUNCTION void wait_until_all_vector(
    T const* ivars, std::size_t count, int const* status, Compare compare,
    std::type_identity_t<T> const* values) {
  PollAll<T> all{{ivars, count, status, compare, T{}, values}};
  wait_for("symm::wait_until_all_vector", all);
}

/// wait_until_any() with a value for each variable.
template <Waitable T>
KOKKOS_INLINE_FUNCTION std::size_t wait_until_any_vector(
    T const* ivars, std::size_t count, int const* status, Compare compare,
    std::type_identity_t<T> const* values) {
  PollAny<T> any{{ivars, count, status, compare, T{}, values},
                 PollAny<T>::choose_first(count)};
  wait_for("symm::wait_until_any_vector", any);
  return any.found;
}

/// wait_until_some() with a value for each variable.
template <Waitable T>
KOKKOS_INLINE_FUNCTION std::size_t wait_until_some_vector(
    T const* ivars, std::size_t count, std::size_t* indices, int const* status,
    Compare compare, std::type_identity_t<T> const* values) {
  PollSome<T> some{{ivars, count, status, compare, T{}, values}, indices};
  wait_for("symm::wait_until_some_vector", some);
  return some.n_found;
}

/// test_all() with a value for each variable.
template <Waitable T>
[[nodiscard]] KOKKOS_INLINE_FUNCTION bool test_all_vector(
    T const* ivars, std::size_t count, int const* status, Compare compare,
    std::type_identity_t<T> const* values) {
  PollAll<T> all{{ivars, count, status, compare, T{}, values}};
  return test_for("symm::test_all_vector", all);
}

/// test_any() with a value for each variable.
template <Waitable T>
[[nodiscard]] KOKKOS_INLINE_FUNCTION std::size_t test_any_vector(
    T const* ivars, std::size_t count, int const* status, Compare compare,
    std::type_identity_t<T> const* values) {
  PollAny<T> any{{ivars, count, status, compare, T{}, values},
                 PollAny<T>::choose_first(count)};
  test_for("symm::test_any_vector", any);
  return any.found;
}

/// test_some() with a value for each variable.
template <Waitable T>
[[nodiscard]] KOKKOS_INLINE_FUNCTION std::size_t test_some_vector(
    T const* ivars, std::size_t count, std::size_t* indices, int const* status,
    Compare compare, std::type_identity_t<T> const* values) {
  PollSome<T> some{{ivars, count, status, compare, T{}, values}, indices};
  test_for("symm::test_some_vector", some);
  return some.n_found;
}

}  // namespace symm

#endif
