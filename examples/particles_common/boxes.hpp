// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

#ifndef SYMM_EXAMPLES_PARTICLES_BOXES_HPP
#define SYMM_EXAMPLES_PARTICLES_BOXES_HPP

#include <Kokkos_Core.hpp>
#include <vector>

namespace particles {

/// One number per axis.
using Triple = Kokkos::Array<int, 3>;

/// One PE's cells. Cell numbers increase fastest along the last axis. The box
/// together with the layer of cells around it is called "around" below. Cells
/// in "around" are numbered in the same order.
struct Box {
  Triple begin;
  Triple extent;

  KOKKOS_FUNCTION int n_cells() const {
    return extent[0] * extent[1] * extent[2];
  }
  /// The number of cells from which a particle can leave the box in one step.
  int n_outermost() const {
    int inner = 1;
    for (int const n : extent) inner *= n > 2 ? n - 2 : 0;
    return n_cells() - inner;
  }
  /// The distance, in "around", from a cell to the next one along the first two
  /// axes.
  KOKKOS_FUNCTION int plane() const { return (extent[1] + 2) * row(); }
  KOKKOS_FUNCTION int row() const { return extent[2] + 2; }
  /// The number in "around" of cell (i, j, k) in the box; indices -1 and
  /// extent[axis] are in the layer.
  KOKKOS_FUNCTION int around(int i, int j, int k) const {
    return (i + 1) * plane() + (j + 1) * row() + k + 1;
  }
};

/// Where a cell is stored.
struct Place {
  int pe;
  int cell;  ///< the cell's number there

  // Not defaulted, because nvcc 13.0 would not define them.
  friend bool operator==(Place const& a, Place const& b) {
    return a.pe == b.pe && a.cell == b.cell;
  }
  friend bool operator<(Place const& a, Place const& b) {
    return a.pe != b.pe ? a.pe < b.pe : a.cell < b.cell;
  }
};

/// The periodic grid of cells, divided into one box per PE.
class Boxes {
 public:
  /// \throws UsageError if there are more PEs than cells along an axis.
  Boxes(Triple const& cells, Triple const& pe_grid);

  Triple const& cells() const { return m_cells; }
  Triple const& pe_grid() const { return m_pe_grid; }
  Box box(int pe) const;
  /// The PE that has a cell, and the cell's number there. Indices may be
  /// outside the grid by up to one period.
  Place owner(Triple const& cell) const;

 private:
  int begin(int axis, int part) const;

  Triple m_cells;
  Triple m_pe_grid;
};

/// Where a PE finds the cells in and around its box. Copies of other PEs' cells
/// come after the PE's own cells.
struct Surroundings {
  Surroundings(Boxes const& boxes, int pe);

  std::vector<Place> copied;  ///< cells of which there are copies, sorted
  std::vector<int> found;     ///< for each cell in "around", the cell or its
                              ///< copy
};

/// The decomposition with the fewest cells along all cuts.
/// \throws UsageError if there is none.
Triple choose_pe_grid(Triple const& cells, int n_pes);

/// Copies a list into a View that kernels can read.
template <class T>
Kokkos::View<T const*> on_device(std::vector<T> const& list) {
  Kokkos::View<T*> const view(
      Kokkos::view_alloc("list", Kokkos::WithoutInitializing), list.size());
  Kokkos::deep_copy(
      view, Kokkos::View<T const*, Kokkos::HostSpace, Kokkos::MemoryUnmanaged>(
                list.data(), list.size()));
  return view;
}

}  // namespace particles

#endif
