// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_TRANSPORT_UPDATES_HPP
#define SYMM_TRANSPORT_UPDATES_HPP

#include <cstdint>

#include "../memory/AtomicOp.hpp"
#include "../memory/PeMemory.hpp"

namespace symm::Impl {

// Atomic operations, of which many are carried out at once. A value for a word
// of 4 bytes is in the lower bits.

/// An operation on a word that this PE reaches. The kind is passed separately.
struct WordChange {
  char* word;
  std::uint64_t value;
};

/// An operation on a word of a far PE.
struct FarAtomic {
  PeMemory at;
  AtomicOp op;
  WordType type;
  std::uint64_t value;
};

}  // namespace symm::Impl

#endif
