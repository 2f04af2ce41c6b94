// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

#ifndef SYMM_EXAMPLES_HYDRO2D_GAS_HPP
#define SYMM_EXAMPLES_HYDRO2D_GAS_HPP

#include <Kokkos_Core.hpp>
#include <cstddef>
#include <hydro2d_common/grid.hpp>
#include <vector>

/// The kernels of a time step. First, nodes move with the gas (Lagrangian
/// step), with the artificial viscosity of von Neumann and Richtmyer. Then, the
/// gas that has left a cell of the fixed grid is transferred to the next cell,
/// with the values of the original cell (donor cell).
namespace hydro2d {

constexpr double gamma_of_gas     = 1.4;
constexpr double courant_number   = 0.3;
constexpr double linear_viscosity = 0.5;
constexpr double square_viscosity = 2;

/// The dimensions of a cell.
struct Cell {
  explicit Cell(Pair const& size) : dx(1.0 / size[0]), dy(1.0 / size[1]) {}
  [[nodiscard]] KOKKOS_FUNCTION double volume() const { return dx * dy; }
  /// \param fastest the largest signal speed, in cell lengths per unit time.
  [[nodiscard]] KOKKOS_FUNCTION double time_step(double fastest) const {
    return courant_number / fastest;
  }

  double dx;
  double dy;
};

/// Sets pressure, speed of sound and viscosity of my cells.
/// \param fastest receives the value that determines the time step.
inline void equation_of_state(Fields const& fields, Grid const& grid,
                              Cell const& cell, double* fastest) {
  auto const rho = fields[density], e = fields[energy], p = fields[pressure],
             q = fields[viscosity], c = fields[sound_speed],
             u = fields[velocity_x], v = fields[velocity_y];
  largest_of(
      "hydro2d: equation of state", own_points(grid, cells),
      KOKKOS_LAMBDA(int i, int j, double& largest) {
        p(i, j) = (gamma_of_gas - 1) * rho(i, j) * e(i, j);
        c(i, j) = Kokkos::sqrt(gamma_of_gas * p(i, j) / rho(i, j));
        double const du =
            0.5 * ((u(i + 1, j) + u(i + 1, j + 1)) - (u(i, j) + u(i, j + 1)));
        double const dv =
            0.5 * ((v(i, j + 1) + v(i + 1, j + 1)) - (v(i, j) + v(i + 1, j)));
        double const jump = Kokkos::min(du + dv, 0.0);
        q(i, j)           = rho(i, j) * jump *
                  (square_viscosity * jump - linear_viscosity * c(i, j));
        double const speed =
            c(i, j) - 2 * square_viscosity * jump +
            Kokkos::max(Kokkos::abs(u(i, j)), Kokkos::abs(u(i + 1, j + 1))) +
            Kokkos::max(Kokkos::abs(v(i, j)), Kokkos::abs(v(i + 1, j + 1)));
        largest = Kokkos::max(largest, speed / Kokkos::min(cell.dx, cell.dy));
      },
      fastest);
}

/// Velocities of my nodes after the time step. Needs density, pressure and
/// viscosity of the surrounding cells.
inline void accelerate(Fields const& fields, Grid const& grid, Cell const& cell,
                       double const* fastest) {
  auto const rho = fields[density], p = fields[pressure], q = fields[viscosity],
             u = fields[velocity_x], v = fields[velocity_y],
             u1 = fields[velocity1_x], v1 = fields[velocity1_y];
  for_each(
      "hydro2d: accelerate", own_points(grid, nodes),
      KOKKOS_LAMBDA(int i, int j) {
        double const dt = cell.time_step(*fastest);
        double const mass =
            0.25 * cell.volume() *
            ((rho(i - 1, j - 1) + rho(i, j)) + (rho(i - 1, j) + rho(i, j - 1)));
        double const sw   = p(i - 1, j - 1) + q(i - 1, j - 1);
        double const nw   = p(i - 1, j) + q(i - 1, j);
        double const se   = p(i, j - 1) + q(i, j - 1);
        double const ne   = p(i, j) + q(i, j);
        double const dp_x = (se - sw) + (ne - nw);
        double const dp_y = (nw - sw) + (ne - se);
        u1(i, j)          = u(i, j) - dt * 0.5 * cell.dy * dp_x / mass;
        v1(i, j)          = v(i, j) - dt * 0.5 * cell.dx * dp_y / mass;
      });
}

/// Volumes that pass through my faces.
inline void volume_fluxes(Fields const& fields, Grid const& grid,
                          Cell const& cell, double const* fastest) {
  auto const u = fields[velocity_x], v = fields[velocity_y],
             u1 = fields[velocity1_x], v1 = fields[velocity1_y],
             flux_x = fields[volume_flux_x], flux_y = fields[volume_flux_y];
  for_each(
      "hydro2d: volumes through faces along x", own_points(grid, x_faces),
      KOKKOS_LAMBDA(int i, int j) {
        flux_x(i, j) = 0.25 * cell.time_step(*fastest) * cell.dy *
                       ((u(i, j) + u1(i, j)) + (u(i, j + 1) + u1(i, j + 1)));
      });
  for_each(
      "hydro2d: volumes through faces along y", own_points(grid, y_faces),
      KOKKOS_LAMBDA(int i, int j) {
        flux_y(i, j) = 0.25 * cell.time_step(*fastest) * cell.dx *
                       ((v(i, j) + v1(i, j)) + (v(i + 1, j) + v1(i + 1, j)));
      });
}

/// Density and energy of my cells after they have moved with the gas.
inline void compress(Fields const& fields, Grid const& grid, Cell const& cell) {
  auto const rho = fields[density], e = fields[energy], p = fields[pressure],
             q = fields[viscosity], rho1 = fields[density1],
             e1 = fields[energy1], flux_x = fields[volume_flux_x],
             flux_y = fields[volume_flux_y];
  for_each(
      "hydro2d: compress", own_points(grid, cells),
      KOKKOS_LAMBDA(int i, int j) {
        double const growth = (flux_x(i + 1, j) - flux_x(i, j)) +
                              (flux_y(i, j + 1) - flux_y(i, j));
        double const volume = cell.volume();
        rho1(i, j)          = rho(i, j) * volume / (volume + growth);
        e1(i, j) =
            e(i, j) - (p(i, j) + q(i, j)) * growth / (rho(i, j) * volume);
      });
}

/// Masses that pass through my faces. Needs density1 of the surrounding cells.
inline void mass_fluxes(Fields const& fields, Grid const& grid) {
  auto const rho1 = fields[density1], of_x = fields[volume_flux_x],
             of_y = fields[volume_flux_y], flux_x = fields[mass_flux_x],
             flux_y = fields[mass_flux_y];
  for_each(
      "hydro2d: masses through faces along x", own_points(grid, x_faces),
      KOKKOS_LAMBDA(int i, int j) {
        flux_x(i, j) = of_x(i, j) * rho1(of_x(i, j) > 0 ? i - 1 : i, j);
      });
  for_each(
      "hydro2d: masses through faces along y", own_points(grid, y_faces),
      KOKKOS_LAMBDA(int i, int j) {
        flux_y(i, j) = of_y(i, j) * rho1(i, of_y(i, j) > 0 ? j - 1 : j);
      });
}

/// Velocities of my nodes after the transport of momentum. Needs velocity1 of
/// the surrounding nodes, density of the surrounding cells, and the masses that
/// pass through the surrounding faces.
inline void pass_momentum_on(Fields const& fields, Grid const& grid,
                             Cell const& cell) {
  auto const rho = fields[density], u = fields[velocity_x],
             v = fields[velocity_y], u1 = fields[velocity1_x],
             v1 = fields[velocity1_y], flux_x = fields[mass_flux_x],
             flux_y = fields[mass_flux_y];
  for_each(
      "hydro2d: momentum", own_points(grid, nodes),
      KOKKOS_LAMBDA(int i, int j) {
        // For the four cell quarters around a node: the mass that enters
        // through the left (lower) side and leaves through the right (upper)
        // side.
        double const left  = 0.25 * ((flux_x(i - 1, j - 1) + flux_x(i, j - 1)) +
                                    (flux_x(i - 1, j) + flux_x(i, j)));
        double const right = 0.25 * ((flux_x(i, j - 1) + flux_x(i + 1, j - 1)) +
                                     (flux_x(i, j) + flux_x(i + 1, j)));
        double const lower = 0.25 * ((flux_y(i - 1, j - 1) + flux_y(i - 1, j)) +
                                     (flux_y(i, j - 1) + flux_y(i, j)));
        double const upper = 0.25 * ((flux_y(i - 1, j) + flux_y(i - 1, j + 1)) +
                                     (flux_y(i, j) + flux_y(i, j + 1)));
        double const mass =
            0.25 * cell.volume() *
            ((rho(i - 1, j - 1) + rho(i, j)) + (rho(i - 1, j) + rho(i, j - 1)));
        double const new_mass = mass + ((left - right) + (lower - upper));
        auto const passed_on  = [&](Field const& w) {
          double const by_x = left * w(left > 0 ? i - 1 : i, j) -
                              right * w(right > 0 ? i : i + 1, j);
          double const by_y = lower * w(i, lower > 0 ? j - 1 : j) -
                              upper * w(i, upper > 0 ? j : j + 1);
          return (mass * w(i, j) + (by_x + by_y)) / new_mass;
        };
        u(i, j) = passed_on(u1);
        v(i, j) = passed_on(v1);
      });
}

/// Density and energy of my cells after the transport of mass. Needs energy1 of
/// the surrounding cells.
inline void pass_mass_on(Fields const& fields, Grid const& grid,
                         Cell const& cell) {
  auto const rho = fields[density], e = fields[energy], e1 = fields[energy1],
             flux_x = fields[mass_flux_x], flux_y = fields[mass_flux_y];
  for_each(
      "hydro2d: mass and energy", own_points(grid, cells),
      KOKKOS_LAMBDA(int i, int j) {
        double const left = flux_x(i, j), right = flux_x(i + 1, j),
                     lower = flux_y(i, j), upper = flux_y(i, j + 1);
        double const mass     = rho(i, j) * cell.volume();
        double const new_mass = mass + ((left - right) + (lower - upper));
        double const by_x     = left * e1(left > 0 ? i - 1 : i, j) -
                            right * e1(right > 0 ? i : i + 1, j);
        double const by_y = lower * e1(i, lower > 0 ? j - 1 : j) -
                            upper * e1(i, upper > 0 ? j : j + 1);
        e(i, j)   = (mass * e1(i, j) + (by_x + by_y)) / new_mass;
        rho(i, j) = new_mass / cell.volume();
      });
}

/// Sets the ghosts beyond a wall, which mirrors the gas, for the fields of one
/// centering. The vector component perpendicular to the wall changes sign.
struct Wall {
  using Field = Kokkos::View<double**, Kokkos::LayoutRight,
                             Kokkos::MemoryTraits<Kokkos::Unmanaged>>;

