// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_EXCHANGE_CHECKED_BOXES_HPP
#define SYMM_EXCHANGE_CHECKED_BOXES_HPP

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "BoxesOfPe.hpp"
#include "GridBoxes.hpp"
#include "GridRegion.hpp"

namespace symm::Impl {

/// This PE's GridBoxes after all checks that do not involve other PEs.
class CheckedBoxes {
 public:
  /// \param grid_boxes must outlive this object.
  /// \throws UsageError on this PE if a check fails.
  CheckedBoxes(char const* call, GridBoxes const& grid_boxes);

  [[nodiscard]] std::size_t n_points() const { return m_n_points; }
  [[nodiscard]] std::int64_t depth(std::size_t a) const {
    return a < m_rank ? static_cast<std::int64_t>(m_depth[a]) : 0;
  }
  /// The period along axis a; 0 if the axis is not periodic.
  [[nodiscard]] std::int64_t period(std::size_t a) const {
    return a < m_rank && m_grid_boxes.periodic[a]
               ? static_cast<std::int64_t>(m_grid_boxes.grid[a])
               : 0;
  }
  [[nodiscard]] std::int64_t grid(std::size_t a) const {
    return a < m_rank ? static_cast<std::int64_t>(m_grid_boxes.grid[a]) : 1;
  }
  [[nodiscard]] bool shares_points() const {
    return m_grid_boxes.shares_points;
  }
  [[nodiscard]] int max_axes_outside() const {
    using enum BoxDecomposition::Neighbors;
    return m_grid_boxes.neighbors == faces             ? 1
           : m_grid_boxes.neighbors == faces_and_edges ? 2
                                                       : 3;
  }
  /// Extents of the View indices that select an element.
  [[nodiscard]] std::vector<std::size_t> extents() const;

  /// Number of words that write() writes.
  [[nodiscard]] std::size_t n_words() const {
    return BoxesOfPe::n_header_words +
           BoxesOfPe::n_box_words * m_grid_boxes.boxes.size();
  }
  /// Writes the boxes in the format that BoxesOfPe reads.
  void write(std::int64_t* words) const;

 private:
  void find_rank(char const* call);
  void check_ghosts(char const* call) const;
  void check_box(char const* call, std::size_t b) const;
  void find_extents(char const* call);
  [[nodiscard]] bool is_empty(GridBoxes::Box const& box) const;

  GridBoxes const& m_grid_boxes;
  std::array<std::size_t, n_grid_axes> m_depth;
  std::array<std::size_t, n_grid_axes> m_extents{1, 1, 1};
  std::size_t m_rank     = 0;
  std::size_t m_n_points = 0;
};

}  // namespace symm::Impl

#endif
