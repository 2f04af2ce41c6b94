// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

// A program with a race that ends its job before finalize().

#include <Kokkos_Core.hpp>
#include <Kokkos_SymmetricSpace.hpp>

#include <runtime/symm.hpp>

int main(int argc, char* argv[]) {
  symm::ScopeGuard const guard(argc, argv);
  Kokkos::View<int*, symm::SymmetricHostSpace> const words("words", 4);
  if (symm::my_pe() == 0) symm::p(&words(2), 7, 1);
  if (symm::my_pe() == 1) words(2) = 8;
  symm::barrier_all();
  symm::global_exit(3);  // all at once
}
