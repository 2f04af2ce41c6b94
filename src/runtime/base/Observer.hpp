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

/// Kinds of operations of the host, for observers.
enum class OperationKind : std::uint8_t {
  put,
  get,
  atomic,
  signal,
  wait,  // for a variable
  quiet,
  barrier,
  collective,
  allocation,  // also registration, pools, and release of all these
  /// Part of any of the others: waiting for PEs that have not called yet.
  waiting_for_pes
};

inline constexpr int n_operation_kinds = 10;

/// One operation. Bytes and addresses are set only if it moves elements.
struct Operation {
  OperationKind kind;
  char const* call;        // such as "symm::put"; lives as long as the program
  Pe pe             = -1;  // the other PE, of the world; -1: none, or several
  std::size_t bytes = 0;   // that this PE moves
  void const* symmetric = nullptr;  // symmetric address of the object on `pe`
  void const* local     = nullptr;  // this PE's buffer
};

/// Sees the operations of this PE's host while it is in the list below: those
/// called or enqueued there (they end when they are enqueued), not those that
/// kernels call. Of nested operations it sees the outermost one, and any
/// waiting for PEs. Called on any thread.
class Observer {
 public:
  Observer()                           = default;
  Observer(Observer const&)            = delete;
  Observer& operator=(Observer const&) = delete;
  virtual ~Observer()                  = default;

  virtual void begin(Operation const& operation) noexcept = 0;
  /// The latest operation of this thread that had not ended has returned or
  /// thrown.
  virtual void end(Operation const& operation) noexcept = 0;

 private:
  friend class ObserverList;
  Observer* m_next = nullptr;
};

/// The observers of this process. Defined in a source: a program whose symbols
/// are hidden would get a list of its own from a header.
class ObserverList {
 public:
  /// No other thread may be in an operation.
  static void add(Observer& observer) noexcept;
  /// The same holds. Does nothing if `observer` is not in the list.
  static void remove(Observer& observer) noexcept;

  static void begin(Operation const& operation) noexcept;
  static void end(Operation const& operation) noexcept;
};

/// The first of the list; null without observers. Operations that nobody
/// observes read nothing else.
extern std::atomic<Observer*> s_first_observer;

[[nodiscard]] inline bool is_observed() noexcept {
  return s_first_observer.load(std::memory_order_relaxed) != nullptr;
}

#ifdef SYMM_CHECK
/// Whether the host alone calls it, so that the kernels that run meanwhile are
/// the library's.
[[nodiscard]] constexpr bool is_of_all_threads(OperationKind kind) {
  return kind == OperationKind::barrier || kind == OperationKind::collective ||
         kind == OperationKind::allocation;
}
#endif

/// An operation from here to the end of the scope. Takes a function that makes
/// the Operation; without observers it costs a compare, and makes none.
///
///     Observed const observed([&] { return Operation{...}; });
template <class MakeOperation>
class Observed {
 public:
  /// \param shows whether the detector of races sees the accesses in it.
  explicit Observed(MakeOperation const& make,
                    [[maybe_unused]] check::Accesses shows =
                        check::Accesses::are_hidden) noexcept
      : m_make(make),
#ifdef SYMM_CHECK
        m_call(make().call, is_of_all_threads(make().kind), shows),
#endif
        m_is_on(is_observed()) {
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
#ifdef SYMM_CHECK
  check::Call m_call;
#endif
  bool m_is_on;
};

/// Runs `body` as an operation, with an observer. For operations of few
/// instructions, whose callers first ask is_observed(). By value: without
/// observers, no variable of the caller has its address taken.
template <class Body>
[[gnu::cold, gnu::noinline]] decltype(auto) run_observed(Operation operation,
                                                         Body body) {
  Observed const observed([&] { return operation; });
  return body();
}

}  // namespace symm::Impl

#endif
