// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#include "GridBoxes.hpp"

#include <algorithm>
#include <utility>

#include <Kokkos_Core.hpp>
#include <Kokkos_SymmetricSpace_Edge.hpp>
#include <Kokkos_SymmetricSpace_Space.hpp>

#include "../../runtime/symm_collectives.hpp"
#include "../../runtime/symm_errors.hpp"
#include "../../runtime/symm_job.hpp"

namespace symm::Impl {

namespace {

constexpr std::size_t n_axes = 3;
using Place                  = std::array<std::int64_t, n_axes>;

/// Points from `begin` on, before `end`, along each axis.
struct Region {
  Place begin;
  Place end;

  [[nodiscard]] bool is_empty() const {
    for (std::size_t a = 0; a < n_axes; ++a)
      if (begin[a] >= end[a]) return true;
    return false;
  }
  [[nodiscard]] std::int64_t extent(std::size_t a) const {
    return end[a] - begin[a];
  }
  [[nodiscard]] bool has(std::size_t a, std::int64_t x) const {
    return begin[a] <= x && x < end[a];
  }
};

Region intersection(Region const& a, Region const& b) {
  Region result;
  for (std::size_t x = 0; x < n_axes; ++x) {
    result.begin[x] = std::max(a.begin[x], b.begin[x]);
    result.end[x]   = std::min(a.end[x], b.end[x]);
  }
  return result;
}

std::int64_t floor_of(std::int64_t a, std::int64_t b) {
  return a / b - (a % b < 0 ? 1 : 0);
}

/// PEs tell each other a header, then six words for each box.
enum Header : std::size_t {
  of_grid,
  of_periodic = of_grid + n_axes,
  of_extents,
  of_width = of_extents + n_axes,
  of_count = of_width + n_axes,
  n_header_words
};
constexpr std::size_t n_box_words = 2 * n_axes;

/// The boxes of a PE, as it tells them.
class BoxesOfPe {
 public:
  explicit BoxesOfPe(std::int64_t const* words) : m_words(words) {}

  [[nodiscard]] std::size_t n() const {
    return static_cast<std::size_t>(m_words[of_count]);
  }
  [[nodiscard]] Region box(std::size_t b) const {
    auto const* const words = m_words + n_header_words + n_box_words * b;
    Region region;
    for (std::size_t a = 0; a < n_axes; ++a) {
      region.begin[a] = words[a];
      region.end[a]   = words[a] + words[n_axes + a];
    }
    return region;
  }
  [[nodiscard]] std::int64_t width(std::size_t a) const {
    return m_words[of_width + a];
  }
  /// The number of a point in the PE's Views. \param at from the first point of
  /// the box on.
  [[nodiscard]] std::int64_t element(std::size_t b, Place const& at) const {
    auto result = static_cast<std::int64_t>(b);
    for (std::size_t a = 0; a < n_axes; ++a)
      result = result * m_words[of_extents + a] + at[a] + width(a);
    return result;
  }
  /// The next PE's words.
  [[nodiscard]] std::int64_t const* end() const {
    return m_words + n_header_words + n_box_words * n();
  }
  [[nodiscard]] bool has_same_grid(BoxesOfPe const& other) const {
    return std::equal(m_words + of_grid, m_words + of_extents,
                      other.m_words + of_grid);
  }

