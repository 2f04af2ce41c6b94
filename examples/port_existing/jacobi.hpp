// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

#ifndef SYMM_EXAMPLES_PORT_EXISTING_JACOBI_HPP
#define SYMM_EXAMPLES_PORT_EXISTING_JACOBI_HPP

// The code that the steps of the port share, besides the options: the
// decomposition of the grid, the initial values, the check and the report. This
// code uses MPI and Kokkos; docs/porting.md is about the rest.

#include <mpi.h>

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <string>

#include "options.hpp"

namespace jacobi {

using CellRange = Kokkos::MDRangePolicy<
    Kokkos::Rank<2, Kokkos::Iterate::Right, Kokkos::Iterate::Right>>;

/// This PE's columns. Every PE has `width` columns, except the last PE, which
/// has the remaining columns. The first and the last column of the grid are the
/// boundary.
struct Slab {
  /// \throws UsageError on every PE if there are too many PEs.
  explicit Slab(Options const& options) : size(options.size) {
    MPI_Comm_rank(MPI_COMM_WORLD, &me);
    MPI_Comm_size(MPI_COMM_WORLD, &n_pes);
    width = (size + n_pes - 1) / n_pes;
    first = me * width;
    own   = std::min(width, size - first);
    if (size <= (n_pes - 1) * width)
      throw UsageError("--size " + std::to_string(size) + " is too small for " +
                       std::to_string(n_pes) + " PEs");
  }

  bool has_left() const { return me > 0; }
  bool has_right() const { return me + 1 < n_pes; }

  /// The rows and columns that change, in a View whose column `column_0` is my
  /// first column.
  CellRange inner(int column_0) const {
    return CellRange({1, column_0 + (has_left() ? 0 : 1)},
                     {size - 1, column_0 + own - (has_right() ? 0 : 1)});
  }

  int me;
  int n_pes;
  int size;   ///< number of rows, and of columns on all PEs together
  int width;  ///< columns on every PE but the last
  int first;  ///< global index of my first column
  int own;    ///< number of my columns
};

/// The initial value at one point of the grid. Each update multiplies it by
/// decay().
KOKKOS_INLINE_FUNCTION double sine_mode(int size, int row, int column) {
  double const h = Kokkos::numbers::pi / (size - 1);
  return Kokkos::sin(2 * h * row) * Kokkos::sin(3 * h * column);
}

inline double decay(int size) {
  double const h = Kokkos::numbers::pi / (size - 1);
  return (std::cos(2 * h) + std::cos(3 * h)) / 2;
}

/// Sets all cells except the boundary, which stays 0.
template <class Field>
void start(Field const& u, Slab const& slab, int column_0) {
  int const size  = slab.size;
  int const shift = slab.first - column_0;
  Kokkos::parallel_for(
      "jacobi: start", slab.inner(column_0),
      KOKKOS_LAMBDA(int i, int j) { u(i, j) = sine_mode(size, i, j + shift); });
}

/// Collective. Compares `u` with the exact result and prints a line that is the
/// same for all programs and any number of PEs.
/// \returns on every PE, whether the result is correct.
template <class Field>
bool report(Options const& options, Slab const& slab, Field const& u,
            int column_0, double seconds) {
  auto const cells =
      Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace{}, u);
  double const amplitude = std::pow(decay(slab.size), options.steps);

  double error           = 0;
  std::uint64_t checksum = 0;  // over the bits of all cells, each with its own
                               // weight
  for (int i = 0; i < slab.size; ++i)
    for (int j = 0; j < slab.own; ++j) {
      double const cell  = cells(i, j + column_0);
      int const column   = slab.first + j;
      auto const number  = std::int64_t{i} * slab.size + column;
      double const exact = amplitude * sine_mode(slab.size, i, column);
      double distance    = std::abs(cell - exact);
      if (std::isnan(distance))
        distance = Kokkos::Experimental::infinity_v<double>;
      error = std::max(error, distance);
      checksum += std::bit_cast<std::uint64_t>(cell) *
                  static_cast<std::uint64_t>(2 * number + 1);
    }
  MPI_Allreduce(MPI_IN_PLACE, &error, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  MPI_Allreduce(MPI_IN_PLACE, &checksum, 1, MPI_UINT64_T, MPI_SUM,
                MPI_COMM_WORLD);
  MPI_Allreduce(MPI_IN_PLACE, &seconds, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);

  // Each step rounds a few times, at values of at most 1.
  bool const is_correct = error <= 1e-15 * (options.steps + 10.0);
  if (slab.me == 0) {
    std::printf(
        "%d x %d points, %d steps: max. error %.1e, checksum %016llx: %s\n",
        slab.size, slab.size, options.steps, error,
        static_cast<unsigned long long>(checksum),
        is_correct ? "correct" : "WRONG");
    std::printf("PEs: %d, time: %.3f s\n", slab.n_pes, seconds);
  }
  return is_correct;
}

/// A complete program: options, solver, and the message about bad options.
/// \returns the exit status.
inline int run(char const* program, int argc, char const* const* argv,
               bool (*solve)(Options const& options, Slab const& slab)) {
  int me = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &me);
  try {
    auto const options = parse_options(argc, argv);
    if (!options.help) return solve(options, Slab(options)) ? 0 : 1;
    if (me == 0) std::fputs(help_text(program).c_str(), stdout);
    return 0;
  } catch (UsageError const& error) {
    if (me == 0)
      std::fprintf(stderr, "%s: %s; see --help\n", program, error.what());
    return 2;
  }
}

}  // namespace jacobi

#endif
