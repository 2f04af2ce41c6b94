// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#include "MigrationStep.hpp"

#include <algorithm>
#include <numeric>
#include <string>
#include <utility>

#include "../../runtime/base/Text.hpp"
#include "../../runtime/symm_collectives.hpp"
#include "../../runtime/symm_errors.hpp"
#include "../../runtime/symm_job.hpp"
#include "../../runtime/symm_teams.hpp"

namespace symm::Impl {

namespace {

/// The words of all PEs: how many elements go from each PE to each other one,
/// and three more numbers of each PE.
class Table {
 public:
  enum Number : std::size_t { element_bytes, capacity, has_failed, n_numbers };

  Table(std::int64_t const* words, int n_pes)
      : m_words(words), m_n(static_cast<std::size_t>(n_pes)) {}

  [[nodiscard]] std::size_t moving(std::size_t from, std::size_t to) const {
    return static_cast<std::size_t>(m_words[from * (m_n + n_numbers) + to]);
  }
  [[nodiscard]] std::size_t number(std::size_t pe, Number which) const {
    return static_cast<std::size_t>(
        m_words[pe * (m_n + n_numbers) + m_n + which]);
  }
  /// Elements of `to` afterwards.
  [[nodiscard]] std::size_t n_now(std::size_t to) const {
    std::size_t sum = 0;
    for (std::size_t from = 0; from < m_n; ++from) sum += moving(from, to);
    return sum;
  }
  /// The place of the block of `from` in the inbox of `to`, in elements; with
  /// from = n_pes, the end of the inbox.
  [[nodiscard]] std::size_t start(std::size_t from, std::size_t to) const {
    std::size_t sum = 0;
    for (std::size_t pe = 0; pe < from; ++pe)
      if (pe != to) sum += padded(moving(pe, to));
    return sum;
  }
  /// The same in the outbox of `from`.
  [[nodiscard]] std::size_t start_in_outbox(std::size_t from,
                                            std::size_t to) const {
    std::size_t sum = 0;
    for (std::size_t pe = 0; pe < to; ++pe)
      if (pe != from) sum += padded(moving(from, pe));
    return sum;
  }

 private:
  std::int64_t const* m_words;
  std::size_t m_n;
};

using ElementRange = std::pair<std::size_t, std::size_t>;

/// Makes the list of those that leave that of the places of `n_arriving`
/// elements.
ElementList places_of_arriving(Leaving& leaving, std::size_t n_arriving) {
  auto& list = leaving.elements;
  if (list.extent(0) < n_arriving) Kokkos::resize(list, n_arriving);
  if (leaving.count < n_arriving) {
    std::iota(list.data() + leaving.count, list.data() + n_arriving,
              static_cast<ElementIndex>(leaving.n_before));
  }
  return Kokkos::subview(list, ElementRange(0, n_arriving));
}

/// Appends the elements that go to a PE or come from it. The host sends them in
/// several blocks. On a GPU, each neighbour has one block, perhaps empty.
void append_blocks(std::vector<Block>& blocks, Pe pe, std::size_t count,
                   std::size_t here, std::size_t there) {
  constexpr std::size_t most =
      runs_on_host_v<ExchangeSpace> ? 8 * Chunk::most : max_elements;
  std::size_t first = 0;
  do {
    blocks.push_back(Block::make(pe, std::min(count - first, most),
                                 here + first, there + first));
    first += most;
  } while (first < count);
}

/// New places for elements that stay but would be behind the end.
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

/// The elements that leave, by PE.
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

}  // namespace

MigrationStep MigrationBuffers::begin(char const* call, Leaving& leaving,
                                      std::optional<Failure> failure) {
  auto const n_pes_here = n_pes();
  auto const n          = static_cast<std::size_t>(n_pes_here);
  auto const me         = static_cast<std::size_t>(my_pe());
  auto const width      = n + Table::n_numbers;
  if (m_all.extent(0) == 0) {
    m_buffers = ExchangeBuffers(call);
    m_mine    = Words(std::string(call), width);
    m_all     = Words(std::string(call), n * width);
  }
  ElementList its_sorted;
  if (!failure)
    failure = failure_of([&] { its_sorted = sorted(m_sorted, leaving); });
  if (!failure) {
    std::copy(leaving.counts.begin(), leaving.counts.end(), m_mine.data());
    m_mine(me) = static_cast<std::int64_t>(leaving.n_before - leaving.count);
  }
  m_mine(n + Table::element_bytes) =
      static_cast<std::int64_t>(leaving.element_bytes);
  m_mine(n + Table::capacity)   = static_cast<std::int64_t>(leaving.capacity);
  m_mine(n + Table::has_failed) = failure ? 1 : 0;
  // A barrier, too: all PEs have emptied their inboxes.
  fcollect(team_world(), m_all.data(), m_mine.data(), width);

  Table const table(m_all.data(), n_pes_here);
  MigrationStep step;
  bool is_wrong    = false;
  std::size_t room = 0;
  for (std::size_t pe = 0; pe < n; ++pe) {
    auto const bytes = table.number(pe, Table::element_bytes);
    bool const fails = table.number(pe, Table::has_failed) != 0;
    if (!fails && !failure && bytes != leaving.element_bytes) {
      failure = Failure{
          ErrorKind::usage,
          Text(call, ": elements of PE ", me, " have ", leaving.element_bytes,
               " bytes, those of PE ", pe, " ", bytes)};
    }
    is_wrong       = is_wrong || fails || bytes != leaving.element_bytes;
    auto const its = table.n_now(pe);
    step.most      = std::max(step.most, its);
    step.grows     = step.grows || its > table.number(pe, Table::capacity);
    room = std::max({room, table.start(n, pe), table.start_in_outbox(pe, n)});
  }
  if (!is_wrong && step.most > max_elements) {
    is_wrong = true;
    failure  = Failure{ErrorKind::usage,
                      Text(call, ": ", step.most, " elements on a PE; at most ",
                            max_elements, " are counted")};
  }
  // (All PEs have the same table.)
  if (is_wrong) agree(call, failure);
  if (room * leaving.element_bytes > m_room) {
    auto const bytes = room * leaving.element_bytes / 4 * 5;
    m_buffers.grow(call, bytes, 1, team_world().has_far_pes() ? bytes : 0);
    m_room = bytes;
  }

  step.n_now            = table.n_now(me);
  auto const n_arriving = step.n_now - table.moving(me, me);
  Moves const moves(leaving, n_arriving, step.n_now);
  std::vector<Block> sent, received;
  for (std::size_t pe = 0; pe < n; ++pe) {
    auto const out = table.moving(me, pe);
    auto const in  = table.moving(pe, me);
    if (pe == me || out + in == 0) continue;
    auto const its = static_cast<Pe>(pe);
    append_blocks(sent, its, out, table.start_in_outbox(me, pe),
                  table.start(me, pe));
    append_blocks(received, its, in, table.start(pe, me), 0);
  }
  step.sent = PlanSide::make(
      Kokkos::subview(its_sorted, ElementRange(0, leaving.count)), 0,
      std::move(sent));
  step.received = PlanSide::make(places_of_arriving(leaving, n_arriving), 0,
                                 std::move(received));
  copy_to_kernels(step.moved, "symm::Migration, moved", moves.from);
  copy_to_kernels(step.moved_to, "symm::Migration, moved to", moves.to);
  // (MigrationOnHost adds up to max_elements.)
  m_buffers.set_steps(m_n_calls++ << 32U);
  return step;
}

}  // namespace symm::Impl
