// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef KOKKOS_SYMMETRICSPACE_TEAMSPLIT_HPP
#define KOKKOS_SYMMETRICSPACE_TEAMSPLIT_HPP

#include <utility>

#include <Kokkos_SymmetricSpace_PeTeam.hpp>

#include "../runtime/base/Types.hpp"

namespace symm {

// Teams of the PEs of another team (OpenSHMEM 1.5, 9.4). All that begin and end
// teams return when all PEs of the parent have called. No kernel may wait for
// another PE meanwhile.

/// Collective over `parent`: the PEs that give one colour are a new team, in
/// the order of their keys, then of their numbers in `parent`.
/// \param colour below 0: in no new team.
/// \returns this PE's new team; no team without a colour.
/// \throws UsageError on every PE of `parent`, if they make different calls; on
///         this PE, if `parent` is no team.
/// \throws OutOfMemory on every PE of `parent`, if the PEs of a new team are in
///         62 teams already, besides the world's and the node's, or a PE has no
///         private memory left; nothing changes.
/// \throws SystemError on every PE of `parent`; nothing changes.
[[nodiscard]] PeTeam team_split(PeTeam const& parent, int colour, int key);

/// Collective over `parent`, with equal arguments: the members first, first +
/// stride, ... are a new team (shmem_team_split_strided).
/// \returns the new team; no team on the other PEs.
/// \throws UsageError on every PE of `parent`, if the arguments differ or name
///         a PE that is not there, or `count` is below 1; else as team_split().
[[nodiscard]] PeTeam team_split_strided(PeTeam const& parent, Pe first,
                                        int stride, int count);

/// Collective over `parent`, with equal arguments: its PEs as a grid of rows of
/// `x_range` PEs (the last may be shorter); the teams of this PE's row and of
/// its column (shmem_team_split_2d).
/// \throws UsageError on every PE of `parent`, if `x_range` differs or is below
///         1; else as team_split().
[[nodiscard]] std::pair<PeTeam, PeTeam> team_split_2d(PeTeam const& parent,
                                                      int x_range);

/// Collective over `team`, which no PE may use afterwards: `team` is none then.
/// Waits for the kernels of this PE, which may use it still.
/// \throws UsageError on every PE of the team, if a PE is in another collective
///         operation of it; on this PE, if it is none, destroyed, the world or
///         the node's.
void team_destroy(PeTeam& team);

}  // namespace symm

#endif
