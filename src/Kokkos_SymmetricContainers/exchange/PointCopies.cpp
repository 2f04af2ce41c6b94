// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#include "PointCopies.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "GridRegion.hpp"

namespace symm::Impl {

namespace {

/// Finds the owner of each point that this PE holds as a copy.
class PointOwners {
 public:
  PointOwners(CheckedBoxes const& mine, std::vector<BoxesOfPe> const& all,
              Pe me)
      : m_mine(mine), m_all(all), m_me(static_cast<std::size_t>(me)) {
    sort_boxes();
    for (std::size_t b = 0; b < of_me().n(); ++b) find_copies(b);
  }

  PointCopies copies;

 private:
  /// One of a PE's boxes, possibly shifted by whole periods.
  struct Image {
    std::size_t pe;
    std::size_t box;
    GridRegion region;
  };

  [[nodiscard]] BoxesOfPe const& of_me() const { return m_all[m_me]; }

  /// A box, along with its first point on m_axis.
  struct Sorted {
    std::int64_t begin;
    std::size_t pe;
    std::size_t box;
  };

  /// Sorts the boxes along the axis that is divided into the largest number of
  /// boxes. Along this axis, candidates() can exclude the most boxes.
  void sort_boxes() {
    GridPlace most{};
    for (auto const& of_pe : m_all) {
      for (std::size_t b = 0; b < of_pe.n(); ++b) {
        auto const box = of_pe.box(b);
        for (std::size_t a = 0; a < n_grid_axes; ++a)
          most[a] = std::max(most[a], box.extent(a));
      }
    }
    std::int64_t max_cuts = -1;
    for (std::size_t a = 0; a < n_grid_axes; ++a) {
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

  /// The boxes that may contain points of m_grown, ordered by PE number, then
  /// by box number.
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
    for (std::size_t a = 0; a < n_grid_axes; ++a) {
      m_grown.begin[a] -= m_mine.depth(a);
      m_grown.end[a] += m_mine.depth(a);
      n_all *= static_cast<std::size_t>(m_grown.extent(a));
    }
    m_has_owner.assign(n_all, false);
    m_are_inner_mine = !m_mine.shares_points();
    for (auto const& candidate : candidates())
      take(candidate.pe, candidate.box);
  }

  /// Visits the periodic images of PE `pe`'s box `b` that may overlap the
  /// current box or its ghosts. If several images contain a point, the image in
  /// which the point has the lowest index wins.
  void take(std::size_t pe, std::size_t b) {
    Image image{pe, b, m_all[pe].box(b)};
    auto const box = image.region;
    GridPlace first, last;  // range of images, in periods
    for (std::size_t a = 0; a < n_grid_axes; ++a) {
      first[a] = last[a] = 0;
      if (auto const period = m_mine.period(a); period != 0) {
        first[a] = floor_of(m_grown.begin[a] - box.end[a], period) + 1;
        last[a]  = floor_of(m_grown.end[a] - 1 - box.begin[a], period);
      } else if (box.begin[a] >= m_grown.end[a] ||
                 box.end[a] <= m_grown.begin[a]) {
        return;
      }
    }
    GridPlace at;
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
      m_are_inner_mine = true;  // except points in earlier images
      return;
    }
    auto const both = intersection(m_grown, image.region);
    GridPlace x;
    for (x[0] = both.begin[0]; x[0] < both.end[0]; ++x[0]) {
      for (x[1] = both.begin[1]; x[1] < both.end[1]; ++x[1]) {
        int const n_outside =
            (m_box.has(0, x[0]) ? 0 : 1) + (m_box.has(1, x[1]) ? 0 : 1);
        // The points in the row before, inside and after the box.
        auto const low = std::clamp(m_box.begin[2], both.begin[2], both.end[2]);
        auto const high = std::clamp(m_box.end[2], both.begin[2], both.end[2]);
        take_row(image, x, both.begin[2], low, n_outside + 1);
        take_row(image, x, low, high, n_outside);
        take_row(image, x, high, both.end[2], n_outside + 1);
      }
    }
  }

  void take_row(Image const& image, GridPlace x, std::int64_t begin,
                std::int64_t end, int n_outside) {
    if (n_outside > m_mine.max_axes_outside()) return;
    if (n_outside == 0 && m_are_inner_mine) return;
    for (x[2] = begin; x[2] < end; ++x[2]) {
      GridPlace here, there;
      std::size_t in_grown = 0;
      for (std::size_t a = 0; a < n_grid_axes; ++a) {
        in_grown = in_grown * static_cast<std::size_t>(m_grown.extent(a)) +
                   static_cast<std::size_t>(x[a] - m_grown.begin[a]);
        here[a]  = x[a] - m_box.begin[a];
        there[a] = x[a] - image.region.begin[a];
      }
      if (m_has_owner[in_grown]) continue;
      m_has_owner[in_grown] = true;
      copies.places.push_back(
          static_cast<ElementIndex>(of_me().element(m_number, here)));
      copies.elements.push_back(
          static_cast<ElementIndex>(m_all[image.pe].element(image.box, there)));
      copies.pes.push_back(static_cast<Pe>(image.pe));
    }
  }

  CheckedBoxes const& m_mine;
  std::vector<BoxesOfPe> const& m_all;
  std::size_t m_me;
  std::vector<Sorted> m_sorted;
  std::size_t m_axis        = 0;
  std::int64_t m_max_extent = 0;
  // The box for which find_copies() is currently determining owners.
  std::size_t m_number = 0;
  GridRegion m_box{}, m_grown{};
  std::vector<bool> m_has_owner;  // for each point in m_grown
  /// If set, points inside the current box keep their own values, and
  /// take_row() skips them.
  bool m_are_inner_mine = false;
};

}  // namespace

PointCopies copies_of_points(CheckedBoxes const& mine,
                             std::vector<BoxesOfPe> const& all, Pe me) {
  return PointOwners(mine, all, me).copies;
}

}  // namespace symm::Impl
