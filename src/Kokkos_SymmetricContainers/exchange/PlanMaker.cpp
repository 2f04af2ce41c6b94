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
#include "BlockPlaces.hpp"
#include "PlanBlocks.hpp"

namespace symm::Impl {

namespace {

constexpr char const* object   = "symm::ExchangePlan";
constexpr std::int64_t unknown = -1;

/// What PEs tell each other: a slot, what is known of a box, and for each of
/// the plans that are joined counts or places of elements.
enum Word : std::size_t {
  of_slot,
  of_box,
  of_owned  = of_box + BoxWords::n_words,
  of_ghosts = of_owned + 1,
  n_of_plan = 2
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
  PlanMaker(char const* call, std::vector<ExchangeLists>& lists,
            PeTeam const& team)
      : m_call(call),
        m_lists(lists),
        m_members(team),
        m_n_members(static_cast<std::size_t>(m_members.n())),
        m_words(object, of_owned + n_of_plan * lists.size()) {}

  /// Local: takes the memory for what others say.
  static void prepare(std::vector<ExchangeLists>& lists, PeTeam const& team) {
    auto const n = static_cast<std::size_t>(team.n_pes());
    for (auto& its : lists) {
      for (auto* const side : {&its.owned, &its.ghosts}) {
        side->counts.resize(n);
        side->starts.resize(n + 1);
      }
    }
  }

  /// \param number of the plan.
  PlanBlocks make(std::uint64_t number) {
    PlanBlocks plan;
    plan.number  = number;
    auto failure = failure_of([&] { exchange_counts(); });
    if (!failure)
      failure = failure_of([&] { plan.buffers.prepare(object, m_n_slots); });
    std::size_t all_owned = 0, all_ghosts = 0;
    for (auto const& its : m_lists) {
      all_owned += its.owned.starts.back();
      all_ghosts += its.ghosts.starts.back();
    }
    enum { failed, capacity, wishes, n_slots, n_of_world };
    auto const of_world =
        m_words.maxima_of_world(std::array<std::size_t, n_of_world>{
            failure ? 1U : 0U, std::max(all_owned, all_ghosts),
            m_lists[0].wanted.extent(0) > 0 ? 1U : 0U, m_n_slots});
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
    auto const box = my_box().words();
    for (std::size_t n = 0; n < m_n_members; ++n) {
      std::copy(box.begin(), box.end(), &m_words.to(n, of_box));
      for (std::size_t p = 0; p < m_lists.size(); ++p) {
        m_words.to(n, word(of_owned, p))  = word_of(m_lists[p].owned, n);
        m_words.to(n, word(of_ghosts, p)) = word_of(m_lists[p].ghosts, n);
      }
    }
    m_words.exchange(m_members);
    auto failure = failure_of([&] { check_boxes(); });
    for (std::size_t p = 0; p < m_lists.size(); ++p) {
      auto const why = failure_of([&] { agree_counts(p); });
      if (!failure) failure = why;
    }
    for (std::size_t n = 0; n < m_n_members; ++n) {
      for (std::size_t p = 0; p < m_lists.size(); ++p) {
        auto const& its = m_lists[p];
        m_words.to(n, word(of_owned, p)) =
            static_cast<std::int64_t>(its.owned.starts[n]);
        m_words.to(n, word(of_ghosts, p)) =
            static_cast<std::int64_t>(its.ghosts.starts[n]);
      }
      m_words.to(n, of_slot) = static_cast<std::int64_t>(m_n_slots);
      if (is_neighbour(n)) ++m_n_slots;
    }
    m_words.exchange(m_members);
    if (failure) throw_failure(*failure);
  }
  /// \throws UsageError on this PE, if lists of two PEs differ.
  void agree_counts(std::size_t p) {
    auto& owned  = m_lists[p].owned;
    auto& ghosts = m_lists[p].ghosts;
    std::optional<Failure> failure;
    for (std::size_t n = 0; n < m_n_members; ++n) {
      Pe const pe    = m_members.world_pe(static_cast<Pe>(n));
      auto const why = failure_of([&] {
        owned.counts[n]  = agreed_count(m_call, word_of(owned, n),
                                        m_words.from(n)[word(of_ghosts, p)],
                                        "elements to send to", pe);
        ghosts.counts[n] = agreed_count(m_call, word_of(ghosts, n),
                                        m_words.from(n)[word(of_owned, p)],
                                        "ghosts of elements of", pe);
      });
      if (!failure) failure = why;
    }
    find_starts(owned);
    find_starts(ghosts);
    if (failure) throw_failure(*failure);
  }

