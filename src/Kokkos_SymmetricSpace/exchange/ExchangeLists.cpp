// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#include "ExchangeLists.hpp"

#include <algorithm>
#include <numeric>
#include <string>
#include <utility>

#include "../../runtime/base/Text.hpp"
#include "../../runtime/symm_errors.hpp"

namespace symm::Impl {

namespace {

void check_count(char const* call, std::size_t count) {
  if (count <= max_elements) return;
  throw UsageError(Text(call, ": ", count, " elements on a PE; a plan counts ",
                        max_elements, " at most"));
}

void check_lengths(char const* call, std::size_t count, char const* what,
                   std::size_t others, char const* of_what) {
  if (count == others) return;
  throw UsageError(Text(call, ": ", count, " ", what, ", but ", others, " ",
                        of_what, ": the lists must be equally long"));
}

/// Calls body(first, count) for parts of a list that fit into Part.
constexpr std::size_t most_of_part = 512;
using Part                         = std::int64_t[most_of_part];
template <class Body>
void for_each_part(std::size_t count, Body const& body) {
  for (std::size_t first = 0; first < count; first += most_of_part)
    body(first, std::min(most_of_part, count - first));
}

/// Whether value is not in 0 to end - 1: then this is negative.
std::int64_t is_wrong(std::int64_t value, std::int64_t end) {
  return value | (end - 1 - value);
}

/// Checks lists, and counts the elements of each PE.
/// \param end the elements are below it.
std::vector<std::size_t> count(char const* call, char const* what,
                               Integers const& elements, std::size_t end,
                               Integers const& pes, int n_pes) {
  check_lengths(call, elements.size(), (std::string(what) + "s").c_str(),
                pes.size(), "PEs");
  auto const its_end = static_cast<std::int64_t>(end);
  // Several counters of a PE: one would be changed again before it is stored.
  constexpr std::size_t n_counters = 4;
  std::vector<std::size_t> counters(n_counters *
                                    static_cast<std::size_t>(n_pes));
  for_each_part(pes.size(), [&](std::size_t first, std::size_t n) {
    Part pe, element;
    pes.read(first, n, pe);
    elements.read(first, n, element);
    std::int64_t any = 0;
    for (std::size_t k = 0; k < n; ++k)
      any |= is_wrong(pe[k], n_pes) | is_wrong(element[k], its_end);
    for (std::size_t k = 0; k < n && any < 0; ++k) {
      if (is_wrong(pe[k], n_pes) < 0) {
        throw UsageError(Text(call, ": ", what, " ", first + k,
                              ": there is no PE ", pe[k],
                              "; PEs of the PE team are 0 to ", n_pes - 1));
      }
      if (is_wrong(element[k], its_end) < 0) {
        throw UsageError(Text(call, ": ", what, " ", first + k,
                              ": there is no element ", element[k],
                              "; there are ", end));
      }
    }
    for (std::size_t k = 0; k < n; ++k)
      ++counters[n_counters * static_cast<std::size_t>(pe[k]) + k % n_counters];
  });
  std::vector<std::size_t> counts(static_cast<std::size_t>(n_pes));
  for (std::size_t c = 0; c < counters.size(); ++c)
    counts[c / n_counters] += counters[c];
  return counts;
}

/// Sorts lists by PE; elements of a PE keep their order.
/// Precondition: count() has taken the lists.
template <std::size_t n_lists>
std::array<ElementList, n_lists> sorted(
    std::vector<std::size_t> const& counts, Integers const& pes,
    std::array<Integers, n_lists> const& lists) {
  std::array<ElementList, n_lists> result;
  for (auto& list : result) list = element_list(pes.size());
  std::vector<std::size_t> next(counts.size());
  std::exclusive_scan(counts.begin(), counts.end(), next.begin(),
                      std::size_t{0});
  for_each_part(pes.size(), [&](std::size_t first, std::size_t n) {
    Part part;
    std::size_t place[most_of_part];
    pes.read(first, n, part);
    for (std::size_t k = 0; k < n; ++k)
      place[k] = next[static_cast<std::size_t>(part[k])]++;
    for (std::size_t l = 0; l < n_lists; ++l) {
      lists[l].read(first, n, part);
      auto* const to = result[l].data();
      for (std::size_t k = 0; k < n; ++k)
        to[place[k]] = static_cast<ElementIndex>(part[k]);
    }
  });
  return result;
}

/// Appends the cells of a part of a box, in the order of their indices.
struct CellRange {
  std::size_t begin;
  std::size_t end;
};
void append_cells(std::vector<ElementIndex>& cells,
                  std::array<std::size_t, 3> const& extents,
                  std::array<CellRange, 3> const& part) {
  for (auto i = part[0].begin; i < part[0].end; ++i)
    for (auto j = part[1].begin; j < part[1].end; ++j)
      for (auto k = part[2].begin; k < part[2].end; ++k)
        cells.push_back(
            static_cast<ElementIndex>((i * extents[1] + j) * extents[2] + k));
}

/// The boxes around that of a PE.
class Boxes {
 public:
  Boxes(char const* call, BoxDecomposition const& box, Pe my_pe, int n_pes)
      : m_box(box) {
    while (m_rank < 3 && box.owned[m_rank] > 0) ++m_rank;
    if (m_rank == 0) throw UsageError(Text(call, ": the box has no cells"));
    int n_boxes = 1;
    for (std::size_t a = 0; a < m_rank; ++a) n_boxes *= box.pe_grid[a];
    if (n_boxes != n_pes) {
      throw UsageError(Text(call, ": a PE grid of ", n_boxes, " boxes for ",
                            n_pes, " PEs: pass one with a box for each PE"));
    }
    for (auto a = m_rank; a-- > 0; my_pe /= box.pe_grid[a]) {
      m_place[a]     = my_pe % box.pe_grid[a];
      auto const all = box.owned[a] + 2 * box.ghost_width;
      m_extents[a]   = box.view_extents[a] == 0 ? all : box.view_extents[a];
      bool const has_neighbour = box.pe_grid[a] > 1 || box.periodic[a];
      if (m_extents[a] < all ||
          (has_neighbour && box.owned[a] < box.ghost_width)) {
        throw UsageError(Text(
            call, ": axis ", a, ": ", box.owned[a], " owned cells, ghosts ",
            box.ghost_width, " wide and an extent of ", m_extents[a],
            " of the Views: a box needs as many cells as its neighbour has "
            "ghosts, and the Views room for them"));
      }
    }
  }

