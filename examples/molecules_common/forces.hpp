// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

#ifndef SYMM_EXAMPLES_MOLECULES_FORCES_HPP
#define SYMM_EXAMPLES_MOLECULES_FORCES_HPP

#include <Kokkos_Core.hpp>
#include <Kokkos_ScatterView.hpp>
#include <cstdint>
#include <molecules_common/atoms.hpp>
#include <molecules_common/neighbors.hpp>

namespace molecules {

constexpr double cutoff = 2.5;

/// The force between a pair of atoms, divided by their distance.
/// \param square the square of the distance.
KOKKOS_INLINE_FUNCTION double force_of(double square) {
  double const inverse = 1 / square;
  double const sixth   = inverse * inverse * inverse;
  return 48 * sixth * (sixth - 0.5) * inverse;
}
/// The Lennard-Jones energy of a pair of atoms; 0 at the cutoff.
KOKKOS_INLINE_FUNCTION double energy_of(double square) {
  constexpr double at_cutoff =
      1 / (cutoff * cutoff * cutoff * cutoff * cutoff * cutoff);
  double const sixth = 1 / (square * square * square);
  return 4 * (sixth * (sixth - 1) - at_cutoff * (at_cutoff - 1));
}

/// Calls body(j, d, square) for each pair (i, j) in the list that is within the
/// cutoff.
template <class Body>
KOKKOS_FORCEINLINE_FUNCTION void for_each_pair_of(int i, Vectors const& x,
                                                  NeighborList const& list,
                                                  Body const& body) {
  double const at[] = {x(i, 0), x(i, 1), x(i, 2)};
  int const count   = list.counts(i);
  for (int n = 0; n < count; ++n) {
    int const j         = list.neighbors(i, n);
    double const d[]    = {at[0] - x(j, 0), at[1] - x(j, 1), at[2] - x(j, 2)};
    double const square = d[0] * d[0] + d[1] * d[1] + d[2] * d[2];
    if (square < cutoff * cutoff) body(j, d, square);
  }
}

/// Kicks that all threads add to. Additions are atomic unless there is only one
/// thread.
using AddedKicks = Kokkos::Experimental::ScatterView<
    double* [3], Kokkos::LayoutRight, Exec, Kokkos::Experimental::ScatterSum,
    Kokkos::Experimental::ScatterNonDuplicated>;

/// Computes the kicks of atoms and ghosts from the pairs in the list.
inline void compute_kicks(Exec const& exec, Atoms const& atoms,
                          NeighborList const& list, double dt) {
  Kokkos::deep_copy(exec, atoms.kicks, 0);
  AddedKicks const kicks(atoms.kicks);
  double const half = dt / 2;
  Kokkos::parallel_for(
      "molecules: kicks", Kokkos::RangePolicy<Exec>(exec, 0, atoms.n_owned),
      KOKKOS_LAMBDA(int i) {
        auto const access = kicks.access();
        double sum[]      = {0, 0, 0};
        for_each_pair_of(i, atoms.x, list,
                         [&](int j, double const* d, double square) {
                           double const scale = half * force_of(square);
                           for (int axis = 0; axis < 3; ++axis) {
                             double const kick = rounded(scale * d[axis]);
                             sum[axis] += kick;
                             access(j, axis) -= kick;
                           }
                         });
        for (int axis = 0; axis < 3; ++axis) access(i, axis) += sum[axis];
      });
}

/// Integers, so that sums do not depend on the number of PEs. Momentum and
/// energy are in units of 2^-40 and 2^-32, modulo 2^64.
struct Totals {
  static constexpr int size = 6;
  enum { atoms, checksum, momentum, energy = momentum + 3 };

  std::uint64_t words[size] = {};

  KOKKOS_FUNCTION Totals& operator+=(Totals const& other) {
    for (int n = 0; n < size; ++n) words[n] += other.words[n];
    return *this;
  }
};

/// Converts a multiple of 1 / scale to an integer, modulo 2^64 if negative.
KOKKOS_INLINE_FUNCTION std::uint64_t whole(double value, double scale) {
  return static_cast<std::uint64_t>(
      static_cast<std::int64_t>(Kokkos::round(value * scale)));
}

/// The totals of this PE's atoms. Precondition: the ghosts are up to date.
inline Totals totals_of(Atoms const& atoms, NeighborList const& list,
                        Decomposition const& boxes) {
  Totals result;
  Kokkos::parallel_reduce(
      "molecules: totals", Kokkos::RangePolicy<Exec>(0, atoms.n_owned),
      KOKKOS_LAMBDA(int i, Totals& totals) {
        std::uint64_t energy = 0;
        for_each_pair_of(i, atoms.x, list,
                         [&](int, double const*, double square) {
                           energy += whole(energy_of(square), 0x1p32);
                         });
        double twice_kinetic = 0;
        auto hash            = mixed(static_cast<std::uint64_t>(atoms.id(i)));
        for (int axis = 0; axis < 3; ++axis) {
          double const x = boxes.wrapped(atoms.x(i, axis), axis);
          double const v = atoms.v(i, axis);
          twice_kinetic += v * v;
          hash = mixed(hash ^ whole(x, 0x1p40));
          hash = mixed(hash ^ whole(v, 0x1p40));
          totals.words[Totals::momentum + axis] += whole(v, 0x1p40);
        }
        totals.words[Totals::atoms] += 1;
        totals.words[Totals::checksum] += hash;
        totals.words[Totals::energy] +=
            energy + whole(twice_kinetic / 2, 0x1p32);
      },
      result);
  return result;
}

}  // namespace molecules

#endif
