// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

#ifndef SYMM_EXAMPLES_ASYNC_TEMPORARIES_WAVE_HPP
#define SYMM_EXAMPLES_ASYNC_TEMPORARIES_WAVE_HPP

#include <Kokkos_Core.hpp>
#include <cmath>
#include <complex>

namespace async_temporaries {

/// The coefficients for the exchange between a point and its four neighbors in
/// one step: wind along columns and rows, with central differences, and
/// diffusion.
struct Flow {
  double wind_x    = 0.2;
  double wind_y    = 0.15;
  double diffusion = 0.05;
};

/// A plane wave, the initial state of a tracer. A step that adds up neighbors
/// multiplies the wave by a complex number, so every later state is known.
struct Wave {
  double angle_x;  ///< from a column to the next
  double angle_y;  ///< from a row to the next
  double real = 1;
  double imag = 0;

  /// A wave that fits the periodic plane of size x size points.
  static Wave of_tracer(int number, int size) {
    double const angle = 2 * Kokkos::numbers::pi / size;
    return {angle * (1 + number % 3), angle * (1 + number % 2)};
  }

  KOKKOS_FUNCTION double operator()(int row, int column) const {
    double const angle = angle_y * row + angle_x * column;
    return real * Kokkos::cos(angle) - imag * Kokkos::sin(angle);
  }

  /// The wave after `steps` steps of four stages each.
  Wave after(int steps, Flow const& flow) const {
    std::complex<double> const z(
        2 * flow.diffusion * (std::cos(angle_x) + std::cos(angle_y) - 2),
        -2 * (flow.wind_x * std::sin(angle_x) +
              flow.wind_y * std::sin(angle_y)));
    auto const step = 1. + z * (1. + z / 2. * (1. + z / 3. * (1. + z / 4.)));
    auto const factor =
        std::complex<double>(real, imag) * std::pow(step, steps);
    return {angle_x, angle_y, factor.real(), factor.imag()};
  }
};

}  // namespace async_temporaries

#endif
