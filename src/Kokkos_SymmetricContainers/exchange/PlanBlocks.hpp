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

// A plan's data. For each neighbor, a PE has one block of elements to send and
// one to receive. A block stores its elements View by View.

namespace symm::Impl {

/// Each block, and each View's part of a block, begins at a multiple of this
/// number of elements. Each part is therefore aligned to 16 bytes, regardless
/// of the element size.
inline constexpr std::size_t block_unit = 16;

[[nodiscard]] KOKKOS_INLINE_FUNCTION constexpr std::size_t padded(
    std::size_t count) {
  return (count + block_unit - 1) / block_unit * block_unit;
}

/// Specifies, for gather_stored(), which ghosts on near PEs the program's
/// kernels store directly. On GPUs, kernels store all of them. On CPUs, kernels
/// store only ghosts that form long contiguous runs in the View. Each of the
/// other ghosts would cost a cache-line transfer, so these are packed, like
/// ghosts on far PEs.
struct StoredCopies {
  static constexpr int on_gpus = 7;

  int contiguous_axis = on_gpus;  // axis along which the View is contiguous

  template <class Exec, class View>
  [[nodiscard]] static StoredCopies of(View const& view) {
    if (!runs_on_host_v<Exec> || View::rank() == 1) return {};
    return {view.stride(0) == 1 ? 0 : static_cast<int>(View::rank()) - 1};
  }
  /// Whether kernels store a block's ghosts directly.
  /// \param thin_axes the block's Block::thin_axes.
  [[nodiscard]] KOKKOS_FUNCTION bool have(unsigned thin_axes) const {
    return (thin_axes >> contiguous_axis & 1U) == 0;
  }
};

/// The elements that this PE sends to a neighbor or receives from it.
struct Block : BlockRoute {
  ElementIndex count = 0;
  ElementIndex start = 0;
  bool is_run        = false;  // the elements are consecutive, beginning with
                               // `start`
  unsigned thin_axes = 0;      // bit a is set if the block contains a layer
                               // perpendicular to axis a

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

/// A part of a block, copied by a single host thread.
struct Chunk {
  static constexpr std::size_t most = 256;

  std::uint32_t block;
  ElementIndex first;  // position of the first element in the block
  ElementIndex count;
  bool is_run;  // the elements are consecutive, beginning with `start`
  ElementIndex start;
  std::size_t listed;  // index of the chunk's first element in
                       // PlanSide::elements
};

/// One side of an exchange: either the owned elements that have ghosts on other
/// PEs, or the ghosts.
struct PlanSide {
  Kokkos::View<ElementIndex*, ExchangeMemory> elements;
  KernelArray<Chunk> chunks;
  KernelArray<Block> blocks;   // one for each neighbor
  std::size_t end    = 0;      // one more than the largest element index
  bool needs_outbox  = false;  // whether some blocks are sent as messages
  unsigned thin_axes = 0;      // bitwise OR over all blocks
  /// ObjectCall::key() of the call that enlarges the plan's buffers; 0 if there
  /// is none.
  std::uint64_t room_key = 0;

  /// \param row the number of elements in a row of a box; 0 if there are no
  ///        rows.
  static PlanSide make(ElementList const& elements, std::size_t row,
                       std::vector<Block> blocks);
};

/// The contributions that scatter() combines with each owned element, in the
/// order of PE numbers, then in the order of each PE's list.
struct Contributions {
  struct From {
    std::uint32_t block;
    ElementIndex in_block;
  };
  KernelArray<ElementIndex> elements;
  KernelArray<std::uint32_t> firsts;  // index of each element's first
                                      // contribution, followed by the end
  KernelArray<From> from;

