// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

// Sorts the particles on all PEs by cell. Most particles are in a few cells.
// Afterwards, all PEs have the same number of particles, and the particles of
// each cell are contiguous.

#include <Kokkos_Core.hpp>
#include <Kokkos_SymmetricContainers.hpp>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <utility>

namespace {

using Exec = Kokkos::DefaultExecutionSpace;

constexpr int n_cells = 1000;

// A particle's number determines the particle's cell, so the result can be
// checked.
KOKKOS_INLINE_FUNCTION int cell_of(std::int64_t particle) {
  auto const x = static_cast<std::uint64_t>(particle) * 0x9e3779b97f4a7c15U;
  return x % 3 == 0 ? 17 : static_cast<int>((x >> 32U) % n_cells);
}

// A sum over the first n particles on each PE.
std::int64_t sum_of(Exec const& exec,
                    Kokkos::View<std::int64_t*> const& particles,
                    std::size_t n) {
  std::int64_t sum = 0;
  Kokkos::parallel_reduce(
      "sum", Kokkos::RangePolicy(exec, 0, n),
      KOKKOS_LAMBDA(std::size_t k, std::int64_t & x) { x += particles(k); },
      sum);
  return symm::reduce(symm::team_world(), sum, symm::Sum{});
}

bool run() {
  Exec const exec;
  int const me = symm::my_pe(), n_pes = symm::n_pes();
  std::int64_t const first = me * std::int64_t{100'000};
  std::size_t n            = 50'000 + static_cast<std::size_t>(me) * 1000;

  Kokkos::View<int*> cells("cells", n);
  Kokkos::View<std::int64_t*> particles("particles", n);
  Kokkos::parallel_for(
      "make", Kokkos::RangePolicy(exec, 0, n), KOKKOS_LAMBDA(std::size_t k) {
        particles(k) = first + static_cast<std::int64_t>(k);
        cells(k)     = cell_of(particles(k));
      });
  auto const world      = symm::team_world();
  auto const before     = symm::reduce(world, n, symm::Sum{});
  auto const sum_before = sum_of(exec, particles, n);

  n = symm::sort(exec, cells, particles);

  // How many particles each cell has, over all PEs.
  Kokkos::View<std::int64_t*, symm::SymmetricSpace> counts("counts", n_cells);
  auto const mine =
      Kokkos::subview(cells, std::pair<std::size_t, std::size_t>(0, n));
  symm::histogram(exec, mine, counts);

  // The cells' counts determine the cell that belongs at each place.
  auto const place =
      static_cast<std::int64_t>(symm::exscan(world, n, symm::Sum{}));
  std::int64_t wrong = 0;
  auto const check   = KOKKOS_LAMBDA(std::size_t k, std::int64_t & errors) {
      if (mine(k) != cell_of(particles(k))) ++errors;
    if (k > 0 && mine(k - 1) == mine(k) && particles(k - 1) >= particles(k))
      ++errors;
  };
  Kokkos::parallel_reduce("check", Kokkos::RangePolicy(exec, 0, n), check,
                          wrong);
  auto const cells_here =
      Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), mine);
  auto const counts_here =
      Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), counts);
  std::int64_t end = 0;
  int cell         = -1;
  for (std::size_t k = 0; k < n; ++k) {
    while (place + static_cast<std::int64_t>(k) >= end)
      end += counts_here(++cell);
    if (cells_here(k) != cell) ++wrong;
  }
  auto const after = symm::reduce(world, n, symm::Sum{});
  auto const most  = symm::reduce(world, n, symm::Max{});
  wrong            = symm::reduce(world, wrong, symm::Sum{});
  bool const right = wrong == 0 && after == before &&
                     sum_of(exec, particles, n) == sum_before &&
                     most == (after + static_cast<std::size_t>(n_pes) - 1) /
                                 static_cast<std::size_t>(n_pes);
  if (me == 0) {
    std::printf("%zu particles in %d cells, %zu on a PE at most: %s\n", after,
                n_cells, most, right ? "correct" : "WRONG");
  }
  return right;
}

}  // namespace

int main(int argc, char* argv[]) {
  symm::ScopeGuard const guard(argc, argv);
  return run() ? 0 : 1;
}
