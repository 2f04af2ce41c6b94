// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_TEAMS_HPP
#define SYMM_TEAMS_HPP

#include <span>
#include <utility>

#include "base/Function.hpp"
#include "base/Types.hpp"
#include "groups/Group.hpp"
#include "groups/ThisBlock.hpp"
#include "memory/HeapMap.hpp"
#include "teams/PeTeam.hpp"
#include "teams/TeamSync.hpp"

/// PE teams (class PeTeam, teams/PeTeam.hpp), their barriers, and splitting.
namespace symm {

/// All PEs. Local.
/// \throws UsageError on this PE, before initialize() and after finalize().
[[nodiscard]] PeTeam team_world();

/// The PEs of this node, which reach each other's memory by loads and stores.
/// Local.
/// \throws UsageError on this PE, before initialize() and after finalize().
[[nodiscard]] PeTeam team_node();

/// The number in `to` of the PE that is member `pe` of `from`; -1, if `from` or
/// `to` has no such PE or is no team. Local.
[[nodiscard]] Pe team_translate(PeTeam const& from, Pe pe, PeTeam const& to);

/// symm::ptr() of member `pe` of `team` (OpenSHMEM 1.6, shmem_team_ptr). Local.
/// \returns null as ptr(), and if `team` has no such PE or is no team.
[[nodiscard]] void* team_ptr(PeTeam const& team, void const* address,
                             Pe pe) noexcept;

/// The same for a typed pointer.
template <class T>
[[nodiscard]] T* team_ptr(PeTeam const& team, T* address, Pe pe) noexcept {
  return static_cast<T*>(team_ptr(team, static_cast<void const*>(address), pe));
}

// Barriers of PE teams. sync() waits until all PEs of the team have called;
// barrier() also orders: what they wrote before is visible to all of them
// afterwards (OpenSHMEM 1.5, 9.11).
//
// In kernels all threads of one thread group of each PE call; the barrier
// orders what the group and earlier kernels have written. The kernels of all
// PEs must be able to run: PEs that share a GPU take turns of milliseconds. For
// PEs of other nodes, a thread of the host helps the kernel.
//
// The host waits as in wait_until(). Its reports name the operation, the PE
// team and the missing PEs. The job ends, too, if a missing PE waits in
// finalize(): it has left early.

/// In a kernel: all threads of one thread group of every PE call.
template <Impl::ThreadGroup Threads>
SYMM_INLINE_FUNCTION void barrier(Threads const& threads, PeTeam const& team) {
  Impl::meet_in_kernel(Impl::group_of(threads), team, [&](auto const& group) {
    Impl::barrier_of(group, team, "symm::barrier");
  });
}
/// barrier() without the order; at present it orders, too.
template <Impl::ThreadGroup Threads>
SYMM_INLINE_FUNCTION void sync(Threads const& threads, PeTeam const& team) {
  Impl::meet_in_kernel(Impl::group_of(threads), team, [&](auto const& group) {
    Impl::barrier_of(group, team, "symm::sync");
  });
}

/// Collective over `team`, on the host.
/// \throws UsageError on every PE of the team, if a PE is in another collective
///         operation of it (barrier() and sync() count as the same); on this
///         PE, if `team` is no team.
void barrier(PeTeam const& team);

/// The same, without the order.
void sync(PeTeam const& team);

/// Collective: barrier_all() without its order.
/// \throws UsageError on every PE, if a PE is in another collective call.
void sync_all();

// Splitting PE teams (OpenSHMEM 1.5, 9.4). The functions that begin and end
// teams return when all PEs of the parent (team_split_members(): all members)
// have called. Meanwhile, no kernel may wait for another PE.

/// Collective over `parent`: the PEs that pass the same colour become a new PE
/// team, in the order of their keys, then of their numbers in `parent`.
/// \param colour below 0: this PE joins no new team.
/// \returns this PE's new team; no team if `colour` is below 0.
/// \throws UsageError on every PE of `parent`, if they make different calls; on
///         this PE, if `parent` is no team.
/// \throws OutOfMemory on every PE of `parent`, if none of the 61 slots for
///         teams is free on all PEs of a new team, or a PE has no private
///         memory left; nothing changes.
/// \throws SystemError on every PE of `parent`; nothing changes.
[[nodiscard]] PeTeam team_split(PeTeam const& parent, int colour, int key);

/// Collective over `parent`, with equal arguments: the members first, first +
/// stride, ... become a new PE team (shmem_team_split_strided).
/// \returns the new team; no team on the other PEs.
/// \throws UsageError on every PE of `parent`, if the arguments differ or name
///         a PE that is not there or one twice, or `count` is below 1; else as
///         team_split().
[[nodiscard]] PeTeam team_split_strided(PeTeam const& parent, Pe first,
                                        int stride, int count);

/// Collective over `parent`, with equal arguments: arranges its PEs as rows of
/// `x_range` PEs, of which the last may be shorter (shmem_team_split_2d).
/// \returns the PE teams of this PE's row and of its column.
/// \throws UsageError on every PE of `parent`, if `x_range` differs or is below
///         1; else as team_split().
[[nodiscard]] std::pair<PeTeam, PeTeam> team_split_2d(PeTeam const& parent,
                                                      int x_range);

/// Collective over the members, which alone call, with equal lists: they become
/// a new PE team, in the order of the list. (As MPI_Comm_create_group; not in
/// OpenSHMEM.) The other PEs of `parent` know nothing of it, and may be in any
/// call. Calls that have several members in common come in the same order on
/// all of these.
/// \param members numbers in `parent`, each once.
/// \returns the new team; no team, at once, on a PE that is not in its list.
/// \throws UsageError on every member, if the lists or the calls differ in two
///         that wait for each other (a member waits as in wait_until() for
///         those in its list that do not call); on this PE, if its list names
///         a PE that is not there or one twice, or `parent` is no team.
/// \throws OutOfMemory, SystemError on every member, as team_split().
[[nodiscard]] PeTeam team_split_members(PeTeam const& parent,
                                        std::span<Pe const> members);

/// Collective over `team`: ends it and makes `team` no team. No PE may use
/// copies of it afterwards. First waits for the kernels of this PE, which may
/// still use it.
/// \throws UsageError on every PE of the team, if a PE is in another collective
///         operation of it; on this PE, if it is no team, destroyed already,
///         team_world() or team_node().
/// \throws SystemError on this PE, if its kernels have failed; the team has
///         ended nevertheless.
void team_destroy(PeTeam& team);

}  // namespace symm

#endif
