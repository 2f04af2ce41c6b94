// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

#ifndef SYMM_EXAMPLES_PARTICLES_BOXES_HPP
#define SYMM_EXAMPLES_PARTICLES_BOXES_HPP

#include <Kokkos_Core.hpp>
#include <vector>

namespace particles {

/// One number per axis.
using Triple = Kokkos::Array<int, 3>;

/// Cells of one PE. Their numbers run along the last axis first; so do those of
/// the box with the layer of cells around it, "around" in what follows.
struct Box {
  Triple begin;
  Triple extent;

  KOKKOS_FUNCTION int n_cells() const {
    return extent[0] * extent[1] * extent[2];
  }
  /// Cells from which a particle can leave the box in a step.
  int n_outermost() const {
    int inner = 1;
    for (int const n : extent) inner *= n > 2 ? n - 2 : 0;
    return n_cells() - inner;
  }
  /// From a cell to the next one along the first two axes, in "around".
  KOKKOS_FUNCTION int plane() const { return (extent[1] + 2) * row(); }
  KOKKOS_FUNCTION int row() const { return extent[2] + 2; }
  /// The number in "around" of cell (i, j, k) of the box; -1 and extent[axis]
  /// are in the layer.
  KOKKOS_FUNCTION int around(int i, int j, int k) const {
    return (i + 1) * plane() + (j + 1) * row() + k + 1;
  }
};

/// A cell where it is stored.
struct Place {
  int pe;
  int cell;  ///< number there

  // Not by default: nvcc 13.0 would not define them.
  friend bool operator==(Place const& a, Place const& b) {
    return a.pe == b.pe && a.cell == b.cell;
  }
  friend bool operator<(Place const& a, Place const& b) {
    return a.pe != b.pe ? a.pe < b.pe : a.cell < b.cell;
  }
};

/// The periodic grid of cells, split into a box per PE.
class Boxes {
 public:
  /// \throws UsageError for more PEs than cells along an axis.
  Boxes(Triple const& cells, Triple const& pe_grid);

  Triple const& cells() const { return m_cells; }
  Triple const& pe_grid() const { return m_pe_grid; }
  Box box(int pe) const;
  /// Who has a cell; indices may be outside the grid by up to a period.
  Place owner(Triple const& cell) const;

 private:
  int begin(int axis, int part) const;

  Triple m_cells;
  Triple m_pe_grid;
};

/// Where one PE finds the cells of its box and those around it: of other PEs'
/// cells it has copies, behind its own cells.
struct Surroundings {
  Surroundings(Boxes const& boxes, int pe);

  std::vector<Place> copied;  ///< cells that there are copies of, sorted
  std::vector<int> found;     ///< of each cell in "around": it, or its copy
};

/// The split with the fewest cells along all cuts.
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
