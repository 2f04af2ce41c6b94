// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_TEAMS_HPP
#define SYMM_TEAMS_HPP

#include <utility>

#include "base/Function.hpp"
#include "base/Types.hpp"
#include "memory/HeapMap.hpp"
#include "shmem/Group.hpp"
#include "shmem/PeTeam.hpp"
#include "shmem/TeamSync.hpp"
#include "shmem/ThisBlock.hpp"

/// PE teams (class PeTeam, shmem/PeTeam.hpp), their barriers, and teams that
/// are made of others.
namespace symm {

/// All PEs. Local.
/// \throws UsageError on this PE, before initialize() and after finalize().
[[nodiscard]] PeTeam team_world();

/// The PEs of this node, which reach each other's memory by loads and stores.
/// Local.
/// \throws UsageError on this PE, before initialize() and after finalize().
[[nodiscard]] PeTeam team_node();

/// The number in `to` of member `pe` of `from`; -1, if it is not in it, or one
/// of them is no team. Local.
[[nodiscard]] Pe team_translate(PeTeam const& from, Pe pe, PeTeam const& to);

// Barriers of PE teams. sync() waits until all PEs of the team have called;
// barrier() also orders: what they wrote before is visible to all of them
// afterwards (OpenSHMEM 1.5, 9.11). In kernels one thread group of a PE calls,
// with all its threads; what the group, and kernels before it, have written is
// written before. The kernels of all PEs must get to run: PEs that share a GPU
// take turns there, of milliseconds.
//
// On the host the waits are those of wait_until(). The reports name the
// operation, the team and the PEs that are missing. The job ends, too, if one
// of those waits in finalize(): it has left early.

// Kernels wait for PEs of other nodes, too, with the help of a thread of the
// host.

/// In a kernel: all threads of one thread group of every PE call.
template <Impl::ThreadGroup Threads>
SYMM_INLINE_FUNCTION void barrier(Threads const& threads, PeTeam const& team) {
  Impl::barrier_of(Impl::group_of(threads), team, "symm::barrier");
}
/// barrier() without the order; at present it orders, too.
template <Impl::ThreadGroup Threads>
SYMM_INLINE_FUNCTION void sync(Threads const& threads, PeTeam const& team) {
  Impl::barrier_of(Impl::group_of(threads), team, "symm::sync");
}

/// Collective over `team`; the host's.
/// \throws UsageError on every PE of the team, if a PE is in another collective
///         operation of it (barrier() and sync() are one); on this PE, if it is
///         no team.
void barrier(PeTeam const& team);

/// The same, without the order.
void sync(PeTeam const& team);

/// Collective: barrier_all() without its order.
/// \throws UsageError on every PE, if a PE is in another collective call.
void sync_all();

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
///         61 teams already, besides those of the library, or a PE has no
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
/// \throws SystemError on this PE, if its kernels have failed; the team has
///         ended nevertheless.
void team_destroy(PeTeam& team);

}  // namespace symm

#endif
