// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

// Starts and ends jobs in turn, for kill_in_turn.py. Prints a line for each.

#include <cstdio>
#include <exception>

#include <runtime/symm.hpp>

int main() {
  try {
    while (true) {
      symm::initialize_runtime();
      auto* const block = symm::malloc(1000);
      if (block == nullptr) throw symm::Error(symm::last_error());
      symm::barrier_all();
      symm::free(block);
      symm::finalize();
      std::puts("a job is over");
      std::fflush(stdout);
    }
  } catch (std::exception const& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}
