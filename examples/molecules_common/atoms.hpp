// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

#ifndef SYMM_EXAMPLES_MOLECULES_ATOMS_HPP
#define SYMM_EXAMPLES_MOLECULES_ATOMS_HPP

#include <Kokkos_Core.hpp>
#include <cstddef>
#include <cstdint>
#include <molecules_common/decomposition.hpp>

namespace molecules {

using Exec = Kokkos::DefaultExecutionSpace;
/// LayoutRight, because the components of a neighbor are read together, even on
/// GPUs.
using Vectors = Kokkos::View<double* [3], Kokkos::LayoutRight>;
using Ids     = Kokkos::View<std::int64_t*>;

/// A PE's atoms, followed by ghosts: copies of atoms near its box.
struct Atoms {
  int n_owned  = 0;
  int n_ghosts = 0;
  Vectors x{"positions", 0};
  Vectors v{"velocities", 0};
  Ids id{"ids", 0};
  /// Forces times half a time step. Their sums are exact; see rounded().
  Vectors kicks{"kicks", 0};

  int n_all() const { return n_owned + n_ghosts; }
  /// Makes room for `n` atoms and ghosts; existing ones are kept.
  void make_room(int n) {
    auto const room =
        static_cast<std::size_t>(n) + static_cast<std::size_t>(n) / 8;
    if (x.extent_int(0) < n) Kokkos::resize(x, room);
    if (v.extent_int(0) < n) Kokkos::resize(v, room);
    if (id.extent_int(0) < n) Kokkos::resize(id, room);
    if (kicks.extent_int(0) < n) Kokkos::realloc(kicks, room);
  }
};

/// A pseudorandom number that depends only on `n` (SplitMix64).
KOKKOS_INLINE_FUNCTION std::uint64_t mixed(std::uint64_t n) {
  n += 0x9e3779b97f4a7c15;
  n = (n ^ (n >> 30)) * 0xbf58476d1ce4e5b9;
  n = (n ^ (n >> 27)) * 0x94d049bb133111eb;
  return n ^ (n >> 31);
}

/// Adds a PE's atoms: the atoms of a face-centered cubic lattice in the PE's
/// box. Atoms 2 k and 2 k + 1 have opposite velocities, so that all velocities
/// add up to 0.
inline void fill(Atoms& atoms, Triple const& cells, double side,
                 Decomposition const& boxes, int me) {
  constexpr double speed = 4.2;  // temperature 1.44 before melting
  atoms.make_room(1);
  auto const n_sites = std::int64_t{4} * cells[0] * cells[1] * cells[2];
  for (bool has_room = false; !has_room;) {
    Atoms const to = atoms;
    Kokkos::parallel_scan(
        "molecules: fill",
        Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>>(0, n_sites),
        KOKKOS_LAMBDA(std::int64_t site, int& n, bool is_final) {
          auto const cell         = site / 4;
          auto const face         = site % 4;
          std::int64_t const at[] = {cell / cells[2] / cells[1],
                                     cell / cells[2] % cells[1],
                                     cell % cells[2]};
          Vector x;
          // Atoms are at one corner and at the centers of three faces.
          for (int axis = 0; axis < 3; ++axis) {
            bool const is_half = face != 0 && face - 1 != axis;
            x[axis]            = rounded(
                           (static_cast<double>(at[axis]) + (is_half ? 0.75 : 0.25)) *
                           side);
          }
          if (boxes.owner(x) != me) return;
          if (is_final && n < to.x.extent_int(0)) {
            to.id(n)    = site;
            auto random = static_cast<std::uint64_t>(site / 2);
            for (int axis = 0; axis < 3; ++axis) {
              random = mixed(random);
              double const v =
                  static_cast<double>(random >> 11) * 0x1p-53 - 0.5;
              to.x(n, axis) = x[axis];
              to.v(n, axis) = rounded(site % 2 == 0 ? speed * v : -speed * v);
            }
          }
          ++n;
        },
        atoms.n_owned);
    has_room = atoms.n_owned <= atoms.x.extent_int(0);
    atoms.make_room(atoms.n_owned);
  }
}

/// Advances velocities by half a step, using the kicks, then positions by a
/// step of `dt`.
inline void move(Exec const& exec, Atoms const& atoms, double dt) {
  Kokkos::parallel_for(
      "molecules: move", Kokkos::RangePolicy<Exec>(exec, 0, atoms.n_owned),
      KOKKOS_LAMBDA(int i) {
        for (int axis = 0; axis < 3; ++axis) {
          atoms.v(i, axis) += atoms.kicks(i, axis);
          atoms.x(i, axis) += rounded(atoms.v(i, axis) * dt);
        }
      });
}
/// Advances velocities by the other half of the step.
inline void finish_velocities(Exec const& exec, Atoms const& atoms) {
  Kokkos::parallel_for(
      "molecules: finish velocities",
      Kokkos::RangePolicy<Exec>(exec, 0, atoms.n_owned), KOKKOS_LAMBDA(int i) {
        for (int axis = 0; axis < 3; ++axis)
          atoms.v(i, axis) += atoms.kicks(i, axis);
      });
}

/// The number of atoms that are more than `most` away from their old positions.
inline int n_far_from(Vectors const& old, Atoms const& atoms, double most) {
  int n_far = 0;
  Kokkos::parallel_reduce(
      "molecules: far atoms", Kokkos::RangePolicy<Exec>(0, atoms.n_owned),
      KOKKOS_LAMBDA(int i, int& n) {
        double square = 0;
        for (int axis = 0; axis < 3; ++axis) {
          double const d = atoms.x(i, axis) - old(i, axis);
          square += d * d;
        }
        if (!(square <= most * most)) ++n;  // also true for a NaN
      },
      n_far);
  return n_far;
}

/// Moves atoms back into the periodic box, and determines the PE of each atom.
inline void wrap(Exec const& exec, Atoms const& atoms,
                 Decomposition const& boxes, Kokkos::View<int*> const& owners) {
  Kokkos::parallel_for(
      "molecules: wrap", Kokkos::RangePolicy<Exec>(exec, 0, atoms.n_owned),
      KOKKOS_LAMBDA(int i) {
        Vector x;
        for (int axis = 0; axis < 3; ++axis) {
          x[axis]          = boxes.wrapped(atoms.x(i, axis), axis);
          atoms.x(i, axis) = x[axis];
        }
        owners(i) = boxes.owner(x);
      });
}

/// The ghosts that a PE sends, sorted by direction.
struct Exports {
  int n = 0;
  Kokkos::View<int*> atoms{"exported atoms", 0};
  Kokkos::View<int*> pes{"their PEs", 0};
  Kokkos::View<Vector*> shifts{"their shifts", 0};
  /// The first export in each direction.
  Kokkos::View<int*, Kokkos::SharedHostPinnedSpace> firsts{"firsts", 0};
};

/// For each direction, exports the PE's atoms that are nearer than `range` to
/// the face, edge or corner of the PE's box in that direction.
inline void find_exports(Exports& exports, Atoms const& atoms,
                         Kokkos::View<Direction const*> const& directions,
                         Vector const& lower, Vector const& upper,
                         double range) {
  int const n_owned = atoms.n_owned;
  Kokkos::realloc(exports.firsts, directions.extent(0));
  for (bool has_room = false; !has_room;) {
    auto const to = exports;
    exports.n     = 0;
    Kokkos::parallel_scan(
        "molecules: exports",
        Kokkos::RangePolicy<Exec>(0, directions.extent_int(0) * n_owned),
        KOKKOS_LAMBDA(int k, int& n, bool is_final) {
          int const d           = k / n_owned;
          int const i           = k % n_owned;
          auto const& direction = directions(d);
          if (is_final && i == 0) to.firsts(d) = n;
          for (int axis = 0; axis < 3; ++axis) {
            int const side = direction.side[axis];
            double const x = atoms.x(i, axis);
            if (side < 0 && x >= lower[axis] + range) return;
            if (side > 0 && x < upper[axis] - range) return;
          }
          if (is_final && n < to.atoms.extent_int(0)) {
            to.atoms(n)  = i;
            to.pes(n)    = direction.pe;
            to.shifts(n) = direction.shift;
          }
          ++n;
        },
        exports.n);
    has_room = exports.n <= exports.atoms.extent_int(0);
    if (has_room) continue;
    auto const room = static_cast<std::size_t>(exports.n + exports.n / 8);
    Kokkos::realloc(exports.atoms, room);
    Kokkos::realloc(exports.pes, room);
    Kokkos::realloc(exports.shifts, room);
  }
}

}  // namespace molecules

#endif
