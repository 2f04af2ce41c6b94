// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#include "BoxLists.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <Kokkos_SymmetricSpace_Edge.hpp>

#include "../../runtime/symm_errors.hpp"

namespace symm::Impl {

namespace {

struct CellRange {
  std::size_t begin;
  std::size_t end;
};

/// Appends the cells in part of a box, row by row.
void append_cells(std::vector<ElementIndex>& cells,
                  std::array<std::size_t, 3> const& extents,
                  std::array<CellRange, 3> const& part) {
  for (auto i = part[0].begin; i < part[0].end; ++i)
    for (auto j = part[1].begin; j < part[1].end; ++j)
      for (auto k = part[2].begin; k < part[2].end; ++k)
        cells.push_back(
            static_cast<ElementIndex>((i * extents[1] + j) * extents[2] + k));
}

/// This PE's box and its neighbors.
class Boxes {
 public:
  Boxes(char const* call, BoxDecomposition const& box, Pe my_pe, int n_pes)
      : m_box(box), m_depth(depth_of(box)) {
    if (m_depth > box.ghost_width) {
      throw UsageError(Text(call, ": depth is ", m_depth,
                            ", but must be at most ghost_width, which is ",
                            box.ghost_width));
    }
    find_rank(call);
    std::int64_t n_boxes = 1;
    for (std::size_t a = 0; a < m_rank; ++a) {
      auto const n = box.pe_grid[a];
      if (n < 1) {
        throw UsageError(
            Text(call, ": the PE grid is ", grid(), "; pass positive numbers"));
      }
      if (n_boxes <= n_pes) n_boxes *= n;
    }
    if (n_boxes != n_pes) {
      throw UsageError(Text(call, ": the PE grid is ", grid(),
                            ", but there are ", n_pes,
                            " PEs; pass a PE grid with one box for each PE"));
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
        throw UsageError(Text(call, ": Views of ", m_extents[0], " x ",
                              m_extents[1], " x ", m_extents[2],
                              " cells are too large: a plan supports at most ",
                              max_elements, " cells"));
      }
      n_cells *= m_extents[a];
    }
  }

  [[nodiscard]] std::size_t rank() const { return m_rank; }
  [[nodiscard]] std::array<std::size_t, 3> const& extents() const {
    return m_extents;
  }

  /// Whether boxes exchange cells in direction `d`, each component of which is
  /// -1, 0 or 1.
  [[nodiscard]] bool takes(std::array<int, 3> const& d) const {
    int n_axes = 0;
    for (std::size_t a = 0; a < 3; ++a) {
      if (d[a] != 0 && a >= m_rank) return false;
      if (d[a] != 0) ++n_axes;
    }
    using enum BoxDecomposition::Neighbors;
    return n_axes > 0 && m_depth > 0 &&
           (n_axes == 1 || m_box.neighbors == all ||
            (n_axes == 2 && m_box.neighbors == faces_and_edges));
  }
  /// The PE in direction `d` (sign = 1) or -d (sign = -1), or -1 if there is
  /// none.
  [[nodiscard]] Pe neighbor(std::array<int, 3> const& d, int sign) const {
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
  /// A bit mask of the axes along which the neighbor in direction `d` is across
  /// a periodic end of the grid.
  [[nodiscard]] unsigned wraps(std::array<int, 3> const& d) const {
    unsigned result = 0;
    for (unsigned a = 0; a < m_rank; ++a) {
      int const place = m_place[a] + d[a];
      if (place < 0 || place >= m_box.pe_grid[a]) result |= 1U << a;
    }
    return result;
  }
  /// This PE's cells that are copied to the neighbor in direction `d`.
  [[nodiscard]] std::array<CellRange, 3> sent(
      std::array<int, 3> const& d) const {
    return part(d, 1, 0);
  }
  /// This PE's ghosts that the neighbor in direction -d fills by sending in
  /// direction `d`.
  [[nodiscard]] std::array<CellRange, 3> filled(
      std::array<int, 3> const& d) const {
    return part(d, -1, 1);
  }

 private:
  /// The PE grid for error messages, such as "2 x 3".
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
      // (In `pe_grid = {2, 2}`, the third number is 0.)
      bool const is_cut = m_box.pe_grid[a] != 0 && m_box.pe_grid[a] != 1;
      if (owned[a] == 0 && !is_cut) continue;
      throw UsageError(Text(call, ": the box has no cells along axis ", m_rank,
                            " (owned cells ", owned[0], " x ", owned[1], " x ",
                            owned[2],
                            "); each PE needs at least one cell, or all PEs "
                            "must call ExchangePlan::from_boxes"));
    }
  }
  void find_extent(char const* call, std::size_t a) {
    auto const owned = m_box.owned[a];
    auto const width = m_box.ghost_width;
    if (owned > max_elements || width > max_elements) {
      throw UsageError(Text(call, ": axis ", a, ": ", owned,
                            " owned cells and a ghost_width of ", width,
                            ", but a plan supports at most ", max_elements));
    }
    auto const all = owned + 2 * width;
    m_extents[a]   = m_box.view_extents[a] == 0 ? all : m_box.view_extents[a];
    bool const has_neighbor = m_box.pe_grid[a] > 1 || m_box.periodic[a];
    if (m_extents[a] < all || (has_neighbor && owned < m_depth)) {
      throw UsageError(Text(
          call, ": axis ", a, ": ", owned, " owned cells, a ghost_width of ",
          width, " and a View extent of ", m_extents[a],
          " do not fit; a box needs at least as many cells as its neighbor has "
          "ghosts, and the Views need room for both (for other boxes, call "
          "ExchangePlan::from_boxes)"));
    }
  }
  /// The k-th axis in the order of PE numbering, starting with the axis that
  /// varies fastest.
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
  std::size_t m_depth;  // number of ghost layers that are filled
  std::size_t m_rank = 0;
  std::array<int, 3> m_place{};
  std::array<std::size_t, 3> m_extents{1, 1, 1};
};

/// Packs the description of a PE's box for other PEs.
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
  add(static_cast<std::uint64_t>(box.neighbors));
  add(box.ghost_width);
  add(depth_of(box));
  words.settings = hash;
  return words;
}

}  // namespace

ExchangeLists lists_of_box(char const* call, BoxDecomposition const& box,
                           Pe my_pe, int n_pes) {
  Boxes const boxes(call, box, my_pe, n_pes);
  auto const& extents = boxes.extents();
  using OfMembers     = std::vector<std::vector<ElementIndex>>;
  OfMembers sent(static_cast<std::size_t>(n_pes));
  OfMembers filled(static_cast<std::size_t>(n_pes));
  ExchangeLists lists;
  for (int n = 0; n < 27; ++n) {
    // Sender and receiver visit the directions in the same order.
    std::array<int, 3> const d{n / 9 - 1, n / 3 % 3 - 1, n % 3 - 1};
    if (!boxes.takes(d)) continue;
    if (Pe const to = boxes.neighbor(d, 1); to >= 0) {
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
    if (Pe const from = boxes.neighbor(d, -1); from >= 0) {
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