 private:
  std::int64_t const* m_words;
};

/// GridBoxes of this PE, checked.
class CheckedBoxes {
 public:
  /// \throws UsageError on this PE.
  CheckedBoxes(char const* call, GridBoxes const& its)
      : m_its(its), m_depth(its.depth ? *its.depth : its.ghost_width) {
    while (m_rank < n_axes && its.grid[m_rank] > 0) ++m_rank;
    if (m_rank == 0) throw UsageError(Text(call, ": the grid has no points"));
    for (std::size_t a = m_rank; a < n_axes; ++a) {
      if (its.grid[a] == 0) continue;
      throw UsageError(Text(call, ": the grid has no points along axis ",
                            m_rank, ", and ", its.grid[a], " along axis ", a));
    }
    for (std::size_t a = 0; a < m_rank; ++a) {
      expect_size(call, "the grid's extent", a, its.grid[a]);
      expect_size(call, "ghost_width", a, its.ghost_width[a]);
      if (m_depth[a] > its.ghost_width[a]) {
        throw UsageError(Text(call, ": axis ", a, ": depth is ", m_depth[a],
                              " and ghost_width ", its.ghost_width[a],
                              ": Views have no room for so many ghosts"));
      }
    }
    if (!its.has_box_index && its.boxes.size() > 1) {
      throw UsageError(Text(call, ": ", its.boxes.size(),
                            " boxes on this PE: Views need the number of the "
                            "box as their first index: set has_box_index"));
    }
    for (std::size_t b = 0; b < its.boxes.size(); ++b) check_box(call, b);
    std::size_t n_points = its.boxes.size();
    for (std::size_t a = 0; a < m_rank; ++a) {
      auto& extent = m_extents[a];
      extent       = 0;
      for (auto const& box : its.boxes)
        if (!is_empty(box))
          extent = std::max(extent, box.extents[a] + 2 * its.ghost_width[a]);
      if (its.view_extents[a] != 0 && its.view_extents[a] < extent) {
        throw UsageError(Text(call, ": axis ", a, ": Views of ",
                              its.view_extents[a], " points, and ", extent,
                              " in the largest box and its ghosts"));
      }
      extent = std::max(extent, its.view_extents[a]);
      expect_size(call, "the extent of Views", a, extent);
      if (n_points > 0 && extent > max_elements / n_points) {
        throw UsageError(Text(call, ": the Views of this PE have more than ",
                              max_elements, " points, which a plan counts"));
      }
      n_points *= extent;
    }
    m_n_points = n_points;
  }

  [[nodiscard]] std::size_t n_points() const { return m_n_points; }
  [[nodiscard]] std::int64_t depth(std::size_t a) const {
    return a < m_rank ? static_cast<std::int64_t>(m_depth[a]) : 0;
  }
  /// 0: the axis is not periodic.
  [[nodiscard]] std::int64_t period(std::size_t a) const {
    return a < m_rank && m_its.periodic[a]
               ? static_cast<std::int64_t>(m_its.grid[a])
               : 0;
  }
  [[nodiscard]] std::int64_t grid(std::size_t a) const {
    return a < m_rank ? static_cast<std::int64_t>(m_its.grid[a]) : 1;
  }
  [[nodiscard]] bool shares_points() const { return m_its.shares_points; }
  [[nodiscard]] int max_axes_outside() const {
    using enum BoxDecomposition::Neighbours;
    return m_its.neighbours == faces             ? 1
           : m_its.neighbours == faces_and_edges ? 2
                                                 : 3;
  }
  /// Of the indices of Views.
  [[nodiscard]] std::vector<std::size_t> extents() const {
    std::vector<std::size_t> result;
    if (m_its.has_box_index) result.push_back(m_its.boxes.size());
    result.insert(result.end(), m_extents.begin(),
                  m_extents.begin() + static_cast<std::ptrdiff_t>(m_rank));
    return result;
  }
  [[nodiscard]] std::size_t n_words() const {
    return n_header_words + n_box_words * m_its.boxes.size();
  }
  void write(std::int64_t* words) const {
    words[of_periodic] = 0;
    for (std::size_t a = 0; a < n_axes; ++a) {
      bool const is_axis = a < m_rank;
      words[of_grid + a] =
          is_axis ? static_cast<std::int64_t>(m_its.grid[a]) : 0;
      if (period(a) != 0) words[of_periodic] |= std::int64_t{1} << a;
      words[of_extents + a] = static_cast<std::int64_t>(m_extents[a]);
      words[of_width + a] =
          is_axis ? static_cast<std::int64_t>(m_its.ghost_width[a]) : 0;
    }
    words[of_count] = static_cast<std::int64_t>(m_its.boxes.size());
    words += n_header_words;
    for (auto const& box : m_its.boxes) {
      for (std::size_t a = 0; a < n_axes; ++a) {
        bool const is_axis = a < m_rank && !is_empty(box);
        words[a]           = is_axis ? box.first[a] : 0;
        words[n_axes + a]  = is_axis ? static_cast<std::int64_t>(box.extents[a])
                             : is_empty(box) ? 0
                                             : 1;
      }
      words += n_box_words;
    }
  }