  [[nodiscard]] std::size_t rank() const { return m_rank; }
  [[nodiscard]] std::array<std::size_t, 3> const& extents() const {
    return m_extents;
  }

  /// Whether this box exchanges cells along `d`, of which each is -1, 0 or 1.
  [[nodiscard]] bool takes(std::array<int, 3> const& d) const {
    int n_axes = 0;
    for (std::size_t a = 0; a < 3; ++a) {
      if (d[a] != 0 && a >= m_rank) return false;
      if (d[a] != 0) ++n_axes;
    }
    using enum BoxDecomposition::Neighbours;
    return n_axes > 0 && m_box.ghost_width > 0 &&
           (n_axes == 1 || m_box.neighbours == all ||
            (n_axes == 2 && m_box.neighbours == faces_and_edges));
  }
  /// The PE along `d`; -1, if there is none.
  [[nodiscard]] Pe neighbour(std::array<int, 3> const& d, int sign) const {
    Pe pe = 0;
    for (std::size_t a = 0; a < m_rank; ++a) {
      int const n = m_box.pe_grid[a];
      int place   = m_place[a] + sign * d[a];
      if (m_box.periodic[a]) place = (place + n) % n;
      if (place < 0 || place >= n) return -1;
      pe = pe * n + place;
    }
    return pe;
  }
  /// My cells that a neighbour along `d` has copies of.
  [[nodiscard]] std::array<CellRange, 3> sent(
      std::array<int, 3> const& d) const {
    return part(d, 1, 0);
  }
  /// My ghosts that a neighbour along -d fills, which has sent along `d`.
  [[nodiscard]] std::array<CellRange, 3> filled(
      std::array<int, 3> const& d) const {
    return part(d, -1, 1);
  }

