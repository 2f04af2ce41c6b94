// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_TRANSPORT_NODEUPDATES_HPP
#define SYMM_TRANSPORT_NODEUPDATES_HPP

#include <cstddef>
#include <cstdint>

#include "../memory/AtomicOp.hpp"

namespace symm::Impl {

/// An atomic operation on a word in a PE's host heap, encoded in 8 bytes. It
/// may be sent to any PE on that PE's node, because every PE there can access
/// the memory.
struct NodeUpdate {
  static constexpr int max_near             = 1 << 11;
  static constexpr std::uint64_t end_offset = std::uint64_t{1} << 48U;

  std::uint64_t offset;  // a multiple of 4
  int near;              // the PE's number within its node
  AtomicOp op;
  WordType type;

  [[nodiscard]] std::uint64_t word() const {
    return offset >> 2U | static_cast<std::uint64_t>(near) << 46U |
           std::uint64_t{WordOp{op, type}.code()} << 57U;
  }
  [[nodiscard]] static NodeUpdate of(std::uint64_t word) {
    auto const [op, type] = WordOp::of(word >> 57U);
    return {(word & ((std::uint64_t{1} << 46U) - 1)) << 2U,
            static_cast<int>(word >> 46U & (max_near - 1)), op, type};
  }
};

}  // namespace symm::Impl

#endif
