// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_OBSERVER_HPP
#define SYMM_OBSERVER_HPP

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "Check.hpp"
#include "Types.hpp"

namespace symm::Impl {

/// The kinds of host operations that observers see.
enum class OperationKind : std::uint8_t {
  put,
  get,
  atomic,
  signal,
  wait,  // until a variable has a certain value
  quiet,
  barrier,
  collective,
  allocation,  // also freeing, registration and pools
  /// Waiting, within another operation, for PEs that have not yet made the
  /// call.
  waiting_for_pes
};

inline constexpr int n_operation_kinds = 10;

/// An operation. `bytes` and the addresses are set only if the operation moves
/// elements.
struct Operation {
  OperationKind kind;
  char const* call;        // such as "symm::put"; valid until the program ends
  Pe pe             = -1;  // the other PE's world number; -1: none or several
  std::size_t bytes = 0;   // number of bytes that this PE moves
  void const* symmetric = nullptr;  // symmetric address of the object on `pe`
  void const* local     = nullptr;  // this PE's buffer
};

/// An object that is notified of this PE's host operations while the object is
/// in an ObserverList. Host operations are operations that the host calls or
/// enqueues, not operations that kernels call. For an observer, an enqueued
/// operation ends when it has been enqueued. If operations are nested, an
/// observer is notified only of the outermost one, and of any
/// `waiting_for_pes`. The library may call an observer's functions on any
/// thread.
class Observer {
 public:
  Observer()                           = default;
  Observer(Observer const&)            = delete;
  Observer& operator=(Observer const&) = delete;
  virtual ~Observer()                  = default;

  virtual void begin(Operation const& operation) noexcept = 0;
  /// Called when `operation` has returned or thrown. On each thread, calls to
  /// begin() and end() are properly nested.
  virtual void end(Operation const& operation) noexcept = 0;

 private:
  friend class ObserverList;
  Observer* m_next = nullptr;
};

/// This process's observers. The list is defined in a source file, because if a
/// header defined it, a program with hidden symbols would have a second list.
class ObserverList {
 public:
  /// Adds an observer. No other thread may be in an operation during this call.
  static void add(Observer& observer) noexcept;
  /// Removes an observer, if it is in the list. No other thread may be in an
  /// operation during this call.
  static void remove(Observer& observer) noexcept;

  static void begin(Operation const& operation) noexcept;
  static void end(Operation const& operation) noexcept;
};

/// The first observer; null if there are none. If it is null, operations read
/// no other part of the list.
extern std::atomic<Observer*> s_first_observer;

[[nodiscard]] inline bool is_observed() noexcept {
  return s_first_observer.load(std::memory_order_relaxed) != nullptr;
}

/// Whether only the host can call operations of this kind. If so, every kernel
/// that runs during such an operation is one of the library's kernels.
[[nodiscard]] constexpr bool is_of_all_threads(OperationKind kind) {
  return kind == OperationKind::barrier || kind == OperationKind::collective ||
         kind == OperationKind::allocation;
}

/// Reports an operation to the observers. The operation lasts from the
/// construction of this object to the end of its scope. The constructor's
/// argument is a function that creates the Operation. Without observers, the
/// cost is one comparison, and no Operation is created.
///
///     Observed const observed([&] { return Operation{...}; });
template <class MakeOperation>
class Observed {
 public:
  /// \param shows how the race detector should treat accesses during the
  ///        operation.
  explicit Observed(
      MakeOperation const& make,
      check::Accesses shows = check::Accesses::are_hidden) noexcept
      : m_make(make), m_call(make, shows), m_is_on(is_observed()) {
    if (m_is_on) [[unlikely]] {
      ObserverList::begin(m_make());
    }
  }
  Observed(Observed const&)            = delete;
  Observed& operator=(Observed const&) = delete;
  ~Observed() {
    if (m_is_on) [[unlikely]] {
      ObserverList::end(m_make());
    }
  }

 private:
  MakeOperation m_make;
  [[no_unique_address]] check::Call m_call;
  bool m_is_on;
};

/// Runs `body` as an operation that observers see. Meant for operations that
/// take only a few instructions; the caller must first check is_observed(). The
/// parameters are passed by value so that the caller need not take the address
/// of any of its variables.
template <class Body>
[[gnu::cold, gnu::noinline]] decltype(auto) run_observed(Operation operation,
                                                         Body body) {
  Observed const observed([&] { return operation; });
  return body();
}

}  // namespace symm::Impl

#endif
