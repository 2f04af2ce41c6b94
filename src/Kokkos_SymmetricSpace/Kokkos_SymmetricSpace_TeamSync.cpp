// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#include <Kokkos_SymmetricSpace_TeamSync.hpp>

namespace symm {

void barrier(PeTeam const& team) {
  check_team(team, "symm::barrier");
  barrier_of(OneThread{}, team);
}

void sync(PeTeam const& team) {
  check_team(team, "symm::sync");
  barrier_of(OneThread{}, team);
}

}  // namespace symm
