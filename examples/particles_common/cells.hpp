// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

#ifndef SYMM_EXAMPLES_PARTICLES_CELLS_HPP
#define SYMM_EXAMPLES_PARTICLES_CELLS_HPP

#include <Kokkos_Core.hpp>
#include <cstdint>
#include <particles_common/boxes.hpp>
#include <particles_common/physics.hpp>
#include <vector>

namespace particles {

/// The loops over one PE's particles. `Cells` is a View<Particle**> with the
/// particles of cell c at (c, 0), (c, 1), ..., and `Counts` is a View<int*>
/// with the number of particles in each cell. Both may be in any memory space.

/// Calls body(cell, around, n) for particle n in each cell of the box; `around`
/// is the cell's number in "around". Returns once the work is enqueued.
template <class Counts, class Body>
void for_each_particle(char const* label, Box const& box, Counts const& counts,
                       Body const& body) {
  // There is one team per row of cells. Its vector lanes handle the particles
  // of one cell, which read the same neighbors.
  constexpr int lanes = 4;
  using Team          = Kokkos::TeamPolicy<>::member_type;
  Kokkos::parallel_for(
      label,
      Kokkos::TeamPolicy<>(box.extent[0] * box.extent[1], Kokkos::AUTO, lanes),
      KOKKOS_LAMBDA(Team const& team) {
        int const row   = team.league_rank();
        int const first = row * box.extent[2];
        int const around =
            box.around(row / box.extent[1], row % box.extent[1], 0);
        Kokkos::parallel_for(
            Kokkos::TeamThreadRange(team, box.extent[2]), [&](int k) {
              Kokkos::parallel_for(
                  Kokkos::ThreadVectorRange(team, counts(first + k)),
                  [&](int n) { body(first + k, around + k, n); });
            });
      });
}

/// The conserved quantities of the particles. They are integers, so that sums
/// do not depend on the number of PEs. Momentum and energy are in units of
/// 2^-40 and 2^-32; only differences modulo 2^64 matter.
struct Totals {
  static constexpr int size = 6;
  enum { particles, checksum, momentum, energy = momentum + 3 };

  std::uint64_t words[size] = {};