  [[nodiscard]] static Contributions to(PlanSide const& owned);
};

/// A BoxPart and the locations at which this PE stores copies of its cells.
struct BoxCopies {
  std::array<std::size_t, 3> begin;
  std::array<std::size_t, 3> end;
  Pe pe;  // world PE number
  bool is_near;
  unsigned thin_axes;                // see Block::thin_axes
  std::array<std::size_t, 3> there;  // index of the first copy in that PE's
                                     // View
  std::size_t in_outbox;             // offset in elements if the copies are
                                     // packed
};

/// The elements that PEs exchange, and the neighbors on each side.
struct PlanElements {
  PlanSide owned;
  PlanSide ghosts;
  Contributions contributions;  // empty if scatter() does not need them
  /// The extents of the View indices that select an element.
  std::vector<std::size_t> extents{0};
};

/// Selects PlanElements::owned or PlanElements::ghosts. (This is an alias
/// because nvcc generates code that GCC warns about if the type is spelled out
/// in a signature.)
using SideOfPlan = PlanSide PlanElements::*;

/// A plan. Its collective calls are collective over the world: the PEs of a PE
/// team create one plan together, and other PE teams may create their own plans
/// in the same call.
struct PlanBlocks : PlanElements {
  /// The joined plans after the first one. All of them have the same neighbors,
  /// in the same order.
  std::vector<PlanElements> others;
  ExchangeBuffers buffers;
  /// Identifies the plan. The number is the same on all PEs and unique among
  /// plans; 0 for an empty plan.
  std::uint64_t number = 0;
  /// Size of each half of an inbox, in elements; the same on all PEs.
  std::size_t capacity = 0;
  /// The largest element size, in bytes, for which the buffers have room; the
  /// same on all PEs.
  std::size_t room = 0;
  bool is_box      = false;
  std::vector<BoxCopies> box_copies;
  bool is_of_world = false;
  bool is_exports  = false;  // created by from_exports()
  /// Each neighbor's number in the PE team.
  std::vector<Pe> neighbors;

  /// Collective over the world.
  /// \param lists each joined plan's lists; a single entry if nothing is
  ///        joined. If PEs pass different numbers of entries, all PEs throw.
  /// \param failure the reason why this PE could not compute its lists; empty
  ///        if it could. If set on any PE, all PEs throw it.
  /// \throws UsageError, OutOfMemory, SystemError on every PE.
  static PlanBlocks make(char const* call, std::vector<ExchangeLists> lists,
                         PeTeam const& team, std::optional<Failure> failure);

  [[nodiscard]] std::size_t n_joined() const { return others.size() + 1; }
  [[nodiscard]] PlanElements const& joined(std::size_t k) const {
    return k == 0 ? *this : others[k - 1];
  }
  /// \throws UsageError on this PE if the plan was not created by
  ///         from_exports().
  void expect_exports(char const* call) const;
  /// The lists passed to from_exports(), as a separate plan. Its owned elements
  /// are the exports, sorted by receiving PE; its ghosts follow the exports.
  [[nodiscard]] PlanElements of_exports() const;
  /// For each export, in the order of of_exports(), its index in the lists
  /// passed to from_exports().
  /// \throws UsageError on this PE if `pes` differs from the list of PEs from
  ///         which the plan was created.
  [[nodiscard]] std::vector<std::size_t> order_of_exports(
      char const* call, Integers const& pes) const;
  /// This plan's lists, in the form that make() accepts. The call is local.
  /// \throws UsageError on this PE if the plan was not created for `team`.
  [[nodiscard]] std::vector<ExchangeLists> lists(char const* call,
                                                 PeTeam const& team) const;

  /// Enlarges the buffers if they have no room for `bytes`-byte elements. In
  /// that case, the call is collective over the world.
  /// \param begun the name of an exchange that has begun but not ended, in
  ///        which case all PEs throw UsageError; null if there is none.
  /// \throws UsageError, OutOfMemory, SystemError on every PE.
  void make_room(char const* call, std::size_t bytes, char const* begun);

  /// Allocates new buffers for `bytes`-byte elements. Collective over the
  /// world.
  /// \param text the call's name, with details, for error messages.
  /// \throws the same errors as make().
  void grow(char const* text, std::size_t bytes,
            std::optional<Failure> failure);
  [[nodiscard]] ObjectCall room_call(char const* text,
                                     std::size_t bytes) const {
    return {text, "symm::ExchangePlan, room", number, bytes};
  }
};

}  // namespace symm::Impl

#endif
