// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#include "PlanBlocks.hpp"

#include <algorithm>
#include <numeric>
#include <string>
#include <utility>

#include "../../runtime/base/Text.hpp"

#include "../../runtime/symm_collectives.hpp"
#include "../../runtime/symm_errors.hpp"
#include "../../runtime/symm_job.hpp"
#include "../../runtime/symm_rma.hpp"
#include "../../runtime/symm_teams.hpp"

namespace symm::Impl {

namespace {

using Words = Kokkos::View<std::int64_t*, SymmetricHostSpace>;
constexpr std::int64_t unknown = -1;

/// The places at which the blocks of the members begin, in elements, and the
/// end of the last one.
std::vector<std::size_t> starts_of(std::vector<std::size_t> const& counts) {
  std::vector<std::size_t> starts(counts.size() + 1);
  for (std::size_t n = 0; n < counts.size(); ++n)
    starts[n + 1] = starts[n] + padded(counts[n]);
  return starts;
}

/// Passes some words to each member of a PE team, and gets as many from each.
class Alltoall {
 public:
  /// Collective over the world.
  explicit Alltoall(PeTeam const& team)
      : m_team(team),
        m_words("symm::ExchangePlan",
                2 * n_words * static_cast<std::size_t>(n_pes())) {}

  [[nodiscard]] std::int64_t& to(std::size_t member, std::size_t word) {
    return m_words(n_words * member + word);
  }
  [[nodiscard]] std::int64_t from(std::size_t member, std::size_t word) const {
    return m_words(m_words.extent(0) / 2 + n_words * member + word);
  }
  void operator()() const {
    alltoall(m_team, m_words.data() + m_words.extent(0) / 2, m_words.data(),
             n_words);
  }

 private:
  static constexpr std::size_t n_words = 5;

  PeTeam const& m_team;
  Words m_words;
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
  return static_cast<std::size_t>(mine != unknown ? mine : theirs);
}

/// Cuts the elements of a block into chunks: runs of elements that follow each
/// other, if they are long, and lists of all others.
void append_chunks(std::vector<Chunk>& chunks, std::uint32_t number,
                   ElementIndex const* elements, std::size_t listed,
                   ElementIndex count, ElementIndex row) {
  // A thread of a GPU copies one element: there, short chunks are idle threads.
  constexpr std::size_t long_run =
      runs_on_host_v<ExchangeSpace> ? 16 : Chunk::most;
  auto const append = [&](std::size_t first, std::size_t end, bool is_run) {
    for (; first < end; first += Chunk::most) {
      chunks.push_back(
          {number, static_cast<ElementIndex>(first),
           static_cast<ElementIndex>(std::min(end - first, Chunk::most)),
           is_run, elements[first], listed + first});
    }
  };
  // A run stays in its row: Views may have gaps between rows.
  auto const follows = [&](std::size_t k) {
    return elements[k] == elements[k - 1] + 1 &&
           (row == 0 || elements[k] % row != 0);
  };
  // Each long run has all of a part that is half as long, of those that begin
  // at its multiples: most lists are left out by a look at the ends of parts.
  constexpr std::size_t half = long_run / 2;
  std::size_t list           = 0;  // begins here
  for (std::size_t k = 0; k + half <= count;) {
    auto end = k + 1;
    if (elements[k + half - 1] == elements[k] + half - 1) {
      auto first = k;
      while (first > list && follows(first)) --first;
      while (end < count && follows(end)) ++end;
      if (end - first >= long_run) {
        append(list, first, false);
        append(first, end, true);
        list = end;
      }
    }
    k = std::max(k + half, end / half * half);
  }
  append(list, count, false);
}

}  // namespace

PlanSide PlanSide::make(ElementList const& elements, std::size_t row,
                        std::vector<Block> blocks) {
  PlanSide side;
  std::vector<Chunk> chunks;
  std::size_t listed = 0;
  for (std::uint32_t n = 0; n < blocks.size(); ++n) {
    auto& block = blocks[n];
    side.pes.push_back(block.pe);
    auto const* const first = elements.data() + listed;
    append_chunks(chunks, n, first, listed, block.count,
                  static_cast<ElementIndex>(row));
    block.is_run =
        row == 0 && block.count > 0 &&
        std::adjacent_find(first, first + block.count, [](auto a, auto b) {
          return b != a + 1;
        }) == first + block.count;
    if (block.count > 0) block.start = *first;
    side.needs_outbox = side.needs_outbox || !block.is_near;
    side.thin_axes |= block.thin_axes;
    listed += block.count;
  }
  side.elements =
      Kokkos::create_mirror_view_and_copy(ExchangeMemory(), elements);
  copy_to_kernels(side.chunks, "symm::ExchangePlan, chunks", chunks);
  copy_to_kernels(side.blocks, "symm::ExchangePlan, blocks", blocks);
  return side;
}

namespace {

/// The exchange of the PEs' lists.
class PlanMaker {
 public:
  PlanMaker(char const* call, ExchangeLists lists, PeTeam const& team)
      : m_call(call),
        m_lists(std::move(lists)),
        m_team(team),
        m_n_members(static_cast<std::size_t>(team.n_pes())),
        m_alltoall(team) {}

