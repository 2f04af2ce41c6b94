// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef KOKKOS_SYMMETRICSPACE_TEAMSYNC_HPP
#define KOKKOS_SYMMETRICSPACE_TEAMSYNC_HPP

#include <Kokkos_Core.hpp>

#include "../runtime/symm_teams.hpp"

namespace symm {

/// Whether execution spaces like it run on this host.
template <class ExecutionSpace>
inline constexpr bool is_host_execution_space_v =
    Kokkos::SpaceAccessibility<ExecutionSpace, Kokkos::HostSpace>::accessible;

#ifdef KOKKOS_ENABLE_CUDA
/// barrier(exec, team) of a valid team. \throws SystemError on this PE.
void enqueue_barrier(Kokkos::Cuda const& exec, PeTeam const& team);
#endif

/// Collective over `team`, enqueued: what is enqueued later begins when all PEs
/// of the team have got here; all that they wrote and enqueued before is
/// visible to it. The host does not wait.
/// \throws UsageError on this PE, if it is no team; SystemError on this PE, if
///         CUDA refuses.
template <class ExecutionSpace>
requires Kokkos::is_execution_space_v<ExecutionSpace>
void barrier(ExecutionSpace const& exec, PeTeam const& team) {
  if constexpr (is_host_execution_space_v<ExecutionSpace>) {
    exec.fence("symm::barrier");
    barrier(team);
  } else {
    check_team(team, "symm::barrier");
    enqueue_barrier(exec, team);
  }
}

}  // namespace symm

#endif
