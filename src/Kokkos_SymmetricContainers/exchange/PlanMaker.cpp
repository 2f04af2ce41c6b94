// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

// Makes a plan from the lists of a PE team's PEs.

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <optional>
#include <utility>
#include <vector>

#include <Kokkos_Core.hpp>
#include <Kokkos_SymmetricSpace_Space.hpp>

#include <Kokkos_SymmetricSpace_Edge.hpp>

#include "../../runtime/symm_errors.hpp"
#include "../../runtime/symm_job.hpp"
#include "../../runtime/symm_rma.hpp"
#include "../../runtime/symm_teams.hpp"
#include "AgreedLists.hpp"
#include "PlanBlocks.hpp"

namespace symm::Impl {

namespace {

/// Makes a plan from all members' lists.
class PlanMaker {
 public:
  /// Collective. Precondition: AgreedLists::prepare() has been called with the
  /// lists.
  PlanMaker(char const* call, std::vector<ExchangeLists>& lists,
            PeTeam const& team)
      : m_call(call), m_lists(lists), m_agreed(call, lists, team) {}

  /// \param number the new plan's number; must be equal on all PEs.
  PlanBlocks make(std::uint64_t number) {
    PlanBlocks plan;
    plan.number  = number;
    auto failure = failure_of([&] { m_agreed.exchange(); });
    if (!failure) {
      failure = failure_of(
          [&] { plan.buffers.prepare(exchange_plan, m_agreed.n_neighbors()); });
    }
    std::size_t all_owned = 0, all_ghosts = 0;
    for (auto const& lists : m_lists) {
      all_owned += lists.owned.starts.back();
      all_ghosts += lists.ghosts.starts.back();
    }
    enum { failed, capacity, wishes, n_slots, n_of_world };
    auto const of_world =
        m_agreed.maxima_of_world(std::array<std::size_t, n_of_world>{
            failure ? 1U : 0U, std::max(all_owned, all_ghosts),
            m_lists[0].wanted.extent(0) > 0 ? 1U : 0U, m_agreed.n_neighbors()});
    if (of_world[failed] != 0) agree(m_call, failure);
    plan.capacity         = of_world[capacity];
    bool const has_wishes = of_world[wishes] != 0;
    if (has_wishes) {
      m_wishes =
          decltype(m_wishes)(Kokkos::view_alloc("symm::ExchangePlan, imports",
                                                Kokkos::WithoutInitializing),
                             plan.capacity);
    }
    // begin() is collective. Therefore, when begin() returns, m_wishes exists
    // on every PE, and PEs may put to it.
    plan.buffers.begin(of_world[n_slots]);
    if (has_wishes) fetch_wishes();
    failure = failure_of([&] { fill(plan); });
    plan.grow(m_call, sizeof(double), failure);
    return plan;
  }

 private:
  /// Collective over the world. Each owner receives the indices of its elements
  /// that other PEs import.
  void fetch_wishes() {
    auto const& lists = m_lists[0];
    std::size_t first = 0;
    for (std::size_t n = 0;
         n < m_agreed.n_members() && lists.wanted.extent(0) > 0; ++n) {
      auto const count = lists.ghosts.counts[n];
      put(m_wishes.data() + m_agreed.owned_start_at(n, 0),
          lists.wanted.data() + first, count, m_agreed.world_pe(n));
      first += count;
    }
    barrier_all();
  }

  /// Builds the lists of owned elements from the received indices.
  /// \throws UsageError on this PE if one of the elements does not exist.
  void take_wishes() {
    auto const n_owned = m_lists[0].n_owned;
    auto& owned        = m_lists[0].owned;
    owned.elements     = element_list(std::accumulate(
            owned.counts.begin(), owned.counts.end(), std::size_t{0}));
    auto* to           = owned.elements.data();
    for (std::size_t n = 0; n < m_agreed.n_members(); ++n) {
      auto const* const first = m_wishes.data() + owned.starts[n];
      auto const* const end   = first + owned.counts[n];
      auto const* const wrong = std::find_if(
          first, end, [&](auto element) { return element >= n_owned; });
      if (wrong != end) {
        throw UsageError(Text(m_call, ": PE ", m_agreed.world_pe(n),
                              " imports element ", *wrong, " of PE ", my_pe(),
                              ", which owns only ", n_owned));
      }
      to = std::copy(first, end, to);
    }
  }

  /// \returns one more than the largest element; 0 if the list is empty.
  static std::size_t end_of(ElementList const& elements) {
    ElementIndex largest = 0;
    for (std::size_t k = 0; k < elements.extent(0); ++k)
      largest = std::max(largest, elements.data()[k]);
    return elements.extent(0) > 0 ? std::size_t{largest} + 1 : 0;
  }

  void fill(PlanBlocks& plan) {
    plan.is_box = m_lists[0].box.owned[0] > 0;
    plan.is_of_world =
        m_agreed.n_members() == static_cast<std::size_t>(n_pes());
    plan.is_exports = m_lists[0].are_exports;
    plan.others.resize(m_lists.size() - 1);
    for (std::size_t n = 0; n < m_agreed.n_members(); ++n)
      if (m_agreed.is_neighbor(n)) plan.neighbors.push_back(static_cast<Pe>(n));
    fill(plan, plan, 0);
    for (std::size_t p = 1; p < m_lists.size(); ++p)
      fill(plan, plan.others[p - 1], p);
    Kokkos::fence("symm::ExchangePlan: the plan is in memory of kernels");
  }

