// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

// How a plan is made of the PEs' lists.

#include <algorithm>
#include <array>
#include <numeric>
#include <string>
#include <utility>

#include <Kokkos_SymmetricSpace_Edge.hpp>

#include "../../runtime/symm_collectives.hpp"
#include "../../runtime/symm_errors.hpp"
#include "../../runtime/symm_job.hpp"
#include "../../runtime/symm_rma.hpp"
#include "../../runtime/symm_teams.hpp"
#include "../base/MemberWords.hpp"
#include "../base/TeamMembers.hpp"
#include "PlanBlocks.hpp"

namespace symm::Impl {

namespace {

constexpr char const* object   = "symm::ExchangePlan";
constexpr std::int64_t unknown = -1;

/// What PEs tell each other: counts or places of elements, a slot, and what is
/// known of a box.
enum Word : std::size_t {
  of_owned,
  of_ghosts,
  of_slot,
  of_box,
  n_words = of_box + BoxWords::n_words
};

std::int64_t word_of(ElementsOfMembers const& elements, std::size_t member) {
  return elements.is_known ? static_cast<std::int64_t>(elements.counts[member])
                           : unknown;
}

/// The count of a block, as one PE or both have passed it.
std::size_t agreed_count(char const* call, std::int64_t mine,
                         std::int64_t theirs, char const* what, Pe pe) {
  if (mine != unknown && theirs != unknown && mine != theirs) {
    throw UsageError(Text(call, ": PE ", my_pe(), " has ", mine, " ", what,
                          " PE ", pe, ", which has ", theirs,
                          " for it: the lists of the two must agree"));
  }
  if (mine == unknown && theirs == unknown) {
    throw UsageError(Text(call, ": PE ", my_pe(), " and PE ", pe,
                          " have passed lists of other kinds: call the same "
                          "function on all PEs"));
  }
  return static_cast<std::size_t>(mine != unknown ? mine : theirs);
}

void find_starts(ElementsOfMembers& elements) {
  auto const& counts = elements.counts;
  for (std::size_t n = 0; n < counts.size(); ++n)
    elements.starts[n + 1] = elements.starts[n] + padded(counts[n]);
}

/// The exchange of the PEs' lists.
class PlanMaker {
 public:
  /// Collective. Precondition: prepare() has taken the lists.
  PlanMaker(char const* call, ExchangeLists& lists, PeTeam const& team)
      : m_call(call),
        m_lists(lists),
        m_members(team),
        m_n_members(static_cast<std::size_t>(m_members.n())),
        m_words(object, n_words) {}

  /// Local: takes the memory for what others say.
  static void prepare(ExchangeLists& lists, PeTeam const& team) {
    auto const n = static_cast<std::size_t>(team.n_pes());
    for (auto* const side : {&lists.owned, &lists.ghosts}) {
      side->counts.resize(n);
      side->starts.resize(n + 1);
    }
  }

  /// \param number of the plan.
  PlanBlocks make(std::uint64_t number) {
    PlanBlocks plan;
    plan.number  = number;
    auto failure = failure_of([&] { exchange_counts(); });
    if (!failure)
      failure = failure_of([&] { plan.buffers.prepare(object, m_n_slots); });
    enum { failed, capacity, wishes, n_slots, n_of_world };
    auto const of_world =
        m_words.maxima_of_world(std::array<std::size_t, n_of_world>{
            failure ? 1U : 0U,
            std::max(m_lists.owned.starts.back(), m_lists.ghosts.starts.back()),
            m_lists.wanted.extent(0) > 0 ? 1U : 0U, m_n_slots});
    if (of_world[failed] != 0) agree(m_call, failure);
    plan.capacity         = of_world[capacity];
    bool const has_wishes = of_world[wishes] != 0;
    if (has_wishes) {
      m_wishes =
          decltype(m_wishes)(Kokkos::view_alloc("symm::ExchangePlan, imports",
                                                Kokkos::WithoutInitializing),
                             plan.capacity);
    }
    // Collective: afterwards all PEs may be sent wishes.
    plan.buffers.begin(of_world[n_slots]);
    if (has_wishes) fetch_wishes();
    failure = failure_of([&] { fill(plan); });
    plan.grow(m_call, sizeof(double), failure);
    return plan;
  }