 private:
  // Sums and products of such numbers are no overflow.
  static void expect_size(char const* call, char const* what, std::size_t a,
                          std::size_t value) {
    if (value <= max_elements) return;
    throw UsageError(Text(call, ": axis ", a, ": ", what, " is ", value, "; ",
                          max_elements, " at most"));
  }
  [[nodiscard]] bool is_empty(GridBoxes::Box const& box) const {
    auto const* const end = box.extents.data() + m_rank;
    return std::find(box.extents.data(), end, 0U) != end;
  }
  void check_box(char const* call, std::size_t b) const {
    auto const& box = m_its.boxes[b];
    if (is_empty(box)) return;
    for (std::size_t a = m_rank; a < n_axes; ++a) {
      if (box.first[a] == 0 && box.extents[a] <= 1) continue;
      throw UsageError(Text(call, ": box ", b, " has ", box.extents[a],
                            " points from ", box.first[a], " on along axis ", a,
                            ", which the grid has not"));
    }
    for (std::size_t a = 0; a < m_rank; ++a) {
      expect_size(call, "the extent of a box", a, box.extents[a]);
      auto const grid  = static_cast<std::int64_t>(m_its.grid[a]);
      auto const first = box.first[a];
      auto const most  = static_cast<std::int64_t>(max_elements);
      bool const is_inside =
          period(a) != 0
              ? -most <= first && first <= most
              : 0 <= first && first <= grid &&
                    static_cast<std::int64_t>(box.extents[a]) <= grid - first;
      if (is_inside) continue;
      throw UsageError(Text(call, ": box ", b, " has ", box.extents[a],
                            " points from ", first, " on along axis ", a,
                            ", of which the grid has ", grid));
    }
  }

  GridBoxes const& m_its;
  std::array<std::size_t, n_axes> m_depth;
  std::array<std::size_t, n_axes> m_extents{1, 1, 1};
  std::size_t m_rank     = 0;
  std::size_t m_n_points = 0;
};

/// Finds the owner of each point that a PE has copies of.
class Owners {
 public:
  Owners(CheckedBoxes const& mine, std::vector<BoxesOfPe> const& all, Pe me)
      : m_mine(mine), m_all(all), m_me(static_cast<std::size_t>(me)) {
    sort_boxes();
    for (std::size_t b = 0; b < of_me().n(); ++b) find_copies(b);
  }

  // Of each copy.
  std::vector<ElementIndex> elements;  // of the owner
  std::vector<Pe> pes;                 // the owner
  std::vector<ElementIndex> places;    // of this PE

 private:
  /// A box of a PE, perhaps whole periods away.
  struct Image {
    std::size_t pe;
    std::size_t box;
    Region region;
  };

  [[nodiscard]] BoxesOfPe const& of_me() const { return m_all[m_me]; }

  /// A box, by where it begins along m_axis.
  struct Sorted {
    std::int64_t begin;
    std::size_t pe;
    std::size_t box;
  };

  /// Along the axis that boxes cut most: of few of them one has to look at all.
  void sort_boxes() {
    Place most{};
    for (auto const& of_pe : m_all) {
      for (std::size_t b = 0; b < of_pe.n(); ++b) {
        auto const box = of_pe.box(b);
        for (std::size_t a = 0; a < n_axes; ++a)
          most[a] = std::max(most[a], box.extent(a));
      }
    }
    std::int64_t max_cuts = -1;
    for (std::size_t a = 0; a < n_axes; ++a) {
      auto const cuts = m_mine.grid(a) / std::max<std::int64_t>(most[a], 1);
      if (cuts <= max_cuts) continue;
      max_cuts = cuts;
      m_axis   = a;
    }
    m_max_extent = most[m_axis];
    for (std::size_t pe = 0; pe < m_all.size(); ++pe) {
      for (std::size_t b = 0; b < m_all[pe].n(); ++b) {
        auto const box = m_all[pe].box(b);
        if (box.is_empty()) continue;
        auto begin = box.begin[m_axis];
        if (auto const period = m_mine.period(m_axis); period != 0)
          begin -= floor_of(begin, period) * period;
        m_sorted.push_back({begin, pe, b});
      }
    }
    std::sort(m_sorted.begin(), m_sorted.end(),
              [](auto const& x, auto const& y) { return x.begin < y.begin; });
  }

