// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

#ifndef SYMM_EXAMPLES_MOLECULES_DECOMPOSITION_HPP
#define SYMM_EXAMPLES_MOLECULES_DECOMPOSITION_HPP

#include <Kokkos_Core.hpp>
#include <vector>

namespace molecules {

/// One number per axis.
using Triple = Kokkos::Array<int, 3>;
using Vector = Kokkos::Array<double, 3>;

/// The nearest multiple of 2^-40, which is the last bit of 1.5 * 2^12. (This
/// does not work with a compiler that may reorder additions.) Positions,
/// velocities and kicks are such multiples below 2^11. Doubles add them without
/// rounding. So sums are bitwise identical in any order and on any number of
/// PEs.
KOKKOS_INLINE_FUNCTION double rounded(double value) {
  return (value + 0x1.8p12) - 0x1.8p12;
}

/// The ghosts that a PE sends to one of its neighbors.
struct Direction {
  int pe;        ///< the neighbor, or the PE itself
  Triple side;   ///< side of my box: -1 the lower face, 1 the upper one, 0
                 ///< neither
  Vector shift;  ///< from my atom to the periodic image next to the neighbor
};

/// The periodic box of the simulation, divided into one box per PE.
class Decomposition {
 public:
  Decomposition(Vector const& length, Triple const& pe_grid)
      : m_length(length), m_pe_grid(pe_grid) {}

  KOKKOS_FUNCTION Vector const& length() const { return m_length; }
  Triple const& pe_grid() const { return m_pe_grid; }
  Triple part_of(int pe) const;
  /// The corners of a PE's box.
  Vector lower(int pe) const;
  Vector upper(int pe) const;

  /// The periodic image inside the box of a position that is at most one period
  /// outside.
  KOKKOS_FUNCTION double wrapped(double x, int axis) const {
    if (x < 0) return x + m_length[axis];
    return x < m_length[axis] ? x : x - m_length[axis];
  }
  /// The PE that owns position `x`, which must be inside the box of the
  /// simulation.
  KOKKOS_FUNCTION int owner(Vector const& x) const {
    int pe = 0;
    for (int axis = 0; axis < 3; ++axis) {
      int const n = m_pe_grid[axis];
      int part    = static_cast<int>(x[axis] * n / m_length[axis]);
      // Correct for rounding in the divisions.
      if (part == n || x[axis] < begin(axis, part)) --part;
      if (part + 1 < n && x[axis] >= begin(axis, part + 1)) ++part;
      pe = pe * n + part;
    }
    return pe;
  }

  /// The directions in which a PE exports ghosts: 13 of 26. So if two boxes
  /// touch, only one of the two PEs computes the forces between the boxes. The
  /// directions are sorted by PE, starting with those to `pe` itself.
  std::vector<Direction> exports_of(int pe) const;
  /// The PEs whose boxes touch that of `pe`, excluding `pe`; sorted.
  std::vector<int> neighbors_of(int pe) const;

 private:
  KOKKOS_FUNCTION double begin(int axis, int part) const {
    return rounded(m_length[axis] / m_pe_grid[axis] * part);
  }
  Direction direction(int pe, Triple const& side) const;

  Vector m_length;
  Triple m_pe_grid;
};

/// Of the decompositions in which all boxes are at least `least` long, the one
/// with the smallest cuts.
/// \throws UsageError if there is none.
Triple choose_pe_grid(Vector const& length, double least, int n_pes);

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

}  // namespace molecules

#endif
