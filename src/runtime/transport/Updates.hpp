// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_TRANSPORT_UPDATES_HPP
#define SYMM_TRANSPORT_UPDATES_HPP

#include <cstdint>

#include "../memory/AtomicOp.hpp"
#include "../memory/PeMemory.hpp"

namespace symm::Impl {

// Atomic operations that are executed in bulk. A 4-byte word's value is in the
// lower 32 bits.

/// An operation on a word that this PE can access directly. The operation and
/// the word's type are passed separately.
struct WordChange {
  char* word;
  std::uint64_t value;
};

/// An atomic operation on a word in a far PE's memory.
struct FarAtomic {
  PeMemory at;
  AtomicOp op;
  WordType type;
  std::uint64_t value;
};

}  // namespace symm::Impl

#endif
