// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#include "ExchangeLists.hpp"

#include <algorithm>
#include <numeric>
#include <string>
#include <utility>

#include <Kokkos_SymmetricSpace_Edge.hpp>

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
constexpr std::size_t max_of_part = 512;
using Part                        = std::int64_t[max_of_part];
template <class Body>
void for_each_part(std::size_t count, Body const& body) {
  for (std::size_t first = 0; first < count; first += max_of_part)
    body(first, std::min(max_of_part, count - first));
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
    std::size_t place[max_of_part];
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

std::size_t depth_of(BoxDecomposition const& box) {
  return box.depth == 0 ? box.ghost_width : box.depth;
}

/// The boxes around that of a PE.
class Boxes {
 public:
  Boxes(char const* call, BoxDecomposition const& box, Pe my_pe, int n_pes)
      : m_box(box), m_depth(depth_of(box)) {
    if (m_depth > box.ghost_width) {
      throw UsageError(Text(call, ": depth is ", m_depth, " and ghost_width ",
                            box.ghost_width,
                            ": Views have no room for so many ghosts"));
    }
    find_rank(call);
    std::int64_t n_boxes = 1;
    for (std::size_t a = 0; a < m_rank; ++a) {
      auto const n = box.pe_grid[a];
      if (n < 1) {
        throw UsageError(Text(call, ": a PE grid of ", grid(),
                              " boxes: pass positive numbers"));
      }
      if (n_boxes <= n_pes) n_boxes *= n;
    }
    if (n_boxes != n_pes) {
      throw UsageError(Text(call, ": a PE grid of ", grid(), " boxes for ",
                            n_pes, " PEs: pass one with a box for each PE"));
    }
    for (std::size_t k = 0; k < m_rank; ++k) {
      auto const a = axis(k);
      m_place[a]   = my_pe % box.pe_grid[a];
      my_pe /= box.pe_grid[a];
    }
    std::size_t n_cells = 1;
    for (std::size_t a = 0; a < m_rank; ++a) {
      find_extent(call, a);
      if (m_extents[a] > max_elements / n_cells) {
        throw UsageError(Text(
            call, ": Views of ", m_extents[0], " x ", m_extents[1], " x ",
            m_extents[2], " cells; a plan counts ", max_elements, " at most"));
      }
      n_cells *= m_extents[a];
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
    return n_axes > 0 && m_depth > 0 &&
           (n_axes == 1 || m_box.neighbours == all ||
            (n_axes == 2 && m_box.neighbours == faces_and_edges));
  }
  /// The PE along `d`; -1, if there is none.
  [[nodiscard]] Pe neighbour(std::array<int, 3> const& d, int sign) const {
    Pe pe = 0;
    for (auto k = m_rank; k-- > 0;) {
      auto const a = axis(k);
      int const n  = m_box.pe_grid[a];
      int place    = m_place[a] + sign * d[a];
      if (m_box.periodic[a]) place = (place + n) % n;
      if (place < 0 || place >= n) return -1;
      pe = pe * n + place;
    }
    return pe;
  }
  /// The axes along which the neighbour along `d` is round the end, as bits.
  [[nodiscard]] unsigned wraps(std::array<int, 3> const& d) const {
    unsigned result = 0;
    for (unsigned a = 0; a < m_rank; ++a) {
      int const place = m_place[a] + d[a];
      if (place < 0 || place >= m_box.pe_grid[a]) result |= 1U << a;
    }
    return result;
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
  /// "2 x 3", for messages.
  [[nodiscard]] Text grid() const {
    Text text(std::to_string(m_box.pe_grid[0]));
    for (std::size_t a = 1; a < m_rank; ++a)
      text.append(" x ", m_box.pe_grid[a]);
    return text;
  }
  void find_rank(char const* call) {
    auto const& owned = m_box.owned;
    while (m_rank < 3 && owned[m_rank] > 0) ++m_rank;
    if (m_rank == 0) throw UsageError(Text(call, ": the box has no cells"));
    for (auto a = m_rank; a < 3; ++a) {
      // (0 is what `pe_grid = {2, 2}` leaves there.)
      bool const is_cut = m_box.pe_grid[a] != 0 && m_box.pe_grid[a] != 1;
      if (owned[a] == 0 && !is_cut) continue;
      throw UsageError(Text(call, ": the box has no cells along axis ", m_rank,
                            " (owned cells ", owned[0], " x ", owned[1], " x ",
                            owned[2],
                            "): each PE needs one at least, or all PEs "
                            "call ExchangePlan::from_boxes"));
    }
  }
  void find_extent(char const* call, std::size_t a) {
    auto const owned = m_box.owned[a];
    auto const width = m_box.ghost_width;
    if (owned > max_elements || width > max_elements) {
      throw UsageError(Text(call, ": axis ", a, ": ", owned,
                            " owned cells and ghosts ", width,
                            " wide; a plan counts ", max_elements, " at most"));
    }
    auto const all = owned + 2 * width;
    m_extents[a]   = m_box.view_extents[a] == 0 ? all : m_box.view_extents[a];
    bool const has_neighbour = m_box.pe_grid[a] > 1 || m_box.periodic[a];
    if (m_extents[a] < all || (has_neighbour && owned < m_depth)) {
      throw UsageError(
          Text(call, ": axis ", a, ": ", owned, " owned cells, ghosts ", width,
               " wide and an extent of ", m_extents[a],
               " of the Views: a box needs as many cells as its neighbour has "
               "ghosts, and the Views room for them (of other boxes: "
               "ExchangePlan::from_boxes)"));
    }
  }
  /// The axis along which PEs count fastest, and so on.
  [[nodiscard]] std::size_t axis(std::size_t k) const {
    using enum BoxDecomposition::Order;
    return m_box.order == last_axis_fastest ? m_rank - 1 - k : k;
  }
  [[nodiscard]] std::array<CellRange, 3> part(std::array<int, 3> const& d,
                                              int sign,
                                              std::size_t outwards) const {
    std::array<CellRange, 3> result{{{0, 1}, {0, 1}, {0, 1}}};
    auto const width = m_box.ghost_width;
    for (std::size_t a = 0; a < m_rank; ++a) {
      auto const end  = width + m_box.owned[a];
      auto const low  = width - outwards * m_depth;
      auto const high = end - (1 - outwards) * m_depth;
      result[a]       = d[a] == 0         ? CellRange{width, end}
                        : sign * d[a] < 0 ? CellRange{low, low + m_depth}
                                          : CellRange{high, high + m_depth};
    }
    return result;
  }

  BoxDecomposition const& m_box;
  std::size_t m_depth;  // layers that are filled
  std::size_t m_rank = 0;
  std::array<int, 3> m_place{};
  std::array<std::size_t, 3> m_extents{1, 1, 1};
};

/// What a PE tells others of its box.
BoxWords words_of(BoxDecomposition const& box, std::size_t rank) {
  BoxWords words;
  words.owned = box.owned;
  if (box.first) {
    for (std::size_t a = 0; a < rank; ++a)
      words.first[a] = static_cast<std::int64_t>((*box.first)[a]);
  }
  std::uint64_t hash = rank;
  auto const add     = [&](std::uint64_t word) {
    hash = (hash ^ word) * 0x9e37'79b9'7f4a'7c15U;
    hash ^= hash >> 29U;
  };
  for (std::size_t a = 0; a < 3; ++a) {
    add(static_cast<std::uint64_t>(std::max(box.pe_grid[a], 1)));
    add(box.periodic[a] ? 1 : 0);
  }
  add(static_cast<std::uint64_t>(box.order));
  add(static_cast<std::uint64_t>(box.neighbours));
  add(box.ghost_width);
  add(depth_of(box));
  words.settings = hash;
  return words;
}

}  // namespace

BoxWords::Words BoxWords::words() const {
  Words words;
  for (std::size_t a = 0; a < 3; ++a) {
    words[a]     = static_cast<std::int64_t>(owned[a]);
    words[3 + a] = first[a];
  }
  words[6] = static_cast<std::int64_t>(settings);
  return words;
}

BoxWords BoxWords::of(std::int64_t const* words) {
  BoxWords box;
  for (std::size_t a = 0; a < 3; ++a) {
    box.owned[a] = static_cast<std::size_t>(words[a]);
    box.first[a] = words[3 + a];
  }
  box.settings = static_cast<std::uint64_t>(words[6]);
  return box;
}

std::optional<Text> difference(BoxPart const& part, BoxWords const& mine,
                               BoxWords const& theirs) {
  for (unsigned a = 0; a < 3; ++a) {
    auto const d         = part.direction[a];
    auto const my_owned  = static_cast<std::int64_t>(mine.owned[a]);
    auto const its_owned = static_cast<std::int64_t>(theirs.owned[a]);
    if (d == 0 && my_owned != its_owned)
      return Text(my_owned, " and ", its_owned, " cells along axis ", a,
                  " (PEs may be numbered along the first axis first: see "
                  "BoxDecomposition::order)");
    bool const is_known = mine.first[a] != BoxWords::unknown &&
                          theirs.first[a] != BoxWords::unknown;
    if (!is_known || (part.wraps >> a & 1U) != 0) continue;
    auto const expected = d == 0  ? mine.first[a]
                          : d > 0 ? mine.first[a] + my_owned
                                  : mine.first[a] - its_owned;
    if (theirs.first[a] == expected) continue;
    return Text("the second one's first cell along axis ", a, " should be ",
                expected, " and is ", theirs.first[a],
                " (`owned` does not count ghosts; PEs may be numbered along "
                "the first axis first: see BoxDecomposition::order)");
  }
  return {};
}

ExchangeLists lists_of_exports(char const* call, std::size_t n_owned,
                               Integers const& ids, Integers const& pes,
                               int n_pes) {
  check_count(call, n_owned);
  auto const counts = count(call, "export", ids, n_owned, pes, n_pes);
  ExchangeLists lists;
  lists.n_owned     = n_owned;
  lists.owned       = {sorted<1>(counts, pes, {ids})[0], counts, true, {0}};
  lists.are_exports = true;
  return lists;
}

ExchangeLists lists_of_imports(char const* call, std::size_t n_owned,
                               Integers const& indices, Integers const& pes,
                               Integers const* places, int n_pes) {
  check_count(call, n_owned);
  if (places == nullptr) check_count(call, n_owned + indices.size());
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
  lists.ghosts  = {both[1], counts, true, {0}};
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
  using OfMembers     = std::vector<std::vector<ElementIndex>>;
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
                                 boxes.wraps(d),
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
  lists.box         = words_of(box, boxes.rank());
  lists.ghost_width = box.ghost_width;
  lists.depth       = depth_of(box);
  lists.owned       = joined(sent);
  lists.ghosts      = joined(filled);
  lists.n_owned     = extents[0] * extents[1] * extents[2];
  lists.extents.assign(extents.begin(),
                       extents.begin() + static_cast<int>(boxes.rank()));
  return lists;
}

}  // namespace symm::Impl
