// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_TRANSPORT_TARGETMEMORY_HPP
#define SYMM_TRANSPORT_TARGETMEMORY_HPP

#include <cstddef>
#include <cstdint>
#include <span>

#include "Transport.hpp"
#include "Updates.hpp"

namespace symm::Impl {

// A target executes far PEs' operations with the same code as operations within
// a node. Other threads and PEs may be polling that memory at the same time.

/// Performs a put. An aligned 1-, 2-, 4- or 8-byte word is written with a
/// single release store. Earlier stores become visible before any part of the
/// put.
void store_block(char* to, void const* from, std::size_t bytes);

/// Whether `op` exists for `type`. (Data from the network are not trusted.)
[[nodiscard]] bool is_atomic(AtomicOp op, WordType type);

/// Performs an atomic operation. Precondition: is_atomic(). Earlier stores
/// become visible before the operation takes effect. Returns the word's old
/// value as bits; for AtomicOp::set, returns `value` instead.
std::uint64_t change_word(char* word, AtomicOp op, WordType type,
                          std::uint64_t value, std::uint64_t compare = 0);

/// Calls change_word() for each of `changes`.
void change_words(std::span<WordChange const> changes, AtomicOp op,
                  WordType type);

}  // namespace symm::Impl

#endif