 private:
  [[nodiscard]] std::array<CellRange, 3> part(std::array<int, 3> const& d,
                                              int sign,
                                              std::size_t outwards) const {
    std::array<CellRange, 3> result{{{0, 1}, {0, 1}, {0, 1}}};
    auto const width = m_box.ghost_width;
    for (std::size_t a = 0; a < m_rank; ++a) {
      auto const owned = m_box.owned[a];
      auto const low   = width - outwards * width;
      auto const high  = owned + outwards * width;
      result[a]        = d[a] == 0         ? CellRange{width, width + owned}
                         : sign * d[a] < 0 ? CellRange{low, low + width}
                                           : CellRange{high, high + width};
    }
    return result;
  }

  BoxDecomposition const& m_box;
  std::size_t m_rank = 0;
  std::array<int, 3> m_place{};
  std::array<std::size_t, 3> m_extents{1, 1, 1};
};

}  // namespace

ExchangeLists lists_of_exports(char const* call, std::size_t n_owned,
                               Integers const& ids, Integers const& pes,
                               int n_pes) {
  check_count(call, n_owned);
  auto const counts = count(call, "export", ids, n_owned, pes, n_pes);
  ExchangeLists lists;
  lists.n_owned = n_owned;
  lists.owned   = {sorted<1>(counts, pes, {ids})[0], counts, true};
  return lists;
}

ExchangeLists lists_of_imports(char const* call, std::size_t n_owned,
                               Integers const& indices, Integers const& pes,
                               Integers const* places, int n_pes) {
  check_count(call, n_owned + indices.size());
  // The owner checks the upper bound, which this PE does not know.
  auto const counts = count(call, "import", indices, max_elements, pes, n_pes);
  if (places != nullptr) {
    check_lengths(call, indices.size(), "imports", places->size(),
                  "places for them");
    (void)count(call, "place of import", *places, max_elements, pes, n_pes);
  }
  auto const ghosts =
      places != nullptr ? *places : Integers::counting(n_owned, indices.size());
  auto const both = sorted<2>(counts, pes, {indices, ghosts});
  ExchangeLists lists;
  lists.n_owned = n_owned;
  lists.wanted  = both[0];
  lists.ghosts  = {both[1], counts, true};
  return lists;
}

ElementsOfMembers joined(std::vector<std::vector<ElementIndex>> const& parts) {
  ElementsOfMembers all;
  all.is_known = true;
  for (auto const& part : parts) all.counts.push_back(part.size());
  all.elements = element_list(
      std::accumulate(all.counts.begin(), all.counts.end(), std::size_t{0}));
  auto* to = all.elements.data();
  for (auto const& part : parts) to = std::copy(part.begin(), part.end(), to);
  return all;
}

ExchangeLists lists_of_box(char const* call, BoxDecomposition const& box,
                           Pe my_pe, int n_pes) {
  Boxes const boxes(call, box, my_pe, n_pes);
  auto const& extents = boxes.extents();
  check_count(call, extents[0] * extents[1] * extents[2]);
  using OfMembers = std::vector<std::vector<ElementIndex>>;
  OfMembers sent(static_cast<std::size_t>(n_pes));
  OfMembers filled(static_cast<std::size_t>(n_pes));
  ExchangeLists lists;
  for (int n = 0; n < 27; ++n) {
    // Sender and receiver come to equal directions in equal order.
    std::array<int, 3> const d{n / 9 - 1, n / 3 % 3 - 1, n % 3 - 1};
    if (!boxes.takes(d)) continue;
    if (Pe const to = boxes.neighbour(d, 1); to >= 0) {
      auto const part = boxes.sent(d);
      auto& cells     = sent[static_cast<std::size_t>(to)];
      lists.box_parts.push_back({to,
                                 d,
                                 {part[0].begin, part[1].begin, part[2].begin},
                                 {part[0].end, part[1].end, part[2].end},
                                 cells.size()});
      append_cells(cells, extents, part);
    }
    if (Pe const from = boxes.neighbour(d, -1); from >= 0) {
      append_cells(filled[static_cast<std::size_t>(from)], extents,
                   boxes.filled(d));
    }
  }
  lists.owned_cells = box.owned;
  lists.ghost_width = box.ghost_width;
  lists.owned       = joined(sent);
  lists.ghosts      = joined(filled);
  lists.n_owned     = extents[0] * extents[1] * extents[2];
  lists.extents.assign(extents.begin(),
                       extents.begin() + static_cast<int>(boxes.rank()));
  return lists;
}

}  // namespace symm::Impl
