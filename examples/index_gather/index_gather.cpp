// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

// Reads random elements of a table that is distributed over the PEs (index
// gather in bale).
//
//     mpiexec -n PES index_gather [ELEMENTS_OF_A_PE]

#include <Kokkos_Core.hpp>
#include <Kokkos_SymmetricSpace.hpp>
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>

namespace {

using Exec = Kokkos::DefaultExecutionSpace;

KOKKOS_INLINE_FUNCTION std::uint64_t mix(std::uint64_t x) {
  x = (x ^ (x >> 30U)) * 0xbf58'476d'1ce4'e5b9U;
  x = (x ^ (x >> 27U)) * 0x94d0'49bb'1331'11ebU;
  return x ^ (x >> 31U);
}

}  // namespace

int main(int argc, char* argv[]) {
  symm::ScopeGuard const guard(argc, argv);
  int const n     = argc > 1 ? std::max(std::atoi(argv[1]), 1) : 200'000;
  int const n_pes = symm::n_pes();
  int const me    = symm::my_pe();
  Exec const exec;

  // Element g of the whole table is element g / n_pes on PE g % n_pes.
  Kokkos::View<std::int64_t*, symm::SymmetricSpace> table("table", n);
  Kokkos::View<int*> pes("pes", n), indices("indices", n);
  Kokkos::View<std::int64_t*> values("values", n);
  Kokkos::parallel_for(
      "fill", Kokkos::RangePolicy<Exec>(exec, 0, n), KOKKOS_LAMBDA(int k) {
        table(k)     = -(std::int64_t{k} * n_pes + me);
        auto const g = mix(std::uint64_t(me + 1) << 32U | unsigned(k)) %
                       (std::uint64_t(n) * unsigned(n_pes));
        pes(k)     = static_cast<int>(g % unsigned(n_pes));
        indices(k) = static_cast<int>(g / unsigned(n_pes));
      });
  symm::barrier(exec, symm::team_world());  // all tables are filled
  exec.fence();

  Kokkos::Timer timer;
  symm::gather(exec, values, table, pes, indices);
  exec.fence();
  double const seconds = timer.seconds();
  symm::barrier_all();  // all PEs have read

  std::int64_t n_wrong = 0;
  Kokkos::parallel_reduce(
      "check", Kokkos::RangePolicy<Exec>(exec, 0, n),
      KOKKOS_LAMBDA(int k, std::int64_t& sum) {
        if (values(k) != -(std::int64_t{indices(k)} * n_pes + pes(k))) ++sum;
      },
      n_wrong);
  n_wrong = symm::reduce(symm::team_world(), n_wrong, symm::Sum{});
  if (me == 0) {
    std::printf("index_gather: %.1f million elements a second of a PE: %s\n",
                n / seconds / 1e6, n_wrong == 0 ? "correct" : "WRONG");
  }
  return n_wrong == 0 ? 0 : 1;
}