  /// Boxes that may have points of m_grown, by their PEs and numbers.
  [[nodiscard]] std::vector<Sorted> candidates() const {
    std::vector<Sorted> found;
    auto const period = m_mine.period(m_axis);
    auto const low    = m_grown.begin[m_axis] - m_max_extent + 1;
    auto const high   = m_grown.end[m_axis];
    auto const append = [&](std::int64_t from, std::int64_t to) {
      auto const first = std::lower_bound(
          m_sorted.begin(), m_sorted.end(), from,
          [](auto const& x, std::int64_t begin) { return x.begin < begin; });
      for (auto at = first; at != m_sorted.end() && at->begin < to; ++at)
        found.push_back(*at);
    };
    if (period == 0) {
      append(low, high);
    } else if (high - low >= period) {
      found = m_sorted;
    } else {
      auto const shift = floor_of(low, period) * period;
      append(low - shift, high - shift);
      append(low - shift - period, high - shift - period);
    }
    std::sort(found.begin(), found.end(), [](auto const& x, auto const& y) {
      return std::pair(x.pe, x.box) < std::pair(y.pe, y.box);
    });
    return found;
  }

  void find_copies(std::size_t b) {
    m_number = b;
    m_box    = of_me().box(b);
    if (m_box.is_empty()) return;
    m_grown           = m_box;
    std::size_t n_all = 1;
    for (std::size_t a = 0; a < n_axes; ++a) {
      m_grown.begin[a] -= m_mine.depth(a);
      m_grown.end[a] += m_mine.depth(a);
      n_all *= static_cast<std::size_t>(m_grown.extent(a));
    }
    m_has_owner.assign(n_all, false);
    m_are_inner_mine = !m_mine.shares_points();
    for (auto const& its : candidates()) take(its.pe, its.box);
  }

  /// Takes the images of a box that may have points for this one; where a point
  /// is in several of them, the one where it comes first in the box.
  void take(std::size_t pe, std::size_t its) {
    Image image{pe, its, m_all[pe].box(its)};
    auto const box = image.region;
    Place first, last;  // numbers of images
    for (std::size_t a = 0; a < n_axes; ++a) {
      first[a] = last[a] = 0;
      if (auto const period = m_mine.period(a); period != 0) {
        first[a] = floor_of(m_grown.begin[a] - box.end[a], period) + 1;
        last[a]  = floor_of(m_grown.end[a] - 1 - box.begin[a], period);
      } else if (box.begin[a] >= m_grown.end[a] ||
                 box.end[a] <= m_grown.begin[a]) {
        return;
      }
    }
    Place at;
    auto const along = [&](std::size_t a) {
      image.region.begin[a] = box.begin[a] + at[a] * m_mine.period(a);
      image.region.end[a]   = box.end[a] + at[a] * m_mine.period(a);
    };
    for (at[0] = last[0]; at[0] >= first[0]; --at[0]) {
      along(0);
      for (at[1] = last[1]; at[1] >= first[1]; --at[1]) {
        along(1);
        for (at[2] = last[2]; at[2] >= first[2]; --at[2]) {
          along(2);
          take(image);
        }
      }
    }
  }

  void take(Image const& image) {
    if (image.pe == m_me && image.box == m_number &&
        image.region.begin == m_box.begin) {
      m_are_inner_mine = true;  // those that no image before has
      return;
    }
    auto const both = intersection(m_grown, image.region);
    Place x;
    for (x[0] = both.begin[0]; x[0] < both.end[0]; ++x[0]) {
      for (x[1] = both.begin[1]; x[1] < both.end[1]; ++x[1]) {
        int const n_outside =
            (m_box.has(0, x[0]) ? 0 : 1) + (m_box.has(1, x[1]) ? 0 : 1);
        // The row's points before, in, and behind the box.
        auto const low = std::clamp(m_box.begin[2], both.begin[2], both.end[2]);
        auto const high = std::clamp(m_box.end[2], both.begin[2], both.end[2]);
        take_row(image, x, both.begin[2], low, n_outside + 1);
        take_row(image, x, low, high, n_outside);
        take_row(image, x, high, both.end[2], n_outside + 1);
      }
    }
  }