  /// \param p the number of the joined plan that contains these elements.
  void fill(PlanBlocks& plan, PlanElements& elements, std::size_t p) {
    auto& lists         = m_lists[p];
    auto const& owned   = lists.owned;
    auto& ghosts        = lists.ghosts;
    auto const n_owned  = lists.n_owned;
    auto const& extents = lists.extents;
    if (!owned.is_known && m_agreed.n_members() > 0) take_wishes();
    if (!ghosts.is_known && m_agreed.n_members() > 0) {
      auto const n_ghosts = std::accumulate(
          ghosts.counts.begin(), ghosts.counts.end(), std::size_t{0});
      if (n_owned + n_ghosts > max_elements) {
        throw UsageError(Text(m_call, ": PE ", my_pe(), " gets ", n_ghosts,
                              " ghosts, but a plan supports at most ",
                              max_elements, " elements"));
      }
      ghosts.elements = element_list(n_ghosts);
      std::iota(ghosts.elements.data(), ghosts.elements.data() + n_ghosts,
                static_cast<ElementIndex>(n_owned));
    }
    std::vector<Block> owned_blocks, ghost_blocks;
    for (std::size_t n = 0; n < m_agreed.n_members(); ++n) {
      if (!m_agreed.is_neighbor(n)) continue;
      Pe const pe           = m_agreed.world_pe(n);
      auto const slot       = static_cast<std::uint32_t>(owned_blocks.size());
      auto const slot_there = static_cast<std::uint32_t>(m_agreed.slot_at(n));
      bool const is_near    = symm::is_near(pe);
      owned_blocks.emplace_back(
          BlockRoute{pe, is_near, owned.starts[n],
                     m_agreed.ghosts_start_at(n, p), slot, slot_there},
          owned.counts[n]);
      ghost_blocks.emplace_back(
          BlockRoute{pe, is_near, ghosts.starts[n],
                     m_agreed.owned_start_at(n, p), slot, slot_there},
          ghosts.counts[n]);
    }
    for (auto const& part : lists.box_parts) {
      // The block that a PE receives from a neighbor has the same shape as the
      // block that it sends to that neighbor.
      auto const n = block_of(part, owned_blocks);
      for (unsigned a = 0; a < 3; ++a) {
        auto const axis = part.direction[a] == 0 ? 0U : 1U << a;
        owned_blocks[n].thin_axes |= axis;
        ghost_blocks[n].thin_axes |= axis;
      }
    }
    for (auto const& part : lists.box_parts)
      plan.box_copies.push_back(
          copies_of(part, owned_blocks[block_of(part, owned_blocks)]));
    auto const row = extents.size() > 1 ? extents.back() : 0;
    elements.owned =
        PlanSide::make(owned.elements, row, std::move(owned_blocks));
    elements.ghosts =
        PlanSide::make(ghosts.elements, row, std::move(ghost_blocks));
    elements.owned.end       = end_of(owned.elements);
    elements.ghosts.end      = end_of(ghosts.elements);
    elements.extents         = extents;
    elements.owned.room_key  = plan.room_call("", 0).key();
    elements.ghosts.room_key = elements.owned.room_key;
    if (!runs_on_host_v<ExchangeSpace> || ExchangeSpace().concurrency() > 1)
      elements.contributions = Contributions::to(elements.owned);
  }

  /// The index of the part's block in `blocks`.
  [[nodiscard]] std::size_t block_of(BoxPart const& part,
                                     std::vector<Block> const& blocks) const {
    Pe const pe      = m_agreed.world_pe(static_cast<std::size_t>(part.pe));
    auto const block = std::find_if(blocks.begin(), blocks.end(),
                                    [&](auto const& b) { return b.pe == pe; });
    return static_cast<std::size_t>(block - blocks.begin());
  }
  [[nodiscard]] BoxCopies copies_of(BoxPart const& part,
                                    Block const& block) const {
    BoxCopies copies{part.begin,
                     part.end,
                     block.pe,
                     block.is_near,
                     block.thin_axes,
                     {},
                     block.here + part.in_block};
    auto const& lists = m_lists[0];
    auto const width  = lists.ghost_width;
    for (std::size_t a = 0; a < lists.extents.size(); ++a) {
      auto const its_owned =
          m_agreed.box_of(static_cast<std::size_t>(part.pe)).owned[a];
      copies.there[a] = part.direction[a] == 0  ? width
                        : part.direction[a] > 0 ? width - lists.depth
                                                : its_owned + width;
    }
    return copies;
  }

  char const* m_call;
  std::vector<ExchangeLists>& m_lists;
  AgreedLists m_agreed;
  Kokkos::View<ElementIndex*, SymmetricHostSpace> m_wishes;
};

}  // namespace

PlanBlocks PlanBlocks::make(char const* call, std::vector<ExchangeLists> lists,
                            PeTeam const& team,
                            std::optional<Failure> failure) {
  if (!failure && team.is_valid()) {
    failure = failure_of([&] {
      check_team(team, call);
      AgreedLists::prepare(lists, team);
    });
  }
  auto const number = agree({call, exchange_plan, 0, lists.size()}, failure);
  return PlanMaker(call, lists, team).make(number);
}

}  // namespace symm::Impl
