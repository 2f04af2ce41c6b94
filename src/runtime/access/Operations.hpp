// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_ACCESS_OPERATIONS_HPP
#define SYMM_ACCESS_OPERATIONS_HPP

#include <cstddef>
#include <type_traits>

#include "../base/Check.hpp"
#include "../base/Function.hpp"
#include "../base/Observer.hpp"
#include "../base/Types.hpp"
#include "../memory/AtomicOp.hpp"
#include "../memory/HeapMap.hpp"
#include "../memory/PeMemory.hpp"
#include "Access.hpp"
#include "Elements.hpp"
#include "Signal.hpp"
#include "StridedCopy.hpp"

namespace symm::Impl {

// Descriptions of one-sided operations. A call describes its operation once and
// runs it, either with run_operation() or within the scope of a GroupOperation
// (both are defined at the end of this file). A description contains the call's
// name and three functions:
//
// - operation() returns the Operation for observers of the host's operations.
// - report() reports the accesses to the race detector.
// - expect() checks the preconditions in kernels, with expect_access().
//
// Addresses of objects on other PEs are symmetric addresses. Without observers
// and checks, a description has no cost.

/// A put or get of one block.
/// \tparam has_buffer false for p() and g(), which pass a value.
template <Direction direction, bool has_buffer = true>
struct CopyOperation {
  static constexpr bool is_put = direction == Direction::put;

  char const* call;
  void const* dest;
  void const* source;
  std::size_t bytes;
  Pe pe;
  Completion completion = Completion::local;
  std::size_t alignment = 1;

  [[nodiscard]] SYMM_FUNCTION constexpr void const* symmetric() const {
    return is_put ? dest : source;
  }
  [[nodiscard]] constexpr Operation operation() const {
    return {is_put ? OperationKind::put : OperationKind::get,
            call,
            pe,
            bytes,
            symmetric(),
            !has_buffer ? nullptr : is_put ? source : dest};
  }
  SYMM_FUNCTION void report() const {
    check::copy(dest, source, bytes, pe, is_put,
                completion == Completion::none);
  }
  SYMM_FUNCTION void expect(HeapMap const& heap) const {
    expect_access(heap, symmetric(), bytes, pe, call, alignment);
  }
};

/// iput(), iget(), ibput() or ibget(). The StridedCopy must not be empty.
template <class Copy>
struct StridedOperation {
  static constexpr char const* call = Copy::call;
  static constexpr bool is_put      = Copy::direction == Direction::put;

  Copy copy;
  Pe pe;

  [[nodiscard]] Operation operation() const {
    return {is_put ? OperationKind::put : OperationKind::get,
            call,
            pe,
            copy.moved_bytes(),
            copy.symmetric(),
            copy.private_side()};
  }
  SYMM_FUNCTION void report() const { check::copy_strided(copy, pe, is_put); }
  SYMM_FUNCTION void expect(HeapMap const& heap) const {
    expect_access(heap, copy.symmetric(), copy.symmetric_bytes(), pe, call);
  }
};

struct AtomicOperation {
  char const* call;
  void const* address;
  std::size_t bytes;
  Pe pe;
  check::AtomicKind kind;
  void const* fetch = nullptr;  // where an _nbi operation stores the old value

  [[nodiscard]] constexpr Operation operation() const {
    return {OperationKind::atomic, call, pe, bytes, address};
  }
  SYMM_FUNCTION void report() const {
    check::atomic(address, bytes, pe, kind, fetch);
  }
  SYMM_FUNCTION void expect(HeapMap const& heap) const {
    expect_access(heap, address, bytes, pe, call, bytes);
  }
};

/// put_signal(), put_signal_nbi() or signal_op().
struct SignalOperation {
  char const* call;
  SignaledPut put;
  Completion completion = Completion::local;

  [[nodiscard]] constexpr Operation operation() const {
    return {
        OperationKind::signal, call, put.pe, put.bytes, put.dest, put.source};
  }
  SYMM_FUNCTION void report() const {
    check::put_signal(put.dest, put.source, put.bytes, put.signal, put.pe,
                      put.op == SignalOp::add, completion == Completion::none);
  }
  SYMM_FUNCTION void expect(HeapMap const& heap) const {
    expect_access(heap, put.signal, sizeof(Signal), put.pe, call,
                  sizeof(Signal));
    if (put.bytes != 0) expect_access(heap, put.dest, put.bytes, put.pe, call);
  }
};

/// Runs `body` on the host and reports it to observers as the operation that
/// `it` describes.
template <class It, class Body>
[[gnu::always_inline]] inline decltype(auto) observe(It it, Body body) {
  if (is_observed()) [[unlikely]] {
    return run_observed(it.operation(), body);
  }
  return body();
}

/// Reports the operation that `it` describes to the race detector, and runs
/// `body` as observe() does. For the host.
/// \param body a function object that captures by copy ([=]). Otherwise, the
///        addresses of the caller's variables would be taken even without
///        observers.
template <class It, class Body>
[[gnu::always_inline]] inline decltype(auto) run_operation(It it, Body body) {
  [[maybe_unused]] check::Call const its_call(it.call);
  it.report();
  return observe(it, body);
}

/// Marks a thread group's operation, from construction to the end of the scope.
/// Used in kernels, and in host calls that take a heap map. The constructor
/// checks the preconditions, and thread 0 reports the operation to the race
/// detector.
class [[maybe_unused]] GroupOperation {
 public:
  template <class Threads, class It>
  SYMM_FORCEINLINE_FUNCTION GroupOperation(Threads const& group,
                                           HeapMap const& heap, It const& it)
      : m_call(it.call) {
    it.expect(heap);
    if (group.rank() == 0) it.report();
  }

 private:
  [[maybe_unused]] check::Call m_call;
};

}  // namespace symm::Impl

#endif
