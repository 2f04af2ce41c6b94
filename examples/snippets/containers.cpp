// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

// What the pages show of symm::DistributedHashMap.

#include <Kokkos_Core.hpp>
#include <Kokkos_SymmetricSpace.hpp>
#include <cstdio>
#include <optional>
#include <vector>

namespace {

int solve() {
  std::vector<long> const words{3, 7, 7, 1};
  // [counts
  // How often each word occurs on all PEs.
  symm::DistributedHashMap<long, int, symm::Sum> counts("counts");
  for (long const word : words) counts.insert(word, 1);
  counts.finish();

  std::optional<int> n_sevens;  // nothing, if the key is not there
  counts.find(7, n_sevens);
  counts.finish();
  // counts]
  bool const is_right = n_sevens == 2 * symm::n_pes() && counts.size() == 3;
  int const n_wrong =
      symm::reduce(symm::team_world(), is_right ? 0 : 1, symm::Sum{});
  if (symm::my_pe() == 0)
    std::printf("containers: %s\n", n_wrong == 0 ? "correct" : "WRONG");
  return n_wrong == 0 ? 0 : 1;
}

}  // namespace

int main(int argc, char* argv[]) {
  symm::ScopeGuard const guard(argc, argv);
  return solve();
}
