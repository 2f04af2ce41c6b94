// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

// Every PE (a process of the job) stores a number in its own View and reads the
// numbers of all others, without messages.

#include <Kokkos_Core.hpp>
#include <Kokkos_SymmetricSpace.hpp>
#include <cstdio>

namespace {

// The number that PE `pe` stores; different for every PE.
KOKKOS_INLINE_FUNCTION int greeting_of(int pe) { return 100 + 7 * pe; }

// Returns the number of PEs whose number this PE read incorrectly.
int greet() {
  Kokkos::DefaultExecutionSpace const exec;
  int const me    = symm::my_pe();
  int const n_pes = symm::n_pes();

  // Collective: every PE gets its own View, at the same place in its heap.
  Kokkos::View<int, symm::SymmetricSpace> greeting("greeting");
  Kokkos::deep_copy(exec, greeting, greeting_of(me));
  symm::barrier_all(exec);  // every PE has stored its number

  auto const everywhere = symm::global_view(greeting);
  int wrong             = 0;
  Kokkos::parallel_reduce(
      "read all greetings", Kokkos::RangePolicy(exec, 0, n_pes),
      KOKKOS_LAMBDA(int pe, int& sum) {
        if (everywhere.is_near(pe) && everywhere(pe) != greeting_of(pe)) ++sum;
      },
      wrong);
  // If there are PEs on other nodes, messages reach them.
  for (int pe = 0; pe < n_pes; ++pe)
    if (!symm::is_near(pe) && symm::g(greeting.data(), pe) != greeting_of(pe))
      ++wrong;

  std::printf("Hello from PE %d of %d: %d of %d greetings are right\n", me,
              n_pes, n_pes - wrong, n_pes);
  return wrong;
}

}  // namespace

int main(int argc, char* argv[]) {
  symm::ScopeGuard const guard(argc, argv);  // MPI, Kokkos, symmetric heap
  return greet() == 0 ? 0 : 1;
}
