// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_EXCHANGE_BOXES_OF_PE_HPP
#define SYMM_EXCHANGE_BOXES_OF_PE_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "GridRegion.hpp"

namespace symm::Impl {

/// A PE's boxes in a grid, decoded from the words that the PE sent to others: a
/// header, then six words per box.
class BoxesOfPe {
 public:
  enum Word : std::size_t {
    of_grid,
    of_periodic = of_grid + n_grid_axes,
    of_extents,
    of_width = of_extents + n_grid_axes,
    of_count = of_width + n_grid_axes,
    n_header_words
  };
  static constexpr std::size_t n_box_words = 2 * n_grid_axes;

  explicit BoxesOfPe(std::int64_t const* words) : m_words(words) {}

  [[nodiscard]] std::size_t n() const {
    return static_cast<std::size_t>(m_words[of_count]);
  }
  [[nodiscard]] GridRegion box(std::size_t b) const {
    auto const* const words = m_words + n_header_words + n_box_words * b;
    GridRegion region;
    for (std::size_t a = 0; a < n_grid_axes; ++a) {
      region.begin[a] = words[a];
      region.end[a]   = words[a] + words[n_grid_axes + a];
    }
    return region;
  }
  [[nodiscard]] std::int64_t width(std::size_t a) const {
    return m_words[of_width + a];
  }
  /// A point's index in the PE's Views, as a single number.
  /// \param at the point, relative to the first point of box `b`.
  [[nodiscard]] std::int64_t element(std::size_t b, GridPlace const& at) const {
    auto result = static_cast<std::int64_t>(b);
    for (std::size_t a = 0; a < n_grid_axes; ++a)
      result = result * m_words[of_extents + a] + at[a] + width(a);
    return result;
  }
  /// The end of the words, where the next PE's words begin.
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

}  // namespace symm::Impl

#endif