 private:
  // (A PE that throws here has taken part in all calls of the PE team.)
  void exchange_counts() {
    if (m_n_members == 0) return;
    auto& owned    = m_lists.owned;
    auto& ghosts   = m_lists.ghosts;
    auto const box = m_lists.box.words();
    for (std::size_t n = 0; n < m_n_members; ++n) {
      m_words.to(n, of_owned)  = word_of(owned, n);
      m_words.to(n, of_ghosts) = word_of(ghosts, n);
      std::copy(box.begin(), box.end(), &m_words.to(n, of_box));
    }
    m_words.exchange(m_members);
    auto failure = failure_of([&] { check_boxes(); });
    for (std::size_t n = 0; n < m_n_members; ++n) {
      Pe const pe    = m_members.world_pe(static_cast<Pe>(n));
      auto const why = failure_of([&] {
        owned.counts[n] =
            agreed_count(m_call, word_of(owned, n), m_words.from(n)[of_ghosts],
                         "elements to send to", pe);
        ghosts.counts[n] =
            agreed_count(m_call, word_of(ghosts, n), m_words.from(n)[of_owned],
                         "ghosts of elements of", pe);
      });
      if (!failure) failure = why;
    }
    find_starts(owned);
    find_starts(ghosts);
    for (std::size_t n = 0; n < m_n_members; ++n) {
      m_words.to(n, of_owned)  = static_cast<std::int64_t>(owned.starts[n]);
      m_words.to(n, of_ghosts) = static_cast<std::int64_t>(ghosts.starts[n]);
      m_words.to(n, of_slot)   = static_cast<std::int64_t>(m_n_slots);
      if (is_neighbour(n)) ++m_n_slots;
    }
    m_words.exchange(m_members);
    if (failure) throw_failure(*failure);
  }

  /// \throws UsageError on this PE, if the boxes do not make a grid.
  void check_boxes() const {
    auto const& mine = m_lists.box;
    for (std::size_t n = 0; n < m_n_members; ++n) {
      if (box_of(n).settings == mine.settings) continue;
      throw UsageError(
          Text(m_call, ": PE ", m_members.world_pe(static_cast<Pe>(n)),
               " passes another box than PE ", my_pe(),
               ": pass equal pe_grid, order, ghost_width, depth, periodic "
               "and neighbours on all PEs"));
    }
    for (auto const& part : m_lists.box_parts) {
      auto const n = static_cast<std::size_t>(part.pe);
      if (auto const why = difference(part, mine, box_of(n))) {
        throw UsageError(Text(m_call, ": the boxes of PE ", my_pe(),
                              " and of PE ", m_members.world_pe(part.pe),
                              " do not fit beside each other: ", *why));
      }
    }
  }

  /// Elements go to that member, or come from it.
  [[nodiscard]] bool is_neighbour(std::size_t n) const {
    return m_lists.owned.counts[n] + m_lists.ghosts.counts[n] > 0;
  }

  /// The words of that member about its box.
  [[nodiscard]] BoxWords box_of(std::size_t n) const {
    return BoxWords::of(m_words.from(n) + of_box);
  }
  /// The place of this PE's block at member `n`.
  [[nodiscard]] std::size_t place_at(std::size_t n, Word word) const {
    return static_cast<std::size_t>(m_words.from(n)[word]);
  }

  /// Collective over the world: owners get the lists of what others import.
  void fetch_wishes() {
    std::size_t first = 0;
    for (std::size_t n = 0; n < m_n_members && m_lists.wanted.extent(0) > 0;
         ++n) {
      auto const count = m_lists.ghosts.counts[n];
      put(m_wishes.data() + place_at(n, of_owned),
          m_lists.wanted.data() + first, count,
          m_members.world_pe(static_cast<Pe>(n)));
      first += count;
    }
    barrier_all();
  }

  /// \throws UsageError on this PE, if there is no such element.
  void take_wishes() {
    auto& owned    = m_lists.owned;
    owned.elements = element_list(std::accumulate(
        owned.counts.begin(), owned.counts.end(), std::size_t{0}));
    auto* to       = owned.elements.data();
    for (std::size_t n = 0; n < m_n_members; ++n) {
      auto const* const first = m_wishes.data() + m_lists.owned.starts[n];
      auto const* const end   = first + owned.counts[n];
      auto const* const wrong = std::find_if(
          first, end, [&](auto element) { return element >= m_lists.n_owned; });
      if (wrong != end) {
        throw UsageError(Text(m_call, ": PE ",
                              m_members.world_pe(static_cast<Pe>(n)),
                              " imports element ", *wrong, " of PE ", my_pe(),
                              ", which owns ", m_lists.n_owned));
      }
      to = std::copy(first, end, to);
    }
  }

  /// \returns one more than the largest element, or 0.
  static std::size_t end_of(ElementList const& elements) {
    ElementIndex largest = 0;
    for (std::size_t k = 0; k < elements.extent(0); ++k)
      largest = std::max(largest, elements.data()[k]);
    return elements.extent(0) > 0 ? std::size_t{largest} + 1 : 0;
  }

