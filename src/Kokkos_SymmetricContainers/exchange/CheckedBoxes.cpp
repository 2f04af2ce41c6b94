// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#include "CheckedBoxes.hpp"

#include <algorithm>

#include <Kokkos_SymmetricSpace_Edge.hpp>

#include "../../runtime/symm_errors.hpp"
#include "ExchangeLists.hpp"

namespace symm::Impl {

namespace {

// Limits the arguments so that their sums and products cannot overflow.
void expect_size(char const* call, char const* what, std::size_t a,
                 std::size_t value) {
  if (value <= max_elements) return;
  throw UsageError(Text(call, ": axis ", a, ": ", what, " is ", value,
                        ", but must be at most ", max_elements));
}

}  // namespace

CheckedBoxes::CheckedBoxes(char const* call, GridBoxes const& grid_boxes)
    : m_grid_boxes(grid_boxes),
      m_depth(grid_boxes.depth ? *grid_boxes.depth : grid_boxes.ghost_width) {
  find_rank(call);
  check_ghosts(call);
  if (!grid_boxes.has_box_index && grid_boxes.boxes.size() > 1) {
    throw UsageError(Text(call, ": there are ", grid_boxes.boxes.size(),
                          " boxes on this PE, so the first index of Views must "
                          "be the number of the box; set has_box_index"));
  }
  for (std::size_t b = 0; b < grid_boxes.boxes.size(); ++b) check_box(call, b);
  find_extents(call);
}

void CheckedBoxes::find_rank(char const* call) {
  auto const& grid = m_grid_boxes.grid;
  while (m_rank < n_grid_axes && grid[m_rank] > 0) ++m_rank;
  if (m_rank == 0) throw UsageError(Text(call, ": the grid has no points"));
  for (std::size_t a = m_rank; a < n_grid_axes; ++a) {
    if (grid[a] == 0) continue;
    throw UsageError(Text(call, ": the grid has no points along axis ", m_rank,
                          ", but ", grid[a], " along axis ", a));
  }
}

void CheckedBoxes::check_ghosts(char const* call) const {
  for (std::size_t a = 0; a < m_rank; ++a) {
    expect_size(call, "the grid's extent", a, m_grid_boxes.grid[a]);
    expect_size(call, "ghost_width", a, m_grid_boxes.ghost_width[a]);
    if (m_depth[a] > m_grid_boxes.ghost_width[a]) {
      throw UsageError(Text(call, ": axis ", a, ": depth is ", m_depth[a],
                            ", but must be at most ghost_width, which is ",
                            m_grid_boxes.ghost_width[a]));
    }
  }
}

void CheckedBoxes::check_box(char const* call, std::size_t b) const {
  auto const& box = m_grid_boxes.boxes[b];
  if (is_empty(box)) return;
  for (std::size_t a = m_rank; a < n_grid_axes; ++a) {
    if (box.first[a] == 0 && box.extents[a] <= 1) continue;
    throw UsageError(Text(call, ": box ", b, " has ", box.extents[a],
                          " points starting at ", box.first[a], " along axis ",
                          a, ", but the grid has only ", m_rank, " axes"));
  }
  for (std::size_t a = 0; a < m_rank; ++a) {
    expect_size(call, "the extent of a box", a, box.extents[a]);
    auto const grid  = static_cast<std::int64_t>(m_grid_boxes.grid[a]);
    auto const first = box.first[a];
    auto const most  = static_cast<std::int64_t>(max_elements);
    bool const is_inside =
        period(a) != 0
            ? -most <= first && first <= most
            : 0 <= first && first <= grid &&
                  static_cast<std::int64_t>(box.extents[a]) <= grid - first;
    if (is_inside) continue;
    throw UsageError(Text(call, ": box ", b, " has ", box.extents[a],
                          " points starting at ", first, " along axis ", a,
                          ", but the grid has ", grid));
  }
}

void CheckedBoxes::find_extents(char const* call) {
  std::size_t n_points = m_grid_boxes.boxes.size();
  for (std::size_t a = 0; a < m_rank; ++a) {
    auto& extent = m_extents[a];
    extent       = 0;
    for (auto const& box : m_grid_boxes.boxes)
      if (!is_empty(box))
        extent =
            std::max(extent, box.extents[a] + 2 * m_grid_boxes.ghost_width[a]);
    if (m_grid_boxes.view_extents[a] != 0 &&
        m_grid_boxes.view_extents[a] < extent) {
      throw UsageError(Text(
          call, ": axis ", a, ": Views have ", m_grid_boxes.view_extents[a],
          " points, but the largest box with its ghosts has ", extent));
    }
    extent = std::max(extent, m_grid_boxes.view_extents[a]);
    expect_size(call, "the extent of Views", a, extent);
    if (n_points > 0 && extent > max_elements / n_points) {
      throw UsageError(
          Text(call,
               ": the Views of this PE are too large: a plan supports at most ",
               max_elements, " points"));
    }
    n_points *= extent;
  }
  m_n_points = n_points;
}

bool CheckedBoxes::is_empty(GridBoxes::Box const& box) const {
  auto const* const end = box.extents.data() + m_rank;
  return std::find(box.extents.data(), end, 0U) != end;
}

std::vector<std::size_t> CheckedBoxes::extents() const {
  std::size_t const first = m_grid_boxes.has_box_index ? 1 : 0;
  std::vector<std::size_t> result(first + m_rank);
  if (m_grid_boxes.has_box_index) result[0] = m_grid_boxes.boxes.size();
  for (std::size_t a = 0; a < m_rank; ++a) result[first + a] = m_extents[a];
  return result;
}

void CheckedBoxes::write(std::int64_t* words) const {
  words[BoxesOfPe::of_periodic] = 0;
  for (std::size_t a = 0; a < n_grid_axes; ++a) {
    bool const is_axis = a < m_rank;
    words[BoxesOfPe::of_grid + a] =
        is_axis ? static_cast<std::int64_t>(m_grid_boxes.grid[a]) : 0;
    if (period(a) != 0) words[BoxesOfPe::of_periodic] |= std::int64_t{1} << a;
    words[BoxesOfPe::of_extents + a] = static_cast<std::int64_t>(m_extents[a]);
    words[BoxesOfPe::of_width + a] =
        is_axis ? static_cast<std::int64_t>(m_grid_boxes.ghost_width[a]) : 0;
  }
  words[BoxesOfPe::of_count] =
      static_cast<std::int64_t>(m_grid_boxes.boxes.size());
  words += BoxesOfPe::n_header_words;
  for (auto const& box : m_grid_boxes.boxes) {
    for (std::size_t a = 0; a < n_grid_axes; ++a) {
      bool const is_axis     = a < m_rank && !is_empty(box);
      words[a]               = is_axis ? box.first[a] : 0;
      words[n_grid_axes + a] = is_axis
                                   ? static_cast<std::int64_t>(box.extents[a])
                               : is_empty(box) ? 0
                                               : 1;
    }
    words += BoxesOfPe::n_box_words;
  }
}

}  // namespace symm::Impl