  KOKKOS_FUNCTION void operator()(int i, int j) const {
    for (int f = 0; f < n; ++f)
      fields[f](i, j) = signs[f] * fields[f](i + by_x, j + by_y);
  }

  Points ghosts;
  int by_x, by_y;  // from a ghost to the point that it mirrors
  int n;
  Kokkos::Array<Field, n_fields> fields;
  Kokkos::Array<double, n_fields> signs;
};

/// This PE's walls, starting with those along x, because corners mirror ghosts.
inline std::vector<Wall> walls_of(Selection const& selection,
                                  Grid const& grid) {
  std::vector<Wall> walls;
  for (std::size_t axis = 0; axis < 2; ++axis)
    for (int const side : {-1, 1})
      for (std::size_t c = 0; c < n_centerings; ++c) {
        auto const& fields = selection.fields[c];
        if (!grid.has_wall(axis, side) || fields.empty()) continue;
        auto const centering = static_cast<Centering>(c);
        int const inwards    = -side * (1 + more_points(centering, axis));
        Wall wall{own_points(grid, centering, width),
                  axis == 0 ? inwards : 0,
                  axis == 1 ? inwards : 0,
                  static_cast<int>(fields.size()),
                  {},
                  {}};
        auto &begin = wall.ghosts.begin[axis], &end = wall.ghosts.end[axis];
        if (side > 0) begin = end - 1;
        end = begin + 1;
        for (std::size_t f = 0; f < fields.size(); ++f) {
          bool const turns = direction_of(selection.names[c][f]) == axis;
          wall.fields[f]   = fields[f];
          wall.signs[f]    = turns ? -1 : 1;
        }
        walls.push_back(wall);
      }
  return walls;
}

}  // namespace hydro2d

#endif