  /// \throws UsageError on this PE, if the boxes do not make a grid.
  void check_boxes() const {
    auto const mine = my_box();
    for (std::size_t n = 0; n < m_n_members; ++n) {
      if (box_of(n).settings == mine.settings) continue;
      if (m_lists[0].is_joined) {
        throw UsageError(Text(m_call, ": PE ",
                              m_members.world_pe(static_cast<Pe>(n)),
                              " joins other plans than PE ", my_pe(),
                              ": join the same plans in the same order"));
      }
      throw UsageError(
          Text(m_call, ": PE ", m_members.world_pe(static_cast<Pe>(n)),
               " passes another box than PE ", my_pe(),
               ": pass equal pe_grid, order, ghost_width, depth, periodic "
               "and neighbours on all PEs"));
    }
    for (auto const& part : m_lists[0].box_parts) {
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
    return std::any_of(m_lists.begin(), m_lists.end(), [&](auto const& its) {
      return its.owned.counts[n] + its.ghosts.counts[n] > 0;
    });
  }
  /// \param p of the plans that are joined.
  [[nodiscard]] static std::size_t word(Word of, std::size_t p) {
    return of + n_of_plan * p;
  }

  /// Of a plan that is joined, with a hash of all plans.
  [[nodiscard]] BoxWords my_box() const {
    auto box = m_lists[0].box;
    for (std::size_t p = 1; p < m_lists.size(); ++p) {
      box.settings =
          box.settings * 0x9e37'79b9'7f4a'7c15U + m_lists[p].box.settings;
    }
    return box;
  }
  /// The words of that member about its box.
  [[nodiscard]] BoxWords box_of(std::size_t n) const {
    return BoxWords::of(m_words.from(n) + of_box);
  }
  /// The place of this PE's block at member `n`.
  [[nodiscard]] std::size_t place_at(std::size_t n, std::size_t word) const {
    return static_cast<std::size_t>(m_words.from(n)[word]);
  }

  /// Collective over the world: owners get the lists of what others import.
  void fetch_wishes() {
    auto const& lists = m_lists[0];
    std::size_t first = 0;
    for (std::size_t n = 0; n < m_n_members && lists.wanted.extent(0) > 0;
         ++n) {
      auto const count = lists.ghosts.counts[n];
      put(m_wishes.data() + place_at(n, of_owned), lists.wanted.data() + first,
          count, m_members.world_pe(static_cast<Pe>(n)));
      first += count;
    }
    barrier_all();
  }

  /// \throws UsageError on this PE, if there is no such element.
  void take_wishes() {
    auto const n_owned = m_lists[0].n_owned;
    auto& owned        = m_lists[0].owned;
    owned.elements     = element_list(std::accumulate(
            owned.counts.begin(), owned.counts.end(), std::size_t{0}));
    auto* to           = owned.elements.data();
    for (std::size_t n = 0; n < m_n_members; ++n) {
      auto const* const first = m_wishes.data() + owned.starts[n];
      auto const* const end   = first + owned.counts[n];
      auto const* const wrong = std::find_if(
          first, end, [&](auto element) { return element >= n_owned; });
      if (wrong != end) {
        throw UsageError(Text(m_call, ": PE ",
                              m_members.world_pe(static_cast<Pe>(n)),
                              " imports element ", *wrong, " of PE ", my_pe(),
                              ", which owns ", n_owned));
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
    plan.is_box      = m_lists[0].box.owned[0] > 0;
    plan.is_of_world = m_members.n() == n_pes();
    plan.is_exports  = m_lists[0].are_exports;
    plan.others.resize(m_lists.size() - 1);
    for (std::size_t n = 0; n < m_n_members; ++n)
      if (is_neighbour(n)) plan.neighbours.push_back(static_cast<Pe>(n));
    fill(plan, plan, 0);
    for (std::size_t p = 1; p < m_lists.size(); ++p)
      fill(plan, plan.others[p - 1], p);
    Kokkos::fence("symm::ExchangePlan: the plan is in memory of kernels");
  }

  /// \param elements of plan `p` of those that are joined.
  void fill(PlanBlocks& plan, PlanElements& elements, std::size_t p) {
    auto& lists         = m_lists[p];
    auto const& owned   = lists.owned;
    auto& ghosts        = lists.ghosts;
    auto const n_owned  = lists.n_owned;
    auto const& extents = lists.extents;
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
          BlockRoute{pe, is_near, owned.starts[n],
                     place_at(n, word(of_ghosts, p)), slot, slot_there},
          owned.counts[n]);
      ghost_blocks.emplace_back(
          BlockRoute{pe, is_near, ghosts.starts[n],
                     place_at(n, word(of_owned, p)), slot, slot_there},
          ghosts.counts[n]);
    }
    for (auto const& part : lists.box_parts) {
      // A PE receives from a neighbour what has the shape of what it sends.
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
    auto const& lists = m_lists[0];
    auto const width  = lists.ghost_width;
    for (std::size_t a = 0; a < lists.extents.size(); ++a) {
      auto const its_owned = box_of(static_cast<std::size_t>(part.pe)).owned[a];
      copies.there[a]      = part.direction[a] == 0  ? width
                             : part.direction[a] > 0 ? width - lists.depth
                                                     : its_owned + width;
    }
    return copies;
  }

  char const* m_call;
  std::vector<ExchangeLists>& m_lists;
  TeamMembers m_members;
  std::size_t m_n_members;
  MemberWords m_words;
  std::size_t m_n_slots = 0;  // neighbours of this PE
  Kokkos::View<ElementIndex*, SymmetricHostSpace> m_wishes;
};

}  // namespace

PlanBlocks PlanBlocks::make(char const* call, std::vector<ExchangeLists> lists,
                            PeTeam const& team,
                            std::optional<Failure> failure) {
  if (!failure && team.is_valid()) {
    failure = failure_of([&] {
      check_team(team, call);
      PlanMaker::prepare(lists, team);
    });
  }
  auto const number = agree({call, object, 0, lists.size()}, failure);
  return PlanMaker(call, lists, team).make(number);
}

namespace {

/// \throws UsageError on this PE.
ElementsOfMembers of_side(char const* call, PlanSide const& side,
                          PeTeam const& team) {
  TeamMembers const members(team);
  ElementsOfMembers result;
  result.is_known = true;
  result.elements =
      Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), side.elements);
  auto const& blocks = side.blocks.on_host();
  auto block         = blocks.begin();
  for (Pe n = 0; n < members.n(); ++n) {
    bool const is_its =
        block != blocks.end() && block->pe == members.world_pe(n);
    result.counts.push_back(is_its ? block->count : 0);
    if (is_its) ++block;
  }
  if (block != blocks.end()) {
    throw UsageError(Text(call, ": a plan exchanges elements with PE ",
                          block->pe,
                          ", which is not in the PE team, or not in this "
                          "order: pass the PE team that the plans are of"));
  }
  return result;
}

}  // namespace

std::vector<ExchangeLists> PlanBlocks::lists(char const* call,
                                             PeTeam const& team) const {
  std::vector<ExchangeLists> result(n_joined());
  for (std::size_t k = 0; k < n_joined(); ++k) {
    auto const& its   = joined(k);
    result[k].owned   = of_side(call, its.owned, team);
    result[k].ghosts  = of_side(call, its.ghosts, team);
    result[k].extents = its.extents;
    // What PEs compare.
    result[k].is_joined    = true;
    result[k].box.settings = number * PlacesOfJoined::most + k;
  }
  return result;
}

}  // namespace symm::Impl
