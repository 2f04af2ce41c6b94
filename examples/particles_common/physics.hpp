// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

#ifndef SYMM_EXAMPLES_PARTICLES_PHYSICS_HPP
#define SYMM_EXAMPLES_PARTICLES_PHYSICS_HPP

#include <Kokkos_Core.hpp>
#include <cstdint>
#include <particles_common/boxes.hpp>

namespace particles {

/// Positions and velocities are multiples of 2^-40. Such numbers (below 2^12)
/// can be added without rounding. So sums of forces do not depend on the order
/// of additions, the two forces of a pair cancel exactly, and results are
/// bitwise identical on any number of PEs.
struct Particle {
  double x[3];  ///< relative to the corner of its cell: 0 <= x < 1
  double v[3];
  std::int64_t id;
};

/// The nearest multiple of 2^-40, which is the last bit of 1.5 * 2^12. (This
/// does not work with a compiler that may reorder additions.)
KOKKOS_INLINE_FUNCTION double rounded(double value) {
  return (value + 0x1.8p12) - 0x1.8p12;
}

/// The particles in one cell.
struct Near {
  Particle const* first;
  int count;
};

/// Calls body(dx, dy, dz, w) for each particle that is in the cell of
/// `particle` or an adjacent cell and within the range 1, including `particle`
/// itself. The vector d points from that particle to `particle`, and w is 1 -
/// d^2.
///
/// \param around the number of the particle's cell in "around" of `box`.
/// \param cell_at returns the cell with a given number in "around", as a Near
///        or as an object with the same members.
template <class CellAt, class Body>
KOKKOS_FORCEINLINE_FUNCTION void for_each_pair(Particle const& particle,
                                               Box const& box, int around,
                                               CellAt const& cell_at,
                                               Body const& body) {
  for (int i = -1; i <= 1; ++i)
    for (int j = -1; j <= 1; ++j)
      for (int k = -1; k <= 1; ++k) {
        auto const near = cell_at(around + i * box.plane() + j * box.row() + k);
        double const x  = particle.x[0] - i;
        double const y  = particle.x[1] - j;
        double const z  = particle.x[2] - k;
        for (int n = 0; n < near.count; ++n) {
          double const dx = x - near.first[n].x[0];
          double const dy = y - near.first[n].x[1];
          double const dz = z - near.first[n].x[2];
          double const w  = 1 - (dx * dx + dy * dy + dz * dz);
          if (w > 0) body(dx, dy, dz, w);
        }
      }
}

/// The change in the velocity of `particle` in a time step. The potential of a
/// pair is w^3; the force is 6 w^2 d.
struct Kick {
  double dv[3] = {0, 0, 0};

  template <class CellAt>
  KOKKOS_FUNCTION Kick(Particle const& particle, Box const& box, int around,
                       double dt, CellAt const& cell_at) {
    double const scale = 6 * dt;
    for_each_pair(particle, box, around, cell_at,
                  [&](double dx, double dy, double dz, double w) {
                    double const f = scale * w * w;
                    dv[0] += rounded(f * dx);
                    dv[1] += rounded(f * dy);
                    dv[2] += rounded(f * dz);
                  });
  }
};

/// Moves a particle by one time step, possibly into another cell.
/// \param around the number of the particle's cell before the call, then after
///        the call.
/// \returns whether the particle is still in the same cell or an adjacent one,
///          as it must be.
KOKKOS_INLINE_FUNCTION bool move(Particle& particle, Kick const& kick,
                                 Box const& box, double dt, int& around) {
  int const strides[] = {box.plane(), box.row(), 1};
  bool is_near        = true;
  for (int axis = 0; axis < 3; ++axis) {
    particle.v[axis] += kick.dv[axis];
    double const x    = particle.x[axis] + rounded(particle.v[axis] * dt);
    double const cell = Kokkos::floor(x);
    particle.x[axis]  = x - cell;
    is_near           = is_near && Kokkos::abs(cell) <= 1;
    if (is_near) around += static_cast<int>(cell) * strides[axis];
  }
  return is_near;
}

}  // namespace particles

#endif
