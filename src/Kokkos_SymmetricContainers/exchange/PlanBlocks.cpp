// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#include "PlanBlocks.hpp"

#include <algorithm>
#include <limits>
#include <numeric>
#include <optional>
#include <string>
#include <utility>

#include <Kokkos_SymmetricSpace_Edge.hpp>

#include "../../runtime/symm_errors.hpp"

namespace symm::Impl {

namespace {

/// Divides a block's elements into chunks: long runs of consecutive elements,
/// and lists of all other elements.
void append_chunks(std::vector<Chunk>& chunks, std::uint32_t number,
                   ElementIndex const* elements, std::size_t listed,
                   ElementIndex count, ElementIndex row) {
  // On a GPU, each thread copies one element, so short chunks leave threads
  // idle.
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
  // A run does not cross rows, because a View may have gaps between them.
  auto const follows = [&](std::size_t k) {
    return elements[k] == elements[k - 1] + 1 &&
           (row == 0 || elements[k] % row != 0);
  };
  // Each long run contains at least one complete `half`-element part that
  // begins at a multiple of `half`. Therefore, it suffices to compare the two
  // ends of each such part, which quickly rules out most lists.
  constexpr std::size_t half = long_run / 2;
  std::size_t list           = 0;  // index of the first element that is not in
                                   // a chunk yet
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

/// The positions of elements in a list, sorted by element. The positions of
/// equal elements stay in order.
std::vector<std::uint32_t> sorted_positions(
    Kokkos::View<ElementIndex*, Kokkos::HostSpace> const& elements,
    std::size_t end) {
  auto const n = elements.extent(0);
  std::vector<std::uint32_t> order(n);
  if (end > 8 * n) {
    std::iota(order.begin(), order.end(), 0U);
    std::stable_sort(order.begin(), order.end(),
                     [&](auto a, auto b) { return elements(a) < elements(b); });
    return order;
  }
  std::vector<std::uint32_t> next(end + 1);
  for (std::size_t k = 0; k < n; ++k) ++next[elements(k) + 1];
  std::partial_sum(next.begin(), next.end(), next.begin());
  for (std::size_t k = 0; k < n; ++k)
    order[next[elements(k)]++] = static_cast<std::uint32_t>(k);
  return order;
}

}  // namespace

PlanSide PlanSide::make(ElementList const& elements, std::size_t row,
                        std::vector<Block> blocks) {
  PlanSide side;
  std::vector<Chunk> chunks;
  std::size_t listed = 0;
  for (std::uint32_t n = 0; n < blocks.size(); ++n) {
    auto& block             = blocks[n];
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
  side.chunks = {"symm::ExchangePlan, chunks", std::move(chunks)};
  side.chunks.forget_on_host();
  side.blocks = {"symm::ExchangePlan, blocks", std::move(blocks)};
  return side;
}

void PlanBlocks::make_room(char const* call, std::size_t bytes,
                           char const* begun) {
  if (bytes <= room) return;
  std::optional<Failure> failure;
  if (begun != nullptr) {
    failure = Failure{ErrorKind::usage,
                      Text(begun,
                           " of this plan has begun but not ended, so its room "
                           "cannot grow; end it first")};
  }
  Text const text(call, " (room for elements of ", bytes, " bytes in plan ",
                  number, ")");
  grow(text.c_str(), bytes, std::move(failure));
}

void PlanBlocks::grow(char const* text, std::size_t bytes,
                      std::optional<Failure> failure) {
  constexpr auto most = std::numeric_limits<std::size_t>::max();
  bool const has_outbox =
      owned.needs_outbox || (runs_on_host_v<ExchangeSpace> && is_box);
  bool const is_possible = capacity == 0 || bytes <= most / capacity;
  auto const turn_bytes  = is_possible ? capacity * bytes : most;
  buffers.grow(room_call(text, bytes),
               {turn_bytes, true, has_outbox ? turn_bytes : 0},
               std::move(failure));
  room = bytes;
}

void PlanBlocks::expect_exports(char const* call) const {
  if (is_exports || number == 0) return;
  throw UsageError(Text(call,
                        ": the plan must be made by ExchangePlan::from_exports "
                        "and not joined with others"));
}

PlanElements PlanBlocks::of_exports() const {
  auto const counting = [](std::size_t first, std::size_t n) {
    auto const list = element_list(n);
    std::iota(list.data(), list.data() + n, static_cast<ElementIndex>(first));
    return list;
  };
  auto const n_exports = owned.elements.extent(0);
  auto const n_ghosts  = ghosts.elements.extent(0);
  PlanElements elements;
  elements.owned =
      PlanSide::make(counting(0, n_exports), 0, owned.blocks.on_host());
  elements.ghosts =
      PlanSide::make(counting(n_exports, n_ghosts), 0, ghosts.blocks.on_host());
  elements.owned.end = elements.ghosts.end = n_exports + n_ghosts;
  elements.owned.room_key = elements.ghosts.room_key = owned.room_key;
  elements.extents                                   = {0};
  Kokkos::fence("symm::ExchangePlan: the exports are in memory of kernels");
  return elements;
}

std::vector<std::size_t> PlanBlocks::order_of_exports(
    char const* call, Integers const& pes) const {
  auto const& blocks = owned.blocks.on_host();
  std::vector<std::size_t> next;
  std::size_t n_exports = 0;
  for (auto const& block : blocks) {
    next.push_back(n_exports);
    n_exports += block.count;
  }
  auto const ends = [&](std::size_t b) {
    return b + 1 < next.size() ? next[b + 1] : n_exports;
  };
  std::vector<std::size_t> order(n_exports);
  auto firsts    = next;
  bool are_equal = pes.size() == n_exports;
  for (std::size_t k = 0; k < n_exports && are_equal; ++k) {
    std::int64_t pe = 0;
    pes.read(k, 1, &pe);
    auto const at = std::lower_bound(neighbors.begin(), neighbors.end(), pe);
    auto const b  = static_cast<std::size_t>(at - neighbors.begin());
    are_equal     = at != neighbors.end() && *at == pe && firsts[b] < ends(b);
    if (are_equal) order[firsts[b]++] = k;
  }
  if (are_equal) return order;
  throw UsageError(Text(
      call, ": these are not the PEs of the plan, which has ", n_exports,
      " exports; pass the list that was passed to ExchangePlan::from_exports"));
}

Contributions Contributions::to(PlanSide const& owned) {
  auto const elements =
      Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), owned.elements);
  auto const& blocks = owned.blocks.on_host();
  std::vector<Contributions::From> from(elements.extent(0));
  std::size_t next = 0;
  for (std::uint32_t b = 0; b < blocks.size(); ++b)
    for (ElementIndex k = 0; k < blocks[b].count; ++k) from[next++] = {b, k};
  auto const order = sorted_positions(elements, owned.end);
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
  result.elements = {"symm::ExchangePlan, distinct elements",
                     std::move(distinct)};
  result.firsts   = {"symm::ExchangePlan, firsts", std::move(firsts)};
  result.from     = {"symm::ExchangePlan, contributions", std::move(sorted)};
  result.elements.forget_on_host();
  result.firsts.forget_on_host();
  result.from.forget_on_host();
  return result;
}

}  // namespace symm::Impl
