// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_EXCHANGE_PLAN_BLOCKS_HPP
#define SYMM_EXCHANGE_PLAN_BLOCKS_HPP

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include <Kokkos_Core.hpp>
#include <Kokkos_SymmetricSpace_Space.hpp>

#include "../../runtime/base/Failure.hpp"
#include "../../runtime/base/Types.hpp"
#include "../../runtime/shmem/PeTeam.hpp"
#include "../../runtime/shmem/Signal.hpp"
#include "ExchangeLists.hpp"

// What a plan is in memory. A PE has one block of elements to or from each
// neighbour. A block has the elements of one View after those of another.

namespace symm::Impl {

/// Where the kernels of exchanges run, and their private memory.
using ExchangeSpace  = SymmetricSpace::execution_space;
using ExchangeMemory = ExchangeSpace::memory_space;

/// Blocks start at multiples of as many elements, and so do parts of a block,
/// each of one View: whatever the elements, parts are aligned to as many bytes.
inline constexpr std::size_t block_unit = 16;

/// The elements that this PE sends to a neighbour, or receives from it.
struct Block {
  Pe pe;  // in the world
  bool is_near;
  bool is_run;  // the elements follow each other, from `start` on
  ElementIndex start;
  ElementIndex count;
  std::size_t here;   // where it begins in this PE's buffers, in elements
  std::size_t there;  // where the same block begins in that PE's inbox

  [[nodiscard]] KOKKOS_FUNCTION std::size_t padded() const {
    return (count + block_unit - 1) / block_unit * block_unit;
  }
};

/// Elements of one block that one thread of the host copies.
struct Chunk {
  static constexpr std::size_t most = 256;

  std::uint32_t block;
  ElementIndex first;  // in the block
  ElementIndex count;
  bool is_run;  // the elements follow each other, from `start` on
  ElementIndex start;
  std::size_t listed;  // else they are listed from here on
};

/// One side of the exchange: the owned elements that have copies, or ghosts.
struct PlanSide {
  Kokkos::View<ElementIndex*, ExchangeMemory> elements;
  Kokkos::View<Chunk*, ExchangeMemory> chunks;
  Kokkos::View<Block*, ExchangeMemory> blocks;  // of all neighbours
  std::size_t end = 0;                          // of the largest element
};

/// How scatter() combines: the contributions to each owned element, in the
/// order of PEs' numbers and of their lists.
struct Contributions {
  struct From {
    std::uint32_t block;
    ElementIndex in_block;
  };
  Kokkos::View<ElementIndex*, ExchangeMemory> elements;
  Kokkos::View<std::uint32_t*, ExchangeMemory>
      firsts;  // one more than elements
  Kokkos::View<From*, ExchangeMemory> from;
};

struct PlanBlocks {
  using Signals = Kokkos::View<Signal*, SymmetricSpace>;
  using Steps   = Kokkos::View<Signal*, ExchangeMemory>;

  PlanSide owned;
  PlanSide ghosts;
  Contributions contributions;  // made by the first scatter()
  /// Indexed by PEs of the world: how many exchanges they have begun.
  Signals signals;
  /// Exchanges begun, and ended, by this PE: kernels read and write them, so
  /// that a CUDA graph can be launched again.
  Steps steps;
  /// Elements of each inbox, on all PEs.
  std::size_t capacity = 0;
  std::vector<std::size_t> extents{0};
  bool is_of_world    = false;
  bool has_far_blocks = false;
};

/// Collective over the world: PEs of a PE team make one plan, and other teams'
/// PEs may make theirs in the same call.
/// \param failure why this PE has no lists; all PEs throw it then.
/// \throws UsageError, OutOfMemory, SystemError on every PE.
PlanBlocks make_plan(char const* call, ExchangeLists lists, PeTeam const& team,
                     std::optional<Failure> failure);

/// Local.
Contributions contributions_to(PlanSide const& owned);

/// Collective over the world: all PEs throw, if one has failed.
void agree(char const* call, std::optional<Failure> const& failure);

}  // namespace symm::Impl

#endif
