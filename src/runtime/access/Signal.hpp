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

/// A symmetric object that only signals and atomics change.
using Signal = std::uint64_t;

/// Whether a signal replaces the value of the object or is added to it.
enum class SignalOp { set, add };

}  // namespace symm

namespace symm::Impl {

/// A put with its signal. Without bytes, the signal alone.
struct SignaledPut {
  void* dest;
  void const* source;
  std::size_t bytes;
  Signal* signal;
  Signal value;
  SignalOp op;
  Pe pe;
};

/// As messages carry it out.
[[nodiscard]] SYMM_INLINE_FUNCTION constexpr AtomicOp atomic_op_of(
    SignalOp op) {
  return op == SignalOp::set ? AtomicOp::set : AtomicOp::add;
}

/// Changes the signal at `target`, on any PE. If there are data, first makes
/// visible all stores that the calling thread knows of.
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
