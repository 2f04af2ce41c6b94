// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

#ifndef SYMM_EXAMPLES_HEAT3D_STENCIL_HPP
#define SYMM_EXAMPLES_HEAT3D_STENCIL_HPP

#include <heat3d_common/cells.hpp>
#include <heat3d_common/sine_mode.hpp>

namespace heat3d {

/// The kernels that work on one PE's own cells. `Field` is a View<double***,
/// LayoutRight, Space> with ghost layers, in any memory space. A View in the
/// symmetric space is just an ordinary View here.

/// Sets the cells of `u` to value(i, j, k).
template <class Field, class Value>
void set_cells(Field const& u, Cells const& cells, Value const& value) {
  for_each_cell(
      "heat3d: set cells", cells,
      KOKKOS_LAMBDA(int i, int j, int k) { u(i, j, k) = value(i, j, k); });
}

/// Computes the own cells after a time step from `u` and its ghost layers.
template <class Field>
struct Update {
  Field u;
  Stencil stencil;

  KOKKOS_FUNCTION double operator()(int i, int j, int k) const {
    return stencil.center * u(i, j, k) +
           stencil.x * (u(i - 1, j, k) + u(i + 1, j, k)) +
           stencil.y * (u(i, j - 1, k) + u(i, j + 1, k)) +
           stencil.z * (u(i, j, k - 1) + u(i, j, k + 1));
  }
};

/// The difference between two fields.
struct Errors {
  double largest    = 0;
  double square_sum = 0;
};

/// The difference between the own cells of `u` and `amplitude` times the sine
/// mode. If a cell is not a number, both results are infinite.
template <class Field>
Errors errors_of(Field const& u, SineTable const& sine, double amplitude,
                 Cells const& own) {
  using Policy = Kokkos::MDRangePolicy<
      Kokkos::Rank<3, Kokkos::Iterate::Right, Kokkos::Iterate::Right>>;
  Errors result;
  Kokkos::parallel_reduce(
      "heat3d: errors",
      Policy({own.begin[0], own.begin[1], own.begin[2]},
             {own.end[0], own.end[1], own.end[2]}),
      KOKKOS_LAMBDA(int i, int j, int k, double& largest, double& square_sum) {
        double error = Kokkos::abs(u(i, j, k) - amplitude * sine(i, j, k));
        if (Kokkos::isnan(error))
          error = Kokkos::Experimental::infinity_v<double>;
        largest = Kokkos::max(largest, error);
        square_sum += error * error;
      },
      Kokkos::Max<double>(result.largest),
      Kokkos::Sum<double>(result.square_sum));
  return result;
}

}  // namespace heat3d

#endif
