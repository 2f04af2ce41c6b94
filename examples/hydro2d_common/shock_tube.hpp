// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

#ifndef SYMM_EXAMPLES_HYDRO2D_SHOCK_TUBE_HPP
#define SYMM_EXAMPLES_HYDRO2D_SHOCK_TUBE_HPP

namespace hydro2d {

/// Sod's shock tube: gas at rest, of density and pressure 1 where x < 1/2, and
/// 0.125 and 0.1 elsewhere. The shock is at the wall at this time.
constexpr double tube_ends = 0.28;

/// The exact density at a time before.
double tube_density(double x, double time);

}  // namespace hydro2d

#endif
