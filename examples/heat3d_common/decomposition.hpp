// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

#ifndef SYMM_EXAMPLES_HEAT3D_DECOMPOSITION_HPP
#define SYMM_EXAMPLES_HEAT3D_DECOMPOSITION_HPP

#include <heat3d_common/cells.hpp>
#include <vector>

namespace heat3d {

/// The cells of one PE, in global indices.
struct Box {
  Triple begin;
  Triple extent;
};

/// A side of a PE's box that touches another PE's box.
struct Face {
  int pe;        ///< the neighbor's PE number
  Cells cells;   ///< my outermost own layer, which the neighbor needs
  Cells ghosts;  ///< my ghost layer, which the neighbor's layer fills
};

/// The global grid, divided into one box per PE. Along each axis, box sizes
/// differ by at most one cell. PE numbers increase fastest along the third
/// axis.
class Decomposition {
 public:
  /// \param size the number of cells per axis.
  /// \param pe_grid the number of PEs per axis.
  /// \throws UsageError if an axis has more PEs than cells, or if a box would
  ///         have too many cells for Kokkos' arithmetic with int indices.
  Decomposition(Triple const& size, Triple const& pe_grid);

  Triple const& size() const { return m_size; }
  Triple const& pe_grid() const { return m_pe_grid; }
  int n_pes() const { return m_pe_grid[0] * m_pe_grid[1] * m_pe_grid[2]; }

  Box box(int pe) const;

  /// The extents of a View that holds the largest box and its ghost layers.
  /// Collective allocations must have the same extents on all PEs.
  Triple largest_view() const;

  /// The extents of a View that holds the box of `pe` and its ghost layers.
  Triple view_of(int pe) const;

  /// The faces of `pe` that have a neighbor: at most six. Two PEs share at most
  /// one face.
  std::vector<Face> faces(int pe) const;

 private:
  Triple place_of(int pe) const;
  int begin(int axis, int place) const;
  int extent(int axis, int place) const;

  Triple m_size;
  Triple m_pe_grid;
};

/// The PE grid with the fewest halo cells.
/// \throws UsageError if no grid of `n_pes` gives every PE a cell.
Triple choose_pe_grid(Triple const& size, int n_pes);

}  // namespace heat3d

#endif
