// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_TRANSPORT_UPDATES_HPP
#define SYMM_TRANSPORT_UPDATES_HPP

#include <cstdint>

#include "../memory/AtomicOp.hpp"
#include "../memory/PeMemory.hpp"

namespace symm::Impl {

// Atomic operations, many of which are carried out at once. For a word of 4
// bytes, the value is in the lower bits.

/// An operation on a word that this PE can access directly. Its kind is passed
/// separately.
struct WordChange {
  char* word;
  std::uint64_t value;
};

/// An operation on a word on a far PE.
struct FarAtomic {
  PeMemory at;
  AtomicOp op;
  WordType type;
  std::uint64_t value;
};

}  // namespace symm::Impl

#endif
