// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_TRANSPORT_UPDATES_HPP
#define SYMM_TRANSPORT_UPDATES_HPP

#include <cstdint>

#include "../memory/AtomicOp.hpp"
#include "../memory/PeMemory.hpp"

namespace symm::Impl {

// Atomic operations that are carried out many at once. The value has the bits
// of a word of 4 bytes below.

/// One of a kind that is said elsewhere, on a word that this PE reaches.
struct WordChange {
  char* word;
  std::uint64_t value;
};

/// One on a word of a far PE.
struct FarAtomic {
  PeMemory at;
  AtomicOp op;
  WordType type;
  std::uint64_t value;
};

}  // namespace symm::Impl

#endif
