// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_EXCHANGE_PLAN_BLOCKS_HPP
#define SYMM_EXCHANGE_PLAN_BLOCKS_HPP

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <Kokkos_Core.hpp>
#include <Kokkos_SymmetricSpace_Space.hpp>

#include <Kokkos_SymmetricSpace_Edge.hpp>

#include "../../runtime/symm_job.hpp"
#include "../../runtime/symm_teams.hpp"

#include "../base/KernelArray.hpp"
#include "ExchangeBuffers.hpp"
#include "ExchangeLists.hpp"

// A plan in memory. A PE has one block of elements to or from each neighbor. A
// block has the elements of one View after those of another.

namespace symm::Impl {

/// Blocks start at multiples of as many elements, and so do parts of a block,
/// each of one View: whatever the elements, parts are aligned to as many bytes.
inline constexpr std::size_t block_unit = 16;

[[nodiscard]] KOKKOS_INLINE_FUNCTION constexpr std::size_t padded(
    std::size_t count) {
  return (count + block_unit - 1) / block_unit * block_unit;
}

/// Which of a box's copies kernels store at a near neighbor, for
/// gather_stored(): on GPUs all of them. On CPUs not those of which few are
/// contiguous in the View: they take turns with a cache line each, and are
/// packed, as those for far PEs are.
struct StoredCopies {
  static constexpr int on_gpus = 7;

  int contiguous_axis = on_gpus;  // of the View

  template <class Exec, class View>
  [[nodiscard]] static StoredCopies of(View const& view) {
    if (!runs_on_host_v<Exec> || View::rank() == 1) return {};
    return {view.stride(0) == 1 ? 0 : static_cast<int>(View::rank()) - 1};
  }
  /// \param thin_axes see Block.
  [[nodiscard]] KOKKOS_FUNCTION bool have(unsigned thin_axes) const {
    return (thin_axes >> contiguous_axis & 1U) == 0;
  }
};

/// The elements that this PE sends to a neighbor, or receives from it.
struct Block : BlockRoute {
  ElementIndex count = 0;
  ElementIndex start = 0;
  bool is_run        = false;  // they follow each other, from `start` on
  unsigned thin_axes = 0;      // bit a: it has cells of a layer across axis a

  Block() = default;
  Block(BlockRoute const& route, std::size_t its_count)
      : BlockRoute(route), count(static_cast<ElementIndex>(its_count)) {}

  [[nodiscard]] KOKKOS_FUNCTION std::size_t padded() const {
    return Impl::padded(count);
  }
  [[nodiscard]] KOKKOS_FUNCTION bool is_stored(StoredCopies stored) const {
    return is_near && stored.have(thin_axes);
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
  KernelArray<Chunk> chunks;
  KernelArray<Block> blocks;   // of all neighbors
  std::size_t end    = 0;      // of the largest element of a plan
  bool needs_outbox  = false;  // some blocks travel by messages
  unsigned thin_axes = 0;      // of all blocks
  /// ObjectCall::key() of the call in which the plan makes room; 0: none.
  std::uint64_t room_key = 0;

  /// \param row elements of a row of a box; 0: there are no rows.
  static PlanSide make(ElementList const& elements, std::size_t row,
                       std::vector<Block> blocks);
};

/// How scatter() combines: the contributions to each owned element, in the
/// order of PEs' numbers and of their lists.
struct Contributions {
  struct From {
    std::uint32_t block;
    ElementIndex in_block;
  };
  KernelArray<ElementIndex> elements;
  KernelArray<std::uint32_t> firsts;  // one more than elements
  KernelArray<From> from;

  [[nodiscard]] static Contributions to(PlanSide const& owned);
};

/// A BoxPart, and where its copies go.
struct BoxCopies {
  std::array<std::size_t, 3> begin;
  std::array<std::size_t, 3> end;
  Pe pe;  // in the world
  bool is_near;
  unsigned thin_axes;                // as Block's
  std::array<std::size_t, 3> there;  // the first cell of them in that PE's View
  std::size_t in_outbox;             // or, if they are packed, in elements
};

/// The elements that PEs exchange, and with whom.
struct PlanElements {
  PlanSide owned;
  PlanSide ghosts;
  Contributions contributions;  // where scatter() needs them
  /// Extents of the indices of a View that find an element.
  std::vector<std::size_t> extents{0};
};

/// owned or ghosts. (Written as it is, nvcc makes something of it that GCC
/// warns of.)
using SideOfPlan = PlanSide PlanElements::*;

/// A plan. All that is collective is so over the world: PEs of a PE team make
/// one plan, and other teams' PEs may make theirs in the same call.
struct PlanBlocks : PlanElements {
  /// Of plans that are joined: those behind the first one. All have the same
  /// neighbors, in one order.
  std::vector<PlanElements> others;
  ExchangeBuffers buffers;
  /// Equal on all PEs, and no other plan's; 0: no plan.
  std::uint64_t number = 0;
  /// Elements of each inbox, on all PEs.
  std::size_t capacity = 0;
  /// Bytes of an element for which there is room, on all PEs.
  std::size_t room = 0;
  bool is_box      = false;
  std::vector<BoxCopies> box_copies;
  bool is_of_world = false;
  bool is_exports  = false;  // of from_exports()
  /// The number of each neighbor in the PE team.
  std::vector<Pe> neighbors;

  /// Collective. \param lists of each plan that is joined; one for any other.
  /// As many on all PEs, or all fail. \param failure why this PE has no lists;
  /// all PEs throw it. \throws UsageError, OutOfMemory, SystemError on every
  /// PE.
  static PlanBlocks make(char const* call, std::vector<ExchangeLists> lists,
                         PeTeam const& team, std::optional<Failure> failure);

  [[nodiscard]] std::size_t n_joined() const { return others.size() + 1; }
  [[nodiscard]] PlanElements const& joined(std::size_t k) const {
    return k == 0 ? *this : others[k - 1];
  }
  /// \throws UsageError on this PE, if the plan is not of from_exports().
  void expect_exports(char const* call) const;
  /// The lists of from_exports() as a plan of its own: owned elements are the
  /// exports, those of one PE after the other, and behind them are the ghosts.
  [[nodiscard]] PlanElements of_exports() const;
  /// The numbers of the exports in the lists of from_exports(), as of_exports()
  /// has them. \throws UsageError on this PE, if the plan has others.
  [[nodiscard]] std::vector<std::size_t> order_of_exports(
      char const* call, Integers const& pes) const;
  /// As make() takes them. Local. \throws UsageError on this PE, if the plan
  /// is of other PEs.
  [[nodiscard]] std::vector<ExchangeLists> lists(char const* call,
                                                 PeTeam const& team) const;

  /// Collective, if there is less room. \param begun the call that has begun
  /// and not ended; then all PEs fail. Null: none.
  /// \throws UsageError, OutOfMemory, SystemError on every PE.
  void make_room(char const* call, std::size_t bytes, char const* begun);

  /// Collective. \param text of the call, for messages.
  /// \throws as make().
  void grow(char const* text, std::size_t bytes,
            std::optional<Failure> failure);
  [[nodiscard]] ObjectCall room_call(char const* text,
                                     std::size_t bytes) const {
    return {text, "symm::ExchangePlan, room", number, bytes};
  }
};

}  // namespace symm::Impl

#endif
