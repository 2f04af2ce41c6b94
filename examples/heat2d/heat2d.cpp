// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

// The 2-D heat equation on a plate whose rows are distributed over the PEs. The
// plate is a symm::DistributedView, so the program uses the plate's global
// indices. PE 0 gets the result as one View and checks it.
//
//     mpiexec -n PES heat2d [ROWS]

#include <Kokkos_Core.hpp>
#include <Kokkos_SymmetricContainers.hpp>
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <utility>

namespace {

using Exec = Kokkos::DefaultExecutionSpace;
using Rows = Kokkos::View<double**, Kokkos::LayoutRight, symm::SymmetricSpace>;
using OnePlate = Kokkos::View<double**, Kokkos::LayoutRight, Kokkos::HostSpace>;
using Plate    = symm::DistributedView<Rows>;
using Around   = symm::RowsAround<Plate>;
using Cells =
    Kokkos::MDRangePolicy<Exec, Kokkos::Rank<2>, Kokkos::IndexType<long>>;

constexpr long columns = 30;
constexpr int steps    = 40;

// A mode that keeps its shape under the update and shrinks by a known factor.
// Cells around the plate are 0.
KOKKOS_INLINE_FUNCTION double mode(long i, long j, long rows) {
  constexpr double pi = 3.14159265358979323846;
  return Kokkos::sin(pi * static_cast<double>(i + 1) /
                     static_cast<double>(rows + 1)) *
         Kokkos::sin(pi * static_cast<double>(j + 1) / (columns + 1));
}
double factor(long rows) {
  constexpr double pi = 3.14159265358979323846;
  return 0.5 * (std::cos(pi / static_cast<double>(rows + 1)) +
                std::cos(pi / (columns + 1)));
}

// Called by all PEs.
void solve(Plate& u, Plate& next) {
  Exec const exec;
  auto const n = static_cast<long>(u.extent(0));
  // This PE's rows, in the plate's global indices.
  auto const first = static_cast<long>(u.first());
  Cells const mine(exec, {first, 0L}, {static_cast<long>(u.end()), columns});

  auto const start = u.local();
  Kokkos::parallel_for(
      "start", mine,
      KOKKOS_LAMBDA(long i, long j) { start(i - first, j) = mode(i, j, n); });
  Around around(u, 1), around_next(next, 1);  // with the rows next to mine
  for (int step = 0; step < steps; ++step) {
    symm::barrier_all(exec);
    around.update(exec);  // rows on other nodes
    auto const here  = around;
    auto const there = next.local();
    Kokkos::parallel_for(
        "step", mine, KOKKOS_LAMBDA(long i, long j) {
          double sum = 0;
          if (i > 0) sum += here(i - 1, j);  // on whichever PE it is
          if (i + 1 < n) sum += here(i + 1, j);
          if (j > 0) sum += here(i, j - 1);
          if (j + 1 < columns) sum += here(i, j + 1);
          there(i - first, j) = 0.25 * sum;
        });
    std::swap(u, next);
    std::swap(around, around_next);
  }
  exec.fence();
}

// The largest error, which must come from rounding only.
double largest_error(OnePlate const& plate, long rows) {
  double const shrunk = std::pow(factor(rows), steps);
  double error        = 0;
  for (long i = 0; i < rows; ++i)
    for (long j = 0; j < columns; ++j)
      error =
          std::max(error, std::abs(plate(i, j) - shrunk * mode(i, j, rows)));
  return error;
}

int run(long rows) {
  Plate u("u", rows, columns), next("next", rows, columns);
  solve(u, next);

  bool const is_first = symm::my_pe() == 0;
  OnePlate const plate("plate", is_first ? rows : 0, columns);
  symm::gather(plate, u, 0);
  if (!is_first) return 0;
  double const error  = largest_error(plate, rows);
  bool const is_right = error < 1e-14;
  std::printf("heat2d: %ld x %ld cells, %d PEs, error %.1e: %s\n", rows,
              columns, symm::n_pes(), error, is_right ? "correct" : "WRONG");
  return is_right ? 0 : 1;
}

}  // namespace

int main(int argc, char* argv[]) {
  symm::ScopeGuard const guard(argc, argv);
  try {
    return run(argc > 1 ? std::atol(argv[1]) : 40);
  } catch (std::exception const& error) {
    std::fprintf(stderr, "heat2d: PE %d: %s\n", symm::my_pe(), error.what());
    symm::global_exit(1);
  }
}