  KOKKOS_FUNCTION Totals& operator+=(Totals const& other) {
    for (int n = 0; n < size; ++n) words[n] += other.words[n];
    return *this;
  }
};

/// A pseudorandom number that depends only on `n` (SplitMix64).
KOKKOS_INLINE_FUNCTION std::uint64_t mixed(std::uint64_t n) {
  n += 0x9e3779b97f4a7c15;
  n = (n ^ (n >> 30)) * 0xbf58476d1ce4e5b9;
  n = (n ^ (n >> 27)) * 0x94d049bb133111eb;
  return n ^ (n >> 31);
}

/// Converts a multiple of 1 / scale to an integer, modulo 2^64 if negative.
KOKKOS_INLINE_FUNCTION std::uint64_t whole(double value, double scale) {
  return static_cast<std::uint64_t>(
      static_cast<std::int64_t>(Kokkos::round(value * scale)));
}

/// The totals of this PE's particles.
/// \param cell_at the same as for for_each_pair().
template <class Cells, class Counts, class CellAt>
Totals totals_of(Cells const& cells, Counts const& counts, Box const& box,
                 double dt, CellAt const& cell_at) {
  Totals result;
  Kokkos::parallel_reduce(
      "particles: totals", Kokkos::RangePolicy<>(0, box.n_cells()),
      KOKKOS_LAMBDA(int cell, Totals& totals) {
        int const i    = cell / box.extent[2] / box.extent[1];
        int const j    = cell / box.extent[2] % box.extent[1];
        int const k    = cell % box.extent[2];
        int const at[] = {box.begin[0] + i, box.begin[1] + j, box.begin[2] + k};
        int const around = box.around(i, j, k);
        for (int n = 0; n < counts(cell); ++n) {
          Particle const particle = cells(cell, n);
          // Velocities lag half a step behind positions.
          Kick const kick(particle, box, around, dt, cell_at);
          double energy = -0.5;  // cancels its potential with itself, which is
                                 // added below
          for_each_pair(particle, box, around, cell_at,
                        [&](double, double, double, double w) {
                          energy += w * w * w / 2;
                        });
          auto hash = mixed(static_cast<std::uint64_t>(particle.id));
          for (int axis = 0; axis < 3; ++axis) {
            double const v = particle.v[axis] + kick.dv[axis] / 2;
            energy += v * v / 2;
            hash = mixed(hash ^ static_cast<std::uint64_t>(at[axis]));
            hash = mixed(hash ^ whole(particle.x[axis], 0x1p40));
            hash = mixed(hash ^ whole(particle.v[axis], 0x1p40));
            totals.words[Totals::momentum + axis] +=
                whole(particle.v[axis], 0x1p40);
          }
          totals.words[Totals::particles] += 1;
          totals.words[Totals::checksum] += hash;
          totals.words[Totals::energy] += whole(energy, 0x1p32);
        }
      },
      result);
  return result;
}

/// Calls add(cell, particle) for `per_cell` particles in each cell of the box.
/// The particles are near the points of a small lattice, at random offsets.
/// They are fast in the middle of the grid and slow elsewhere.
template <class Add>
void fill(Box const& box, Triple const& grid, int per_cell, Add const& add) {
  int side = 1;
  while (side * side * side < per_cell) ++side;
  Kokkos::parallel_for(
      "particles: fill", Kokkos::RangePolicy<>(0, box.n_cells()),
      KOKKOS_LAMBDA(int cell) {
        int const at[] = {box.begin[0] + cell / box.extent[2] / box.extent[1],
                          box.begin[1] + cell / box.extent[2] % box.extent[1],
                          box.begin[2] + cell % box.extent[2]};
        double from_center  = 0;
        std::int64_t number = 0;
        for (int axis = 0; axis < 3; ++axis) {
          double const d = (at[axis] + 0.5) / grid[axis] - 0.5;
          from_center += d * d;
          number = number * grid[axis] + at[axis];
        }
        double const speed = from_center < 0.15 * 0.15 ? 6 : 0.5;
        for (int n = 0; n < per_cell; ++n) {
          int const site[] = {n / side / side, n / side % side, n % side};
          Particle particle{};
          particle.id = number * per_cell + n;
          auto random = static_cast<std::uint64_t>(particle.id);
          // Returns a number from -0.5 to 0.5.
          auto const next = [&] {
            random = mixed(random);
            return static_cast<double>(random >> 11) * 0x1p-53 - 0.5;
          };
          for (int axis = 0; axis < 3; ++axis) {
            particle.x[axis] =
                rounded((site[axis] + 0.5 + 0.8 * next()) / side);
            particle.v[axis] = rounded(speed * next());
          }
          add(cell, particle);
        }
      });
}

/// The number of pixels along the side of a cell, before the picture is
/// enlarged.
constexpr int pixels_per_cell = 2;

/// The kinetic energy of this PE's particles in each pixel of a picture that
/// shows the cells in the middle of the first axis, in units of 2^-20.
template <class Cells, class Counts>
std::vector<std::uint64_t> brightness_of(Cells const& cells,
                                         Counts const& counts, Box const& box,
                                         Triple const& grid) {
  int const width = grid[2] * pixels_per_cell;
  Kokkos::View<std::uint64_t**, Kokkos::LayoutRight> const pixels(
      "pixels", grid[1] * pixels_per_cell, width);
  for_each_particle(
      "particles: picture", box, counts, KOKKOS_LAMBDA(int cell, int, int n) {
        int const i = box.begin[0] + cell / box.extent[2] / box.extent[1];
        int const j = box.begin[1] + cell / box.extent[2] % box.extent[1];
        int const k = box.begin[2] + cell % box.extent[2];
        if (4 * Kokkos::abs(2 * i + 1 - grid[0]) > grid[0]) return;
        Particle const& particle = cells(cell, n);
        double energy            = 0;
        for (double const v : particle.v) energy += v * v / 2;
        Kokkos::atomic_add(
            &pixels(static_cast<int>((j + particle.x[1]) * pixels_per_cell),
                    static_cast<int>((k + particle.x[2]) * pixels_per_cell)),
            whole(energy, 0x1p20));
      });
  std::vector<std::uint64_t> result(pixels.size());
  Kokkos::deep_copy(Kokkos::View<std::uint64_t**, Kokkos::LayoutRight,
                                 Kokkos::HostSpace, Kokkos::MemoryUnmanaged>(
                        result.data(), pixels.extent(0), pixels.extent(1)),
                    pixels);
  return result;
}

}  // namespace particles

#endif
