// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <heat3d_common/sine_mode.hpp>
#include <limits>
#include <numbers>

namespace heat3d {
namespace {

constexpr double pi      = std::numbers::pi;
constexpr double epsilon = std::numeric_limits<double>::epsilon();

/// Returns sin(pi * numerator / denominator). The integers are reduced first,
/// so that high modes are as accurate as low modes, and the boundary is exactly
/// 0.
double sine_of_ratio(std::int64_t numerator, std::int64_t denominator) {
  bool const negative = numerator / denominator % 2 != 0;
  auto rest           = numerator % denominator;
  rest                = std::min(rest, denominator - rest);
  double const sine   = std::sin(pi * static_cast<double>(rest) /
                                 static_cast<double>(denominator));
  return negative ? -sine : sine;
}

double square(double x) { return x * x; }

}  // namespace

SineMode::SineMode(Triple const& size, Triple const& modes)
    : m_size(size), m_modes(modes) {
  // size[axis] cells lie between two boundary cells: h = 1 / (size + 1).
  double const x = square(size[0] + 1.0);
  double const y = square(size[1] + 1.0);
  double const z = square(size[2] + 1.0);

  m_dt      = 0.9 * 0.5 / (x + y + z);
  m_stencil = {1 - 2 * m_dt * (x + y + z), m_dt * x, m_dt * y, m_dt * z};
  m_decay   = decay_of(modes);
}

double SineMode::decay_of(Triple const& modes) const {
  double const weight[] = {m_stencil.x, m_stencil.y, m_stencil.z};

  double decay = 1;
  for (int axis = 0; axis < 3; ++axis)
    decay -= 4 * weight[axis] *
             square(std::sin(pi / 2 * modes[axis] / (m_size[axis] + 1.0)));
  return decay;
}

double SineMode::continuous_amplitude(int steps) const {
  double const modes =
      square(m_modes[0]) + square(m_modes[1]) + square(m_modes[2]);
  return std::exp(-square(pi) * modes * m_dt * steps);
}

double SineMode::discrete_amplitude(int steps) const {
  return std::pow(m_decay, steps);
}

// Each step adds an error of a few units in the last place of the largest cell.
// The step multiplies existing errors by at most the decay of the slowest mode,
// because the update is a symmetric matrix. The initial values have an error of
// the same size. 16 units are about twice what the operations of one update can
// add.
double SineMode::rounding_bound(int steps) const {
  double const unit = 16 * epsilon;
  double const slowest =
      std::max(std::abs(decay_of({1, 1, 1})), std::abs(decay_of(m_size)));
  double amplitude = 1;
  double bound     = unit;
  for (int step = 0; step < steps; ++step) {
    bound = slowest * bound + unit * amplitude;
    amplitude *= std::abs(m_decay);
  }
  return bound + std::numeric_limits<double>::min();
}

SineTable::SineTable(Triple const& size, Triple const& modes, Box const& box) {
  for (int axis = 0; axis < 3; ++axis) {
    Kokkos::View<double*> const sines("sines", box.extent[axis] + 2);
    auto const host = Kokkos::create_mirror_view(sines);
    for (int i = 0; i < box.extent[axis] + 2; ++i)
      host(i) = sine_of_ratio(std::int64_t{modes[axis]} * (box.begin[axis] + i),
                              size[axis] + 1);
    Kokkos::deep_copy(sines, host);
    m_sines[axis] = sines;
  }
}

}  // namespace heat3d
