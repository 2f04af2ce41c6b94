// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#include "MigrationStep.hpp"

#include <algorithm>
#include <numeric>
#include <string>
#include <utility>

#include <Kokkos_SymmetricSpace_Edge.hpp>

#include "../../runtime/symm_collectives.hpp"
#include "../../runtime/symm_errors.hpp"
#include "../../runtime/symm_job.hpp"
#include "../../runtime/symm_teams.hpp"

namespace symm::Impl {

namespace {

/// The words that PEs send each other in begin() and make_room().
struct Words {
  enum Counts : std::size_t { count, element, symmetric_extents };
  enum Places : std::size_t { place, n_now, room };
  static constexpr std::size_t n = 3;
};

using ElementRange = std::pair<std::size_t, std::size_t>;

/// Turns the list of leaving elements into a list of places for `n_arriving`
/// elements: first the places of leaving elements, then places after the last
/// element.
ElementList places_of_arriving(Leaving& leaving, std::size_t n_arriving) {
  auto& list = leaving.elements;
  if (list.extent(0) < n_arriving) Kokkos::resize(list, n_arriving);
  if (leaving.count < n_arriving) {
    std::iota(list.data() + leaving.count, list.data() + n_arriving,
              static_cast<ElementIndex>(leaving.n_before));
  }
  return Kokkos::subview(list, ElementRange(0, n_arriving));
}

/// Appends the blocks of elements that this PE sends to PE `pe` or receives
/// from it. On the host, a neighbor may have several blocks. On a GPU, each
/// neighbor has exactly one. A block may be empty. BlockRoute::there is
/// relative to the start of the neighbor's first block.
void append_blocks(std::vector<Block>& blocks, Pe pe, std::size_t n,
                   std::size_t here) {
  constexpr std::size_t most =
      runs_on_host_v<ExchangeSpace> ? 8 * Chunk::most : max_elements;
  auto const slot       = static_cast<std::uint32_t>(pe);
  auto const slot_there = static_cast<std::uint32_t>(my_pe());
  std::size_t first     = 0;
  do {
    blocks.emplace_back(
        BlockRoute{pe, is_near(pe), here + first, first, slot, slot_there},
        std::min(n - first, most));
    first += most;
  } while (first < n);
}

/// The moves of elements that stay on this PE but whose indices are at or after
/// the new end.
struct Moves {
  std::vector<ElementIndex> from;
  std::vector<ElementIndex> to;