  PlanBlocks make() {
    auto failure = failure_of([&] { exchange_counts(); });
    agree(m_call, failure);
    PlanBlocks plan;
    plan.capacity = reduce(
        team_world(), std::max(m_owned_at.back(), m_ghosts_at.back()), Max{});
    bool const has_wishes =
        reduce(team_world(), m_lists.wanted.extent(0) > 0 ? 1 : 0, Max{}) != 0;
    if (has_wishes) {
      m_wishes =
          decltype(m_wishes)(Kokkos::view_alloc("symm::ExchangePlan, imports",
                                                Kokkos::WithoutInitializing),
                             plan.capacity);
    }
    // Collective: afterwards all PEs may be sent wishes.
    plan.buffers = ExchangeBuffers(m_call);
    if (has_wishes) fetch_wishes();
    failure = failure_of([&] { fill(plan); });
    agree(m_call, failure);
    return plan;
  }

 private:
  // (A PE that throws here has taken part in all calls of the PE team.)
  void exchange_counts() {
    auto& owned  = m_lists.owned;
    auto& ghosts = m_lists.ghosts;
    m_owned_at = m_ghosts_at = {0};
    if (m_n_members == 0) return;
    for (std::size_t n = 0; n < m_n_members; ++n) {
      m_alltoall.to(n, 0) = word_of(owned, n);
      m_alltoall.to(n, 1) = word_of(ghosts, n);
      for (std::size_t a = 0; a < 3; ++a) {
        m_alltoall.to(n, 2 + a) =
            static_cast<std::int64_t>(m_lists.owned_cells[a]);
      }
    }
    m_alltoall();
    std::optional<Failure> failure;
    owned.counts.resize(m_n_members);
    ghosts.counts.resize(m_n_members);
    for (std::size_t n = 0; n < m_n_members; ++n) {
      Pe const pe    = m_team.world_pe(static_cast<Pe>(n));
      auto const why = failure_of([&] {
        owned.counts[n] =
            agreed_count(m_call, word_of(owned, n), m_alltoall.from(n, 1),
                         "elements to send to", pe);
        ghosts.counts[n] =
            agreed_count(m_call, word_of(ghosts, n), m_alltoall.from(n, 0),
                         "ghosts of elements of", pe);
      });
      if (!failure) failure = why;
    }
    m_owned_at  = starts_of(owned.counts);
    m_ghosts_at = starts_of(ghosts.counts);
    for (std::size_t n = 0; n < m_n_members; ++n) {
      m_alltoall.to(n, 0) = static_cast<std::int64_t>(m_owned_at[n]);
      m_alltoall.to(n, 1) = static_cast<std::int64_t>(m_ghosts_at[n]);
    }
    m_alltoall();
    if (failure) throw_failure(*failure);
  }

