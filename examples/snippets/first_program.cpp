// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

// The program in README.md.

// [first
#include <Kokkos_Core.hpp>
#include <Kokkos_SymmetricSpace.hpp>
#include <cstdio>

int main(int argc, char* argv[]) {
  symm::ScopeGuard guard(argc, argv);  // MPI, Kokkos and the symmetric heap
  int const n     = 64;
  int const me    = symm::my_pe();
  int const right = (me + 1) % symm::n_pes();
  int const left  = (me + symm::n_pes() - 1) % symm::n_pes();

  // A View of this shape on every PE.
  Kokkos::View<double**, symm::SymmetricSpace> u("u", n, n);

  // Write to my right neighbor's first row.
  auto everywhere = symm::remote_view(u);  // everywhere(pe, i, j)
  Kokkos::parallel_for(
      n, KOKKOS_LAMBDA(int j) { everywhere(right, 0, j) = me + j; });
  symm::barrier_all(Kokkos::DefaultExecutionSpace{});  // all PEs have written

  // My own first row contains what my left neighbor wrote.
  int wrong = 0;
  Kokkos::parallel_reduce(
      n,
      KOKKOS_LAMBDA(int j, int& sum) {
        if (u(0, j) != left + j) ++sum;
      },
      wrong);
  std::printf("PE %d of %d: %d of %d elements from PE %d are right\n", me,
              symm::n_pes(), n - wrong, n, left);
  return wrong == 0 ? 0 : 1;
}
// first]