  void fill(PlanBlocks& plan) {
    auto const& owned   = m_lists.owned;
    auto& ghosts        = m_lists.ghosts;
    auto const n_owned  = m_lists.n_owned;
    auto const& extents = m_lists.extents;
    if (!owned.is_known && m_n_members > 0) take_wishes();
    if (!ghosts.is_known && m_n_members > 0) {
      auto const n_ghosts = std::accumulate(
          ghosts.counts.begin(), ghosts.counts.end(), std::size_t{0});
      if (n_owned + n_ghosts > max_elements) {
        throw UsageError(Text(m_call, ": PE ", my_pe(), " gets ", n_ghosts,
                              " ghosts: a plan counts ", max_elements,
                              " elements at most"));
      }
      ghosts.elements = element_list(n_ghosts);
      std::iota(ghosts.elements.data(), ghosts.elements.data() + n_ghosts,
                static_cast<ElementIndex>(n_owned));
    }
    std::vector<Block> owned_blocks, ghost_blocks;
    for (std::size_t n = 0; n < m_n_members; ++n) {
      if (!is_neighbour(n)) continue;
      Pe const pe           = m_members.world_pe(static_cast<Pe>(n));
      auto const slot       = static_cast<std::uint32_t>(owned_blocks.size());
      auto const slot_there = static_cast<std::uint32_t>(place_at(n, of_slot));
      bool const is_near    = symm::is_near(pe);
      owned_blocks.emplace_back(
          BlockRoute{pe, is_near, owned.starts[n], place_at(n, of_ghosts), slot,
                     slot_there},
          owned.counts[n]);
      ghost_blocks.emplace_back(
          BlockRoute{pe, is_near, ghosts.starts[n], place_at(n, of_owned), slot,
                     slot_there},
          ghosts.counts[n]);
    }
    for (auto const& part : m_lists.box_parts) {
      // A PE receives from a neighbour what has the shape of what it sends.
      auto const n = block_of(part, owned_blocks);
      for (unsigned a = 0; a < 3; ++a) {
        auto const axis = part.direction[a] == 0 ? 0U : 1U << a;
        owned_blocks[n].thin_axes |= axis;
        ghost_blocks[n].thin_axes |= axis;
      }
    }
    for (auto const& part : m_lists.box_parts)
      plan.box_copies.push_back(
          copies_of(part, owned_blocks[block_of(part, owned_blocks)]));
    auto const row = extents.size() > 1 ? extents.back() : 0;
    plan.owned  = PlanSide::make(owned.elements, row, std::move(owned_blocks));
    plan.ghosts = PlanSide::make(ghosts.elements, row, std::move(ghost_blocks));
    plan.owned.end  = end_of(owned.elements);
    plan.ghosts.end = end_of(ghosts.elements);

    plan.extents        = extents;
    plan.is_box         = m_lists.box.owned[0] > 0;
    plan.is_of_world    = m_members.n() == n_pes();
    plan.owned.room_key = plan.ghosts.room_key = plan.room_call("", 0).key();
    if (!runs_on_host_v<ExchangeSpace> || ExchangeSpace().concurrency() > 1)
      plan.contributions = Contributions::to(plan.owned);
    Kokkos::fence("symm::ExchangePlan: the plan is in memory of kernels");
  }

  /// The place of its block.
  [[nodiscard]] std::size_t block_of(BoxPart const& part,
                                     std::vector<Block> const& blocks) const {
    Pe const pe      = m_members.world_pe(part.pe);
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
    auto const width = m_lists.ghost_width;
    for (std::size_t a = 0; a < m_lists.extents.size(); ++a) {
      auto const its_owned = box_of(static_cast<std::size_t>(part.pe)).owned[a];
      copies.there[a]      = part.direction[a] == 0  ? width
                             : part.direction[a] > 0 ? width - m_lists.depth
                                                     : its_owned + width;
    }
    return copies;
  }

  char const* m_call;
  ExchangeLists& m_lists;
  TeamMembers m_members;
  std::size_t m_n_members;
  MemberWords m_words;
  std::size_t m_n_slots = 0;  // neighbours of this PE
  Kokkos::View<ElementIndex*, SymmetricHostSpace> m_wishes;
};

}  // namespace

PlanBlocks PlanBlocks::make(char const* call, ExchangeLists lists,
                            PeTeam const& team,
                            std::optional<Failure> failure) {
  if (!failure && team.is_valid()) {
    failure = failure_of([&] {
      check_team(team, call);
      PlanMaker::prepare(lists, team);
    });
  }
  auto const number = agree({call, object}, failure);
  return PlanMaker(call, lists, team).make(number);
}

}  // namespace symm::Impl
