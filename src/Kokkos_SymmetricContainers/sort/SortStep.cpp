// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#include "SortStep.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <numeric>
#include <string>

#include <Kokkos_SymmetricSpace_Edge.hpp>

#include "../../runtime/symm_atomics.hpp"
#include "../../runtime/symm_collectives.hpp"
#include "../../runtime/symm_errors.hpp"
#include "../../runtime/symm_job.hpp"
#include "../../runtime/symm_rma.hpp"
#include "../../runtime/symm_teams.hpp"
#include "../exchange/ExchangeLists.hpp"
#include "../exchange/PlanBlocks.hpp"

namespace symm::Impl {

namespace {

/// The numbers that each PE sends to all other PEs.
enum Number : std::size_t {
  n_elements,
  element_bytes,
  capacity,
  least,
  greatest,
  n_numbers
};

constexpr std::size_t max_buckets = std::size_t{1} << SortBuckets::max_bits;
constexpr std::size_t ways        = 16;  // subranges in each round of search()

}  // namespace

std::uint64_t SortBuckets::range_of(std::size_t bucket) const {
  return std::min((std::uint64_t{1} << shift) - 1,
                  range - (static_cast<std::uint64_t>(bucket) << shift));
}

SortStep::SortStep(char const* call, TeamMembers const& members,
                   SortInput const& input, std::optional<Failure> failure)
    : m_members(members),
      m_n(static_cast<std::size_t>(members.n())),
      m_me(static_cast<std::size_t>(std::max(members.me(), 0))) {
  std::array<std::uint64_t**, 4> const parts{&m_counts, &m_sums, &m_starts,
                                             &m_cuts};
  // (The size must be equal on all PEs, even if their PE teams differ, because
  // the memory is symmetric.)
  auto const n    = static_cast<std::size_t>(n_pes());
  auto const room = std::max(max_buckets, ways * n);
  std::array<std::size_t, 4> const sizes{room, room, max_buckets + 1, n + 1};
  m_words = decltype(m_words)(
      Kokkos::view_alloc(Kokkos::WithoutInitializing, std::string(call)),
      std::accumulate(sizes.begin(), sizes.end(), std::size_t{0}));
  auto* next = m_words.data();
  for (std::size_t k = 0; k < parts.size(); ++k) {
    *parts[k] = next;
    next += sizes[k];
  }
  m_told = MemberWords("symm::sort, words", n_numbers);

  if (!failure) failure = failure_of([this] { reserve(); });
  bool const is_wrong = tell(call, input, failure);
  // (All members reach the same result, but PEs of other PE teams may reach a
  // different one.)
  if (is_wrong || !m_members.are_world()) agree(call, failure);
  find_of_world(input.element_bytes);
}

bool SortStep::tell(char const* call, SortInput const& input,
                    std::optional<Failure>& failure) {
  if (m_n == 0) {
    if (!failure && input.count > 0) {
      failure = Failure{ErrorKind::usage,
                        Text(call, ": PE ", my_pe(),
                             " has elements, but is not in a PE team")};
    }
    return failure.has_value();
  }
  m_told.to_all(m_members, n_elements, input.count);
  m_told.to_all(m_members, element_bytes, input.element_bytes);
  m_told.to_all(m_members, capacity, input.capacity);
  m_told.to_all(m_members, least, input.least);
  m_told.to_all(m_members, greatest, input.greatest);
  bool is_wrong = m_told.exchange(m_members, failure.has_value());
  auto const other =
      m_told.other(m_members, element_bytes, input.element_bytes);
  if (other) {
    is_wrong = true;
    if (!failure) {
      failure = Failure{
          ErrorKind::usage,
          Text(call, ": elements of PE ", world_pe(m_me), " have ",
               input.element_bytes, " bytes, those of PE ", world_pe(*other),
               " ", m_told.from(*other, element_bytes),
               "; pass Views of the same types on all PEs")};
    }
  }

  auto const number = [&](std::size_t pe, Number which) {
    return m_told.from(pe, which);
  };
  std::uint64_t max_bits = 0;
  m_buckets.least        = ~std::uint64_t{0};
  for (std::size_t pe = 0; pe < m_n; ++pe) {
    m_total += number(pe, n_elements);
    m_max_before    = std::max(m_max_before, number(pe, n_elements));
    m_buckets.least = std::min(m_buckets.least, number(pe, least));
    max_bits        = std::max(max_bits, number(pe, greatest));
  }
  for (std::size_t pe = 0; pe < m_n; ++pe) {
    m_grows = m_grows || first_of(pe + 1) - first_of(pe) > number(pe, capacity);
  }
  if (!is_wrong && std::max(m_max_before, max_now()) > max_elements) {
    is_wrong = true;
    failure  = Failure{ErrorKind::usage,
                      Text(call, ": ", std::max(m_max_before, max_now()),
                            " elements on a PE, but at most ", max_elements,
                            " are supported")};
  }
  if (!is_wrong) find_buckets(max_bits);
  return is_wrong;
}

void SortStep::find_buckets(std::uint64_t greatest) {
  if (m_total == 0) {
    m_buckets = {};
    return;
  }
  m_buckets.range = greatest - m_buckets.least;
  m_buckets.shift =
      std::max(0, static_cast<int>(std::bit_width(m_buckets.range)) -
                      std::clamp(static_cast<int>(std::bit_width(m_total)) - 4,
                                 1, SortBuckets::max_bits));
  m_buckets.count =
      static_cast<std::size_t>(m_buckets.range >> m_buckets.shift) + 1;
}

void SortStep::find_of_world(std::size_t element_bytes) {
  m_of_world = {m_total > 0, m_grows, padded(m_max_before) * element_bytes,
                max_now()};
  if (m_members.are_world()) return;
  enum { has_elements, grows, outbox_bytes, most, n_of_world };
  auto& values   = m_of_world;
  auto const all = m_told.maxima_of_world(std::array<std::size_t, n_of_world>{
      values.has_elements ? 1U : 0U, values.grows ? 1U : 0U,
      values.outbox_bytes, values.max_now});
  values         = {all[has_elements] != 0, all[grows] != 0, all[outbox_bytes],
                    all[most]};
}

// Reserves the private memory for the next steps so that PEs have to agree only
// once.
void SortStep::reserve() {
  m_before.reserve(max_buckets + 1);
  m_parts.reserve(max_buckets);
  m_cut_buckets.reserve(m_n);
  m_searches.reserve(m_n);
}

std::size_t SortStep::first_of(std::size_t pe) const {
  return m_total / m_n * pe + std::min(pe, m_total % m_n);
}

SortCut SortStep::cut_before(std::size_t element) const {
  auto const end = std::upper_bound(m_before.begin(), m_before.end(), element);
  auto const bucket =
      static_cast<std::size_t>(std::distance(m_before.begin(), end)) - 1;
  return {bucket, element - m_before[bucket]};
}

void SortStep::add_up(std::span<std::size_t const> counts) {
  if (m_total == 0) {
    m_starts[0] = m_starts[1] = 0;
    return;
  }
  std::copy(counts.begin(), counts.end(), m_counts);
  reduce(m_members.team(), m_sums, m_counts, m_buckets.count, Sum());
  m_before.resize(m_buckets.count + 1);
  m_starts[0] = 0;
  for (std::size_t b = 0; b < m_buckets.count; ++b) {
    m_before[b + 1] = m_before[b] + m_sums[b];
    m_starts[b + 1] = m_starts[b] + m_counts[b];
  }
  for (std::size_t pe = 1; pe < m_n; ++pe) {
    auto const cut = cut_before(first_of(pe));
    if (cut.before > 0 &&
        (m_cut_buckets.empty() || m_cut_buckets.back() != cut.bucket))
      m_cut_buckets.push_back(cut.bucket);
  }
  auto const begin = first_of(m_me), end = first_of(m_me + 1);
  if (begin == end) return;
  m_first_bucket = cut_before(begin).bucket;
  for (auto b = m_first_bucket; b < m_buckets.count && m_before[b] < end; ++b) {
    auto const first = std::max(m_before[b], begin);
    m_parts.push_back({first - begin, std::min(m_before[b + 1], end) - first});
  }
}

void SortStep::search(CountBelow const& count_below) {
  auto& searches     = m_searches;
  auto const is_open = [](Search const& search) { return search.range > 0; };
  while (std::any_of(searches.begin(), searches.end(), is_open)) {
    for (std::size_t k = 0; k < searches.size(); ++k) {
      auto const& interval = searches[k];
      auto const step      = interval.range / ways + 1;
      for (std::size_t way = 1; way < ways; ++way) {
        bool const has_all = interval.range < step * way;
        m_counts[k * ways + way] =
            !is_open(interval) ? 0
            : has_all
                ? m_starts[interval.cut.bucket + 1] -
                      m_starts[interval.cut.bucket]
                : count_below(interval.cut.bucket, interval.low + step * way);
      }
      m_counts[k * ways] = 0;
    }
    reduce(m_members.team(), m_sums, m_counts, searches.size() * ways, Sum());
    for (std::size_t k = 0; k < searches.size(); ++k) {
      auto& interval = searches[k];
      if (!is_open(interval)) continue;
      auto const step = interval.range / ways + 1;
      std::size_t way = 0;
      while (way + 1 < ways && m_sums[k * ways + way + 1] < interval.cut.before)
        ++way;
      interval.low += step * way;
      interval.range = std::min(step - 1, interval.range - step * way);
    }
  }
}

void SortStep::cut(CountBelow const& count_below) {
  auto& searches = m_searches;
  if (m_total == 0) return;
  m_cuts[0]   = 0;
  m_cuts[m_n] = m_starts[m_buckets.count];
  for (std::size_t pe = 1; pe < m_n; ++pe) {
    auto const cut = cut_before(first_of(pe));
    m_cuts[pe]     = m_starts[cut.bucket];
    if (cut.before > 0) {
      searches.push_back({pe, cut, m_buckets.first_of(cut.bucket),
                          m_buckets.range_of(cut.bucket)});
    }
  }
  if (searches.empty()) return;
  search(count_below);
  // Elements with the key at the cut are placed before the cut, in PE order,
  // until each PE before the cut has its share.
  auto const n        = searches.size();
  auto* const below   = m_counts;
  auto* const equal   = m_counts + n;
  auto* const earlier = m_sums + n;
  for (std::size_t k = 0; k < n; ++k) {
    auto const& found = searches[k];
    auto const b      = found.cut.bucket;
    below[k]          = count_below(b, found.low);
    equal[k] =
        (found.low == ~std::uint64_t{0} ? m_starts[b + 1] - m_starts[b]
                                        : count_below(b, found.low + 1)) -
        below[k];
  }
  reduce(m_members.team(), m_sums, below, n, Sum());
  exscan(m_members.team(), earlier, equal, n, Sum());
  for (std::size_t k = 0; k < n; ++k) {
    auto const& found  = searches[k];
    auto const needed  = found.cut.before - m_sums[k];
    auto const of_mine = needed > earlier[k] ? needed - earlier[k] : 0;
    m_cuts[found.pe] += below[k] + std::min(of_mine, equal[k]);
  }
}

SortStep::Places SortStep::empty_places() const {
  return Places(m_n, std::vector<std::uint64_t>(m_parts.size() + 1));
}

void SortStep::read(Places& places) const {
  if (m_parts.empty()) return;
  for (std::size_t k = 0; k < m_n; ++k) {
    auto const pe = world_pe(k);
    auto& row     = places[k];
    get_nbi(&row.front(), m_cuts + m_me, 1, pe);
    get_nbi(&row.back(), m_cuts + m_me + 1, 1, pe);
    get_nbi(row.data() + 1, m_starts + m_first_bucket + 1, m_parts.size() - 1,
            pe);
  }
  quiet();
}

}  // namespace symm::Impl
