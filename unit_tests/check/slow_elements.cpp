// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

// A program without a race, in which PE 0 gets elements one by one.

#include <Kokkos_Core.hpp>
#include <Kokkos_SymmetricSpace.hpp>

int main(int argc, char* argv[]) {
  symm::ScopeGuard const guard(argc, argv);
  Kokkos::View<int*, symm::SymmetricHostSpace> const words("words", 4);
  symm::barrier_all();
  auto const remote = symm::remote_view(words);
  int sum           = 0;
  if (symm::my_pe() == 0) {
    for (int n = 0; n < 30'000; ++n) sum += remote(1, n % 4);
  }
  return sum;
}
