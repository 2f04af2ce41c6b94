// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_ACCESS_SIGNAL_HPP
#define SYMM_ACCESS_SIGNAL_HPP

#include <cstdint>

#include "../base/Function.hpp"
#include "../memory/AtomicOp.hpp"
#include "../memory/WordAtomics.hpp"
#include "../memory/Words.hpp"

namespace symm {

/// The type of a signal, a symmetric object that only signal operations and
/// atomics may change.
using Signal = std::uint64_t;

/// Whether a signal replaces the signal object's value or is added to it.
enum class SignalOp { set, add };

}  // namespace symm

namespace symm::Impl {

/// The arguments of a put with a signal. If `bytes` is 0, only the signal is
/// sent.
struct SignaledPut {
  void* dest;
  void const* source;
  std::size_t bytes;
  Signal* signal;
  Signal value;
  SignalOp op;
  Pe pe;
};

/// Converts a SignalOp to the atomic operation that a message performs on the
/// signal.
[[nodiscard]] SYMM_INLINE_FUNCTION constexpr AtomicOp atomic_op_of(
    SignalOp op) {
  return op == SignalOp::set ? AtomicOp::set : AtomicOp::add;
}

/// Updates the signal at `target`, which may be a peer's copy. If data was sent
/// before the signal (`has_data`), first ensures that all stores that the
/// calling thread has made or seen are visible.
struct DeliverSignal {
  Signal* target;
  Signal signal;
  SignalOp op;
  bool has_data;

  SYMM_FUNCTION void operator()() const {
    if (has_data) fence_release();
    if (op == SignalOp::set) {
      store_relaxed(target, signal);
    } else {
      add_word(target, signal);
    }
  }
};

}  // namespace symm::Impl

#endif
