// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

// Every PE writes its number into the View of the next PE.

#include <Kokkos_Core.hpp>
#include <Kokkos_SymmetricSpace.hpp>

#include <cstdio>

int main(int argc, char* argv[]) {
  symm::ScopeGuard guard(argc, argv);
  int const me    = symm::my_pe();
  int const n_pes = symm::n_pes();

  Kokkos::View<int*, symm::SymmetricSpace> numbers("numbers", 10);
  auto next = symm::peer_view(numbers, (me + 1) % n_pes);
  symm::barrier_all();
  Kokkos::deep_copy(next, me);
  Kokkos::fence();
  symm::barrier_all();

  int const previous = (me + n_pes - 1) % n_pes;
  int wrong          = 0;
  Kokkos::parallel_reduce(
      numbers.extent_int(0),
      KOKKOS_LAMBDA(int i, int& count) { count += numbers(i) != previous; },
      wrong);
  if (wrong != 0) std::printf("PE %d: %d wrong values\n", me, wrong);
  return wrong == 0 ? 0 : 1;
}
