// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#include "AgreedLists.hpp"

#include <algorithm>
#include <optional>

#include <Kokkos_SymmetricSpace_Edge.hpp>

#include "../../runtime/symm_errors.hpp"
#include "PlanBlocks.hpp"

namespace symm::Impl {

namespace {

constexpr std::int64_t unknown_count = -1;

std::int64_t word_of(ElementsOfMembers const& elements, std::size_t member) {
  return elements.is_known ? static_cast<std::int64_t>(elements.counts[member])
                           : unknown_count;
}

/// The number of elements in a block. The sender, the receiver or both know
/// this number from their arguments.
std::size_t agreed_count(char const* call, std::int64_t mine,
                         std::int64_t theirs, char const* what, Pe pe) {
  if (mine != unknown_count && theirs != unknown_count && mine != theirs) {
    throw UsageError(Text(call, ": PE ", my_pe(), " has ", mine, " ", what,
                          " PE ", pe, ", which has ", theirs,
                          " for it; the lists of both PEs must match"));
  }
  if (mine == unknown_count && theirs == unknown_count) {
    throw UsageError(Text(call, ": PE ", my_pe(), " and PE ", pe,
                          " have passed different kinds of lists; call the "
                          "same function on all PEs"));
  }
  return static_cast<std::size_t>(mine != unknown_count ? mine : theirs);
}

void find_starts(ElementsOfMembers& elements) {
  auto const& counts = elements.counts;
  for (std::size_t n = 0; n < counts.size(); ++n)
    elements.starts[n + 1] = elements.starts[n] + padded(counts[n]);
}

}  // namespace

void AgreedLists::prepare(std::vector<ExchangeLists>& lists,
                          PeTeam const& team) {
  auto const n = static_cast<std::size_t>(team.n_pes());
  for (auto& plan_lists : lists) {
    for (auto* const side : {&plan_lists.owned, &plan_lists.ghosts}) {
      side->counts.resize(n);
      side->starts.resize(n + 1);
    }
  }
}

AgreedLists::AgreedLists(char const* call, std::vector<ExchangeLists>& lists,
                         PeTeam const& team)
    : m_call(call),
      m_lists(lists),
      m_members(team),
      m_n_members(static_cast<std::size_t>(m_members.n())),
      m_words(exchange_plan, of_owned + n_of_plan * lists.size()) {}

void AgreedLists::exchange() {
  if (m_n_members == 0) return;
  tell_counts();
  auto failure = failure_of([&] { check_boxes(); });
  for (std::size_t p = 0; p < m_lists.size(); ++p) {
    auto const why = failure_of([&] { agree_counts(p); });
    if (!failure) failure = why;
  }
  tell_starts();
  if (failure) throw_failure(*failure);
}

void AgreedLists::tell_counts() const {
  auto const box = my_box().words();
  for (std::size_t n = 0; n < m_n_members; ++n) {
    std::copy(box.begin(), box.end(), &m_words.to(n, of_box));
    for (std::size_t p = 0; p < m_lists.size(); ++p) {
      m_words.to(n, word(of_owned, p))  = word_of(m_lists[p].owned, n);
      m_words.to(n, word(of_ghosts, p)) = word_of(m_lists[p].ghosts, n);
    }
  }
  m_words.exchange(m_members);
}

/// \throws UsageError on this PE if two PEs' lists do not match.
void AgreedLists::agree_counts(std::size_t p) {
  auto& owned  = m_lists[p].owned;
  auto& ghosts = m_lists[p].ghosts;
  std::optional<Failure> failure;
  for (std::size_t n = 0; n < m_n_members; ++n) {
    Pe const pe    = world_pe(n);
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

void AgreedLists::tell_starts() {
  for (std::size_t n = 0; n < m_n_members; ++n) {
    for (std::size_t p = 0; p < m_lists.size(); ++p) {
      auto const& lists = m_lists[p];
      m_words.to(n, word(of_owned, p)) =
          static_cast<std::int64_t>(lists.owned.starts[n]);
      m_words.to(n, word(of_ghosts, p)) =
          static_cast<std::int64_t>(lists.ghosts.starts[n]);
    }
    m_words.to(n, of_slot) = static_cast<std::int64_t>(m_n_neighbors);
    if (is_neighbor(n)) ++m_n_neighbors;
  }
  m_words.exchange(m_members);
}

/// \throws UsageError on this PE if the boxes do not form a grid.
void AgreedLists::check_boxes() const {
  auto const own_box = my_box();
  for (std::size_t n = 0; n < m_n_members; ++n) {
    if (box_of(n).settings == own_box.settings) continue;
    if (m_lists[0].is_joined) {
      throw UsageError(
          Text(m_call, ": PE ", world_pe(n), " joins different plans than PE ",
               my_pe(), "; join the same plans in the same order on all PEs"));
    }
    throw UsageError(Text(m_call, ": PE ", world_pe(n),
                          " passes a different box than PE ", my_pe(),
                          "; pass equal pe_grid, order, ghost_width, depth, "
                          "periodic and neighbors on all PEs"));
  }
  for (auto const& part : m_lists[0].box_parts) {
    auto const n = static_cast<std::size_t>(part.pe);
    if (auto const why = difference(part, own_box, box_of(n))) {
      throw UsageError(Text(m_call, ": the boxes of PE ", my_pe(), " and PE ",
                            world_pe(n), " do not fit together: ", *why));
    }
  }
}

bool AgreedLists::is_neighbor(std::size_t member) const {
  return std::any_of(m_lists.begin(), m_lists.end(), [&](auto const& lists) {
    return lists.owned.counts[member] + lists.ghosts.counts[member] > 0;
  });
}

/// The first plan's box. For joined plans, `settings` is a hash over all plans.
BoxWords AgreedLists::my_box() const {
  auto box = m_lists[0].box;
  for (std::size_t p = 1; p < m_lists.size(); ++p) {
    box.settings =
        box.settings * 0x9e37'79b9'7f4a'7c15U + m_lists[p].box.settings;
  }
  return box;
}

}  // namespace symm::Impl