  void take_row(Image const& image, Place x, std::int64_t begin,
                std::int64_t end, int n_outside) {
    if (n_outside > m_mine.max_axes_outside()) return;
    if (n_outside == 0 && m_are_inner_mine) return;
    for (x[2] = begin; x[2] < end; ++x[2]) {
      Place here, there;
      std::size_t in_grown = 0;
      for (std::size_t a = 0; a < n_axes; ++a) {
        in_grown = in_grown * static_cast<std::size_t>(m_grown.extent(a)) +
                   static_cast<std::size_t>(x[a] - m_grown.begin[a]);
        here[a]  = x[a] - m_box.begin[a];
        there[a] = x[a] - image.region.begin[a];
      }
      if (m_has_owner[in_grown]) continue;
      m_has_owner[in_grown] = true;
      places.push_back(
          static_cast<ElementIndex>(of_me().element(m_number, here)));
      elements.push_back(
          static_cast<ElementIndex>(m_all[image.pe].element(image.box, there)));
      pes.push_back(static_cast<Pe>(image.pe));
    }
  }

  CheckedBoxes const& m_mine;
  std::vector<BoxesOfPe> const& m_all;
  std::size_t m_me;
  std::vector<Sorted> m_sorted;
  std::size_t m_axis        = 0;
  std::int64_t m_max_extent = 0;
  // Of the box whose copies are looked for.
  std::size_t m_number = 0;
  Region m_box{}, m_grown{};
  std::vector<bool> m_has_owner;  // of the grown box
  /// No image takes points inside of it any more.
  bool m_are_inner_mine = false;
};

/// \throws UsageError on this PE.
ExchangeLists lists_of_all(char const* call, CheckedBoxes const& mine,
                           std::vector<BoxesOfPe> const& all,
                           PeTeam const& team) {
  auto const& of_me = all[static_cast<std::size_t>(team.my_pe())];
  for (std::size_t pe = 0; pe < all.size(); ++pe) {
    if (all[pe].has_same_grid(of_me)) continue;
    throw UsageError(Text(call, ": PE ", team.world_pe(static_cast<Pe>(pe)),
                          " passes another grid than PE ", my_pe(),
                          ": pass equal grid and periodic on all PEs"));
  }
  Owners const owners(mine, all, team.my_pe());
  auto const n = owners.places.size();
  Integers const places(owners.places.data(), n);
  auto lists = lists_of_imports(
      call, mine.n_points(), Integers(owners.elements.data(), n),
      Integers(owners.pes.data(), n), &places, team.n_pes());
  lists.extents = mine.extents();
  return lists;
}

}  // namespace

ExchangeLists lists_of_boxes(char const* call, GridBoxes const& boxes,
                             PeTeam const& team,
                             std::optional<Failure>& failure) {
  std::optional<CheckedBoxes> mine;
  failure = failure_of([&] {
    if (!team.is_valid()) return;
    check_team(team, call);
    mine.emplace(call, boxes);
  });
  agree({call, "symm::GridBoxes"}, failure);
  std::size_t const n_mine = mine ? mine->n_words() : 0;
  std::size_t const n_all =
      team.is_valid() ? reduce(team, n_mine, Sum{}) : std::size_t{0};
  auto const max_mine = reduce(team_world(), n_mine, Max{});
  auto const max_all  = reduce(team_world(), n_all, Max{});
  Kokkos::View<std::int64_t*, SymmetricHostSpace> const words(
      "symm::GridBoxes", max_mine + max_all);
  ExchangeLists lists;
  if (!team.is_valid()) return lists;
  auto* const told = words.data() + max_mine;
  mine->write(words.data());
  collect(team, told, words.data(), n_mine);
  failure = failure_of([&] {
    std::vector<BoxesOfPe> all;
    std::int64_t const* its = told;
    for (int pe = 0; pe < team.n_pes(); ++pe) {
      all.emplace_back(its);
      its = all.back().end();
    }
    lists = lists_of_all(call, *mine, all, team);
  });
  return lists;
}

}  // namespace symm::Impl
