// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

#ifndef SYMM_EXAMPLES_HEAT3D_SINE_MODE_HPP
#define SYMM_EXAMPLES_HEAT3D_SINE_MODE_HPP

#include <Kokkos_Core.hpp>
#include <heat3d_common/decomposition.hpp>

namespace heat3d {

/// The weights of the 7-point update.
struct Stencil {
  double center;
  double x, y, z;
};

/// The problem and its exact solutions. u = sin(mx pi x) sin(my pi y) sin(mz pi
/// z) keeps its shape both under the heat equation and under the 7-point
/// update, because it is an eigenvector of both Laplacians. Only its amplitude
/// decays, at slightly different rates. So the result can be checked to
/// rounding errors, not just to the accuracy of the discretization.
class SineMode {
 public:
  SineMode(Triple const& size, Triple const& modes);

  /// The time step: 0.9 times the largest stable one.
  double dt() const { return m_dt; }
  Stencil const& stencil() const { return m_stencil; }

  /// The amplitude after `steps` time steps; it is 1 at the start.
  double continuous_amplitude(int steps) const;
  double discrete_amplitude(int steps) const;

  /// The largest root-mean-square difference between the computed cells and the
  /// discrete solution that rounding can cause.
  double rounding_bound(int steps) const;

 private:
  double decay_of(Triple const& modes) const;

  Triple m_size;
  Triple m_modes;
  double m_dt;
  Stencil m_stencil;
  double m_decay;  ///< discrete amplitude after one step
};

/// The sine mode over one PE's View, including ghost layers. The sine along
/// each axis is tabulated, because computing a sine costs more than an update.
class SineTable {
 public:
  SineTable(Triple const& size, Triple const& modes, Box const& box);

  KOKKOS_FUNCTION double operator()(int i, int j, int k) const {
    return m_sines[0](i) * m_sines[1](j) * m_sines[2](k);
  }

 private:
  Kokkos::View<double const*> m_sines[3];
};

}  // namespace heat3d

#endif
