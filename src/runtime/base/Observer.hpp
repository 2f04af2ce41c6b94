// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_OBSERVER_HPP
#define SYMM_OBSERVER_HPP

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "Types.hpp"

namespace symm::Impl {

/// What an operation of the host is, for who observes the job.
enum class OperationKind : std::uint8_t {
  put,
  get,
  atomic,
  signal,
  wait,  // for a variable
  quiet,
  barrier,
  collective,
  allocation,  // also registration, pools, and the end of all these
  /// Inside any of the others: for PEs that have not come yet.
  waiting_for_pes
};

inline constexpr int n_operation_kinds = 10;

/// One operation. What it says of memory is for those that move elements.
struct Operation {
  OperationKind kind;
  char const* call;        // such as "symm::put"; lives as long as the program
  Pe pe             = -1;  // the other PE, of the world; -1: none, or several
  std::size_t bytes = 0;   // of this PE, that move
  void const* symmetric = nullptr;  // PE `pe`'s copy of what is here is meant
  void const* local     = nullptr;  // this PE's side
};

/// Sees the operations of this PE's host while it is in the list below: those
/// that are called on the host or enqueued there (their end is then that of
/// the enqueuing), not those that kernels call. Of an operation that is made of
/// others it sees the outer one alone, and the waiting in them. On any thread.
class Observer {
 public:
  Observer()                           = default;
  Observer(Observer const&)            = delete;
  Observer& operator=(Observer const&) = delete;
  virtual ~Observer()                  = default;

  virtual void begin(Operation const& operation) noexcept = 0;
  /// Of the latest one of this thread that has not ended; after its result, or
  /// when it has thrown.
  virtual void end(Operation const& operation) noexcept = 0;

 private:
  friend class ObserverList;
  Observer* m_next = nullptr;
};

/// Who observes this process. Not in a header: a program whose symbols are
/// hidden would get its own.
class ObserverList {
 public:
  /// No other thread may be in an operation.
  static void add(Observer& observer) noexcept;
  /// Likewise. Does nothing if it is not in the list.
  static void remove(Observer& observer) noexcept;

  static void begin(Operation const& operation) noexcept;
  static void end(Operation const& operation) noexcept;
};

/// The first of the list; null, if nobody observes: all that operations look
/// at then.
extern std::atomic<Observer*> s_first_observer;

[[nodiscard]] inline bool is_observed() noexcept {
  return s_first_observer.load(std::memory_order_relaxed) != nullptr;
}

/// An operation from here to the end of the scope, by what makes the Operation:
/// where nobody observes, that is a compare, and nothing is made.
///
///     Observed const observed([&] { return Operation{...}; });
template <class MakeOperation>
class Observed {
 public:
  explicit Observed(MakeOperation const& make) noexcept
      : m_make(make), m_is_on(is_observed()) {
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
  bool m_is_on;
};

/// observe(), where somebody does. By value: nothing of the way without it has
/// an address then.
template <class MakeOperation, class Body>
[[gnu::cold, gnu::noinline]] decltype(auto) run_observed(MakeOperation make,
                                                         Body body) {
  Observed const observed(make);
  return body();
}

/// Runs `body` as an operation: for those of few instructions, to which a scope
/// would add what it has to keep.
/// \param make, body function objects of copies ([=]).
template <class MakeOperation, class Body>
[[gnu::always_inline]] inline decltype(auto) observe(MakeOperation make,
                                                     Body body) {
  if (is_observed()) [[unlikely]] {
    return run_observed(make, body);
  }
  return body();
}

}  // namespace symm::Impl

#endif