  Moves(Leaving const& leaving, std::size_t n_arriving, std::size_t n_now) {
    auto const* const holes = leaving.elements.data();
    auto const* const end   = holes + leaving.count;
    auto const* hole        = std::lower_bound(holes, end, n_now);
    for (auto k = n_now; k < leaving.n_before; ++k) {
      if (hole != end && *hole == k) {
        ++hole;
      } else {
        to.push_back(holes[n_arriving + from.size()]);
        from.push_back(static_cast<ElementIndex>(k));
      }
    }
  }
};

/// The leaving elements, sorted by PE.
ElementList sorted(ElementList& memory, Leaving const& leaving) {
  auto const& counts = leaving.counts;
  if (*std::max_element(counts.begin(), counts.end()) == leaving.count)
    return leaving.elements;
  if (memory.extent(0) < leaving.count)
    memory = element_list(leaving.elements.extent(0));
  std::vector<std::size_t> next(counts.size());
  std::exclusive_scan(counts.begin(), counts.end(), next.begin(),
                      std::size_t{0});
  for (std::size_t k = 0; k < leaving.count; ++k) {
    memory(next[static_cast<std::size_t>(leaving.pes(k))]++) =
        leaving.elements(k);
  }
  return memory;
}

/// All PEs of the PE team throw this error together.
[[noreturn]] void throw_too_little_room(char const* call, std::size_t bytes) {
  throw UsageError(Text(call, ": there is no room for ", bytes,
                        " bytes to or from a PE; with a PE team, call "
                        "reserve() on all PEs of the world first"));
}

/// For each block, the number of elements in the same PE's earlier blocks.
std::vector<ElementIndex> elements_before(PlanSide const& side) {
  auto const& blocks = side.blocks.on_host();
  std::vector<ElementIndex> before(blocks.size());
  for (std::size_t b = 1; b < before.size(); ++b) {
    auto const& last = blocks[b - 1];
    if (last.pe == blocks[b].pe) before[b] = before[b - 1] + last.count;
  }
  return before;
}

}  // namespace

HostOrder::HostOrder(PlanSide const& its_sent, PlanSide const& received)
    : sent(its_sent.chunks.size()),
      sent_before(elements_before(its_sent)),
      received_before(elements_before(received)),
      next(received.blocks.size() + 1) {
  std::iota(sent.begin(), sent.end(), 0U);
  std::sort(sent.begin(), sent.end(), [&](auto a, auto b) {
    auto const& chunks = its_sent.chunks.on_host();
    return chunks[a].start < chunks[b].start;
  });
  for (auto const& chunk : received.chunks.on_host()) ++next[chunk.block + 1];
  std::partial_sum(next.begin(), next.end(), next.begin());
  ends.assign(next.begin() + 1, next.end());
  ready.reserve(received.chunks.size());
}

/// Collective over the world. Allocates everything except the inboxes and the
/// outbox.
void MigrationBuffers::make(char const* call, std::optional<Failure> failure) {
  auto const prepare = [&] {
    m_buffers.prepare("symm::Migration", static_cast<std::size_t>(n_pes()));
    for (auto* const numbers : {&m_arriving, &m_in_inbox, &m_in_outbox})
      numbers->resize(static_cast<std::size_t>(members().n()) + 1);
  };
  if (!failure) failure = failure_of(prepare);
  agree(call, failure);
  m_buffers.begin(static_cast<std::size_t>(n_pes()));
  m_words = MemberWords("symm::Migration, words", Words::n);
}

void MigrationBuffers::reserve(char const* call, std::size_t bytes) {
  agree(ObjectCall(call));
  // (Other PEs may make this call for a migration that already has memory.)
  if (reduce(team_world(), m_words.has_memory() ? 0 : 1, Max{}) != 0)
    make(call, {});
  // (The buffer sizes of other PE teams may be different.)
  auto const most = reduce(team_world(), std::max(bytes, m_room), Max{});
  m_buffers.grow(ObjectCall(call),
                 {most, false, team_world().has_far_pes() ? most : 0});
  m_room     = most;
  m_has_room = true;
}

MigrationStep MigrationBuffers::begin(char const* call, Leaving& leaving,
                                      std::optional<Failure> failure) {
  auto const& team = members().team();
  auto const n     = static_cast<std::size_t>(team.n_pes());
  auto const me    = static_cast<std::size_t>(team.my_pe());
  if (n == 0) {
    throw UsageError(
        Text(call, ": PE ", my_pe(), " is not in the PE team that created it"));
  }
  if (!m_words.has_memory()) {
    if (!members().are_world()) throw_too_little_room(call, 0);
    make(call, std::exchange(failure, {}));
  }
  if (!failure) {
    for (std::size_t pe = 0; pe < n; ++pe)
      m_words.to(pe, Words::count) =
          static_cast<std::int64_t>(leaving.counts[pe]);
    m_words.to(me, Words::count) =
        static_cast<std::int64_t>(leaving.n_before - leaving.count);
  }
  m_words.to_all(members(), Words::element, leaving.element);
  m_words.to_all(members(), Words::symmetric_extents,
                 leaving.symmetric_extents);
  // A PE calls exchange() only after it has unpacked its inbox, so all inboxes
  // may be overwritten after the call.
  bool const has_any_failed = m_words.exchange(members(), failure.has_value());
  auto const difference     = difference_of(call, leaving);
  // (All PEs have received the same words, so all PEs compute the same result.)
  if (has_any_failed || difference)
    members().agree(ObjectCall(call), failure ? failure : difference);

  m_element_bytes = Leaving::bytes_of(leaving.element);
  MigrationStep step;
  step.n_now = 0;
  for (std::size_t pe = 0; pe < n; ++pe) {
    m_arriving[pe] = m_words.from(pe, Words::count);
    step.n_now += m_arriving[pe];
    m_in_inbox[pe + 1] =
        m_in_inbox[pe] + (pe == me ? 0 : padded(m_arriving[pe]));
    m_in_outbox[pe + 1] = m_in_outbox[pe] + padded(leaving.counts[pe]);
  }
  step.failure = failure_of([&] {
    if (step.n_now > max_elements) {
      throw UsageError(Text(call, ": ", step.n_now, " elements on PE ", my_pe(),
                            ", but at most ", max_elements, " are supported"));
    }
    list(step, leaving);
  });
  return step;
}

std::optional<Failure> MigrationBuffers::difference_of(char const* call,
                                                       Leaving const& leaving) {
  auto const other_element =
      m_words.other(members(), Words::element, leaving.element);
  if (other_element) {
    auto const mine = Leaving::bytes_of(leaving.element);
    auto const theirs =
        Leaving::bytes_of(m_words.from(*other_element, Words::element));
    return Failure{
        ErrorKind::usage,
        Text(call, ": elements of PE ", my_pe(), " have ", mine,
             " bytes, those of PE ",
             members().world_pe(static_cast<Pe>(*other_element)), " ", theirs,
             mine == theirs ? ", but divided differently among the Views; pass "
                              "Views of the same types in the same order"
                            : "; pass Views of the same types on all PEs")};
  }
  auto const other_extents = m_words.other(members(), Words::symmetric_extents,
                                           leaving.symmetric_extents);
  if (!other_extents) return std::nullopt;
  return Failure{ErrorKind::usage,
                 Text(call, ": symmetric Views of PE ", my_pe(), " and PE ",
                      members().world_pe(static_cast<Pe>(*other_extents)),
                      " have different lengths; pass symmetric Views of the "
                      "same length, not subviews")};
}

void MigrationBuffers::list(MigrationStep& step, Leaving& leaving) {
  auto const n          = static_cast<std::size_t>(members().n());
  auto const me         = static_cast<std::size_t>(members().me());
  auto const its_sorted = sorted(m_sorted, leaving);
  auto const n_arriving = step.n_now - m_arriving[me];
  auto const n_sent     = leaving.count - leaving.counts[n];
  std::vector<Block> sent, received;
  for (std::size_t pe = 0; pe < n; ++pe) {
    auto const out = leaving.counts[pe];
    auto const in  = m_arriving[pe];
    if (pe == me || out + in == 0) continue;
    auto const member = static_cast<Pe>(pe);
    auto const peer   = members().world_pe(member);
    append_blocks(sent, peer, out, m_in_outbox[pe]);
    append_blocks(received, peer, in, m_in_inbox[pe]);
    step.receivers.resize(sent.size(), member);
  }
  auto const places = places_of_arriving(leaving, n_arriving);
  Moves moves(leaving, n_arriving, step.n_now);
  step.sent = PlanSide::make(
      Kokkos::subview(its_sorted, ElementRange(0, n_sent)), 0, std::move(sent));
  step.received = PlanSide::make(places, 0, std::move(received));
  step.moved    = {"symm::Migration, moved", std::move(moves.from)};
  step.moved_to = {"symm::Migration, moved to", std::move(moves.to)};
  if constexpr (runs_on_host_v<ExchangeSpace>)
    step.order = HostOrder(step.sent, step.received);
}

void MigrationBuffers::make_room(char const* call, MigrationStep& step) {
  auto const n = static_cast<std::size_t>(members().n());
  for (std::size_t pe = 0; pe < n; ++pe)
    m_words.to(pe, Words::place) = static_cast<std::int64_t>(m_in_inbox[pe]);
  m_words.to_all(members(), Words::n_now, step.n_now);
  m_words.to_all(members(), Words::room,
                 std::max(m_in_inbox[n], m_in_outbox[n]));
  bool const has_any_failed =
      m_words.exchange(members(), step.failure.has_value());

  std::size_t its_room = 0;
  for (std::size_t pe = 0; pe < n; ++pe) {
    step.most = std::max(step.most, m_words.from(pe, Words::n_now));
    its_room  = std::max(its_room, m_words.from(pe, Words::room));
  }
  // (All PEs have received the same words, so all PEs compute the same result.)
  if (has_any_failed) members().agree(ObjectCall(call), step.failure);
  if (!m_has_room || its_room * m_element_bytes > m_room) {
    if (!members().are_world())
      throw_too_little_room(call, its_room * m_element_bytes);
    auto const bytes = its_room * m_element_bytes / 4 * 5;
    m_buffers.grow(ObjectCall(call),
                   {bytes, false, team_world().has_far_pes() ? bytes : 0});
    m_room     = bytes;
    m_has_room = true;
  }
  step.sent.blocks.change([&](std::vector<Block>& blocks) {
    for (std::size_t b = 0; b < blocks.size(); ++b) {
      auto const to = static_cast<std::size_t>(step.receivers[b]);
      blocks[b].there += m_words.from(to, Words::place);
    }
  });
  // (MigrationOnHost adds up to max_elements to the step number, which
  // therefore occupies the upper 32 bits.)
  m_buffers.set_steps(runs_on_host_v<ExchangeSpace> ? m_n_calls << 32U
                                                    : m_n_calls);
  ++m_n_calls;
}

}  // namespace symm::Impl
