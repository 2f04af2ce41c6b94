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

/// A side of a PE's box that another PE's box touches.
struct Face {
  int pe;        ///< the neighbor
  Cells cells;   ///< my outermost own layer, which the neighbor needs
  Cells ghosts;  ///< my ghost layer, which the neighbor's layer fills
};

/// The global grid cut into one box per PE. Boxes of a row of PEs differ by one
/// cell at most; PE numbers run fastest along the third axis.
class Decomposition {
 public:
  /// \param size    cells per axis; \param pe_grid PEs per axis.
  /// \throws UsageError if an axis has more PEs than cells, or a box would have
  ///         so many cells that Kokkos' arithmetic on int indices overflows.
  Decomposition(Triple const& size, Triple const& pe_grid);

  Triple const& size() const { return m_size; }
  Triple const& pe_grid() const { return m_pe_grid; }
  int n_pes() const { return m_pe_grid[0] * m_pe_grid[1] * m_pe_grid[2]; }

  Box box(int pe) const;

  /// Extents of a View that holds the largest box and its ghost layers.
  /// Collective allocations must have the same extents on all PEs.
  Triple largest_view() const;

  /// Extents of a View that holds the box of `pe` and its ghost layers.
  Triple view_of(int pe) const;

  /// The faces of `pe` that have a neighbor, six at most. Two PEs share one
  /// face at most.
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
