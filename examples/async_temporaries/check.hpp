// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

#ifndef SYMM_EXAMPLES_ASYNC_TEMPORARIES_CHECK_HPP
#define SYMM_EXAMPLES_ASYNC_TEMPORARIES_CHECK_HPP

#include <Kokkos_Core.hpp>
#include <Kokkos_SymmetricSpace.hpp>
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>

#include "plane.hpp"
#include "wave.hpp"

namespace async_temporaries {

/// A comparison of two results, on one PE or on all PEs.
struct Check {
  double error           = 0;  ///< largest difference from the known solution
  std::uint64_t differ   = 0;  ///< number of values that are not bitwise equal
  std::uint64_t checksum = 0;  ///< over the bits of all values, each with its
                               ///< own weight

  /// Adds the comparison for one tracer.
  void add(int tracer, Rows const& rows, Wave const& expected, Field const& a,
           Field const& b) {
    auto const u = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace{}, a);
    auto const v = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace{}, b);
    auto const size = static_cast<std::uint64_t>(rows.size);
    for (int i = 0; i < rows.count(); ++i) {
      int const row = rows.first() + i;
      auto number   = (static_cast<std::uint64_t>(tracer) * size +
                     static_cast<std::uint64_t>(row)) *
                    size;
      for (int j = 0; j < rows.size; ++j, ++number) {
        double const value = u(i, j + 1);
        double distance    = std::abs(value - expected(row, j));
        if (std::isnan(distance))
          distance = std::numeric_limits<double>::infinity();
        error           = std::max(error, distance);
        auto const bits = Kokkos::bit_cast<std::uint64_t>(value);
        checksum += bits * (2 * number + 1);
        if (bits != Kokkos::bit_cast<std::uint64_t>(v(i, j + 1))) ++differ;
      }
    }
  }

  /// Combines the comparisons of all PEs, on every PE. Collective.
  Check over_pes() const {
    auto const world = symm::team_world();
    return {symm::reduce(world, error, symm::Max{}),
            symm::reduce(world, differ, symm::Sum{}),
            symm::reduce(world, checksum, symm::Sum{})};
  }
};

}  // namespace async_temporaries

#endif
