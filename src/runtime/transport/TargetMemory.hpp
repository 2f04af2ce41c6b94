// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_TRANSPORT_TARGETMEMORY_HPP
#define SYMM_TRANSPORT_TARGETMEMORY_HPP

#include <cstddef>
#include <cstdint>

#include "Transport.hpp"

namespace symm::Impl {

// What a target does to its memory for PEs of other nodes: what operations
// inside a node do, by the same code. Others may poll that memory.

/// A put. A word of 1, 2, 4 or 8 bytes is one releasing store; what has been
/// stored before is seen before all of it.
void store_block(char* to, void const* from, std::size_t bytes);

/// Whether there is such an operation: what came over the wire is not trusted.
[[nodiscard]] bool is_atomic(AtomicOp op, WordType type);

/// Carries out an operation that is_atomic(), and returns the bits that the
/// word had. What has been stored before is seen before it.
std::uint64_t change_word(char* word, AtomicOp op, WordType type,
                          std::uint64_t value, std::uint64_t compare = 0);

}  // namespace symm::Impl

#endif
