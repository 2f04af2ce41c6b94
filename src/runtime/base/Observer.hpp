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
  wait,  // until a variable has a value
  quiet,
  barrier,
  collective,
  allocation,  // also registration, pools, and the release of any of these
  /// Part of any other operation: the wait for PEs that have not called yet.
  waiting_for_pes
};

inline constexpr int n_operation_kinds = 10;

/// One operation. Bytes and addresses are set only if it moves elements.
struct Operation {
  OperationKind kind;
  char const* call;        // such as "symm::put"; lives as long as the program
  Pe pe             = -1;  // the other PE, in the world; -1: none or several
  std::size_t bytes = 0;   // moved by this PE
  void const* symmetric = nullptr;  // symmetric address of the object on `pe`
  void const* local     = nullptr;  // this PE's buffer
};

/// Is told of this PE's host operations while it is in an ObserverList. These
/// are the operations that the host calls or enqueues, not those that kernels
/// call. An enqueued operation ends for the observer when it has been enqueued.
/// Of nested operations an observer sees the outermost one, and any wait for
/// PEs. Its functions may be called on any thread.
class Observer {
 public:
  Observer()                           = default;
  Observer(Observer const&)            = delete;
  Observer& operator=(Observer const&) = delete;
  virtual ~Observer()                  = default;

  virtual void begin(Operation const& operation) noexcept = 0;
  /// The innermost operation that this thread is in has returned or thrown.
  virtual void end(Operation const& operation) noexcept = 0;

 private:
  friend class ObserverList;
  Observer* m_next = nullptr;
};

/// The observers of this process. The list is defined in a source file: if a
/// header defined it, a program with hidden symbols would have a second list.
class ObserverList {
 public:
  /// Adds an observer. No other thread may be in an operation.
  static void add(Observer& observer) noexcept;
  /// Removes an observer, if it is in the list. No other thread may be in an
  /// operation.
  static void remove(Observer& observer) noexcept;

  static void begin(Operation const& operation) noexcept;
  static void end(Operation const& operation) noexcept;
};

/// The first observer; null without observers. An operation without observers
/// reads nothing else.
extern std::atomic<Observer*> s_first_observer;

[[nodiscard]] inline bool is_observed() noexcept {
  return s_first_observer.load(std::memory_order_relaxed) != nullptr;
}

/// Whether only the host can call such operations. Any kernel that runs during
/// one then belongs to the library.
[[nodiscard]] constexpr bool is_of_all_threads(OperationKind kind) {
  return kind == OperationKind::barrier || kind == OperationKind::collective ||
         kind == OperationKind::allocation;
}

/// Reports an operation from its construction to the end of the scope. Its
/// argument is a function that makes the Operation. Without observers, it costs
/// one comparison and makes no Operation.
///
///     Observed const observed([&] { return Operation{...}; });
template <class MakeOperation>
class Observed {
 public:
  /// \param shows how the race detector treats the accesses during the
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

/// Runs `body` as an operation that observers see. For operations of few
/// instructions, whose callers check is_observed() first. The parameters are
/// passed by value, so that no variable of the caller has its address taken.
template <class Body>
[[gnu::cold, gnu::noinline]] decltype(auto) run_observed(Operation operation,
                                                         Body body) {
  Observed const observed([&] { return operation; });
  return body();
}

}  // namespace symm::Impl

#endif
