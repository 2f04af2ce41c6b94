// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_EXCHANGE_BLOCK_PLACES_HPP
#define SYMM_EXCHANGE_BLOCK_PLACES_HPP

#include <cstddef>
#include <cstdint>

#include <Kokkos_Core.hpp>

#include "PlanBlocks.hpp"

// A plan stores positions as element counts, and the element size can differ
// between calls. The two together determine the byte offset of each block in
// the buffers.

namespace symm::Impl {

/// The byte offsets of one plan's blocks in the buffers. `blocks` are the
/// blocks on one side of the plan.
struct PlacesOfPlan {
  std::size_t element_bytes;

  [[nodiscard]] KOKKOS_FUNCTION std::size_t before(std::size_t n) const {
    return n * element_bytes;
  }
  [[nodiscard]] KOKKOS_FUNCTION std::size_t here(Block const* blocks,
                                                 std::size_t i) const {
    return blocks[i].here * element_bytes;
  }
  [[nodiscard]] KOKKOS_FUNCTION std::size_t there(Block const* blocks,
                                                  std::size_t i) const {
    return blocks[i].there * element_bytes;
  }
  /// \param last_field_bytes the number of bytes per element in the last field,
  ///        which is not padded.
  [[nodiscard]] KOKKOS_FUNCTION std::size_t bytes(
      Block const* blocks, std::size_t i, std::size_t last_field_bytes) const {
    auto const& block = blocks[i];
    return block.padded() * element_bytes -
           (block.padded() - block.count) * last_field_bytes;
  }
};

/// The byte offsets of joined plans' blocks in the buffers. All plans' blocks
/// for a given PE are sent as one block, in the order of the plans.
struct PlacesOfJoined {
  static constexpr std::uint32_t most = 8;
  struct Part {
    Block const* blocks       = nullptr;  // the blocks on one side
    std::size_t element_bytes = 0;
  };
  Part parts[most]     = {};
  std::uint32_t n      = 0;
  std::uint32_t number = 0;  // the plan whose blocks here() and there() locate

  [[nodiscard]] KOKKOS_FUNCTION std::size_t before(std::size_t) const {
    return 0;  // (joined plans always pack)
  }
  [[nodiscard]] KOKKOS_FUNCTION std::size_t here(Block const*,
                                                 std::size_t i) const {
    std::size_t result = 0;
    for (std::uint32_t p = 0; p < n; ++p) {
      auto const& block = parts[p].blocks[i];
      result += (block.here + (p < number ? block.padded() : 0)) *
                parts[p].element_bytes;
    }
    return result;
  }
  [[nodiscard]] KOKKOS_FUNCTION std::size_t there(Block const*,
                                                  std::size_t i) const {
    std::size_t result = 0;
    for (std::uint32_t p = 0; p < n; ++p) {
      auto const& block = parts[p].blocks[i];
      result += (block.there + (p < number ? block.padded() : 0)) *
                parts[p].element_bytes;
    }
    return result;
  }
  [[nodiscard]] KOKKOS_FUNCTION std::size_t bytes(Block const*, std::size_t i,
                                                  std::size_t) const {
    std::size_t result = 0;
    for (std::uint32_t p = 0; p < n; ++p)
      result += parts[p].blocks[i].padded() * parts[p].element_bytes;
    return result;
  }
};

}  // namespace symm::Impl

#endif
