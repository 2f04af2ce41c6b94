// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

#include <cmath>
#include <hydro2d_common/shock_tube.hpp>

namespace hydro2d {

double tube_density(double x, double time) {
  if (time <= 0) return x < 0.5 ? 1 : 0.125;
  // The state between the rarefaction and the shock (Toro, Riemann Solvers and
  // Numerical Methods for Fluid Dynamics, table 4.2).
  constexpr double gamma       = 1.4;
  constexpr double velocity    = 0.92745;
  constexpr double left_of     = 0.42632;  // density to the left of the contact
  constexpr double right_of    = 0.26557;
  constexpr double shock_speed = 1.75216;
  double const sound           = std::sqrt(gamma);
  double const sound_left_of   = sound - 0.5 * (gamma - 1) * velocity;
  double const xi              = (x - 0.5) / time;
  if (xi < -sound) return 1;
  if (xi < velocity - sound_left_of)
    return std::pow(2 / (gamma + 1) - (gamma - 1) / (gamma + 1) * xi / sound,
                    2 / (gamma - 1));
  if (xi < velocity) return left_of;
  return xi < shock_speed ? right_of : 0.125;
}

}  // namespace hydro2d