  /// Collective over the world: owners get the lists of what others import.
  void fetch_wishes() {
    std::size_t first = 0;
    for (std::size_t n = 0; n < m_n_members && m_lists.wanted.extent(0) > 0;
         ++n) {
      auto const count = m_lists.ghosts.counts[n];
      put(m_wishes.data() + m_alltoall.from(n, 0),
          m_lists.wanted.data() + first, count,
          m_team.world_pe(static_cast<Pe>(n)));
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
      auto const* const first = m_wishes.data() + m_owned_at[n];
      auto const* const end   = first + owned.counts[n];
      auto const* const wrong = std::find_if(
          first, end, [&](auto element) { return element >= m_lists.n_owned; });
      if (wrong != end) {
        throw UsageError(Text(m_call, ": PE ",
                              m_team.world_pe(static_cast<Pe>(n)),
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
      if (owned.counts[n] + ghosts.counts[n] == 0) continue;
      Pe const pe = m_team.world_pe(static_cast<Pe>(n));
      owned_blocks.push_back(
          Block::make(pe, owned.counts[n], m_owned_at[n],
                      static_cast<std::size_t>(m_alltoall.from(n, 1))));
      ghost_blocks.push_back(
          Block::make(pe, ghosts.counts[n], m_ghosts_at[n],
                      static_cast<std::size_t>(m_alltoall.from(n, 0))));
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

    plan.extents     = extents;
    plan.is_box      = m_lists.owned_cells[0] > 0;
    plan.is_of_world = m_team.n_pes() == n_pes();
    Kokkos::fence("symm::ExchangePlan: the plan is in memory of kernels");
  }

  /// The place of its block.
  [[nodiscard]] std::size_t block_of(BoxPart const& part,
                                     std::vector<Block> const& blocks) const {
    Pe const pe      = m_team.world_pe(part.pe);
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
      auto const its_owned = static_cast<std::size_t>(
          m_alltoall.from(static_cast<std::size_t>(part.pe), 2 + a));
      copies.there[a] = part.direction[a] == 0  ? width
                        : part.direction[a] > 0 ? 0
                                                : its_owned + width;
    }
    return copies;
  }

  char const* m_call;
  ExchangeLists m_lists;
  PeTeam const& m_team;
  std::size_t m_n_members;
  Alltoall m_alltoall;
  std::vector<std::size_t> m_owned_at;
  std::vector<std::size_t> m_ghosts_at;
  Kokkos::View<ElementIndex*, SymmetricHostSpace> m_wishes;
};

}  // namespace

PlanBlocks make_plan(char const* call, ExchangeLists lists, PeTeam const& team,
                     std::optional<Failure> failure) {
  if (!failure && team.is_valid()) {
    failure = failure_of([&] { check_team(team, call); });
  }
  agree(call, failure);
  return PlanMaker(call, std::move(lists), team).make();
}

Contributions contributions_to(PlanSide const& owned) {
  auto const elements =
      Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), owned.elements);
  auto const blocks =
      Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), owned.blocks);
  std::vector<Contributions::From> from(elements.extent(0));
  std::size_t next = 0;
  for (std::uint32_t b = 0; b < blocks.extent(0); ++b)
    for (ElementIndex k = 0; k < blocks(b).count; ++k) from[next++] = {b, k};
  std::vector<std::uint32_t> order(from.size());
  std::iota(order.begin(), order.end(), 0U);
  std::stable_sort(order.begin(), order.end(),
                   [&](auto a, auto b) { return elements(a) < elements(b); });
  std::vector<ElementIndex> distinct;
  std::vector<std::uint32_t> firsts;
  std::vector<Contributions::From> sorted;
  for (auto const k : order) {
    if (distinct.empty() || distinct.back() != elements(k)) {
      distinct.push_back(elements(k));
      firsts.push_back(static_cast<std::uint32_t>(sorted.size()));
    }
    sorted.push_back(from[k]);
  }
  firsts.push_back(static_cast<std::uint32_t>(sorted.size()));
  Contributions result;
  copy_to_kernels(result.elements, "symm::ExchangePlan, distinct elements",
                  distinct);
  copy_to_kernels(result.firsts, "symm::ExchangePlan, firsts", firsts);
  copy_to_kernels(result.from, "symm::ExchangePlan, contributions", sorted);
  return result;
}

}  // namespace symm::Impl
