// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

#ifndef SYMM_EXAMPLES_HYDRO2D_SHOCK_TUBE_HPP
#define SYMM_EXAMPLES_HYDRO2D_SHOCK_TUBE_HPP

namespace hydro2d {

/// The time at which the shock reaches the wall in Sod's shock tube: gas at
/// rest, with density and pressure 1 where x < 1/2, and with density 0.125 and
/// pressure 0.1 elsewhere.
constexpr double tube_ends = 0.28;

/// The exact density at a time before `tube_ends`.
double tube_density(double x, double time);

}  // namespace hydro2d

#endif
