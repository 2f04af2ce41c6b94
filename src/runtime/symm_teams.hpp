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

/// PE teams (class PeTeam in teams/PeTeam.hpp), their barriers, and the
/// functions that split them.
namespace symm {

/// Returns the PE team of all PEs. The call is local.
/// \throws UsageError on this PE before initialize() and after finalize().
[[nodiscard]] PeTeam team_world();

/// Returns the PE team of the PEs on this node, which can reach each other's
/// memory with loads and stores. The call is local.
/// \throws UsageError on this PE before initialize() and after finalize().
[[nodiscard]] PeTeam team_node();

/// Translates member number `pe` of `from` to the same PE's number in `to`.
/// Returns -1 if there is no such PE in `from` or `to`, or if either is not a
/// PE team. The call is local.
[[nodiscard]] Pe team_translate(PeTeam const& from, Pe pe, PeTeam const& to);

/// Returns symm::ptr() for member `pe` of `team` (OpenSHMEM 1.6,
/// shmem_team_ptr). The call is local.
/// \returns null if ptr() returns null, and also if `team` has no member `pe`
///          or is not a valid PE team.
[[nodiscard]] void* team_ptr(PeTeam const& team, void const* address,
                             Pe pe) noexcept;

/// team_ptr() for a typed pointer.
template <class T>
[[nodiscard]] T* team_ptr(PeTeam const& team, T* address, Pe pe) noexcept {
  return static_cast<T*>(team_ptr(team, static_cast<void const*>(address), pe));
}

// Barriers for PE teams. sync() waits until all PEs of the PE team have called
// it. barrier() also orders memory accesses: after a barrier, all of these PEs
// see everything that any of them wrote before it (OpenSHMEM 1.5, 9.11).
//
// In kernels, all threads of one thread group on each PE make the call; the
// barrier orders the writes by the thread group and by earlier kernels. All
// PEs' kernels must be able to run. PEs that share a GPU take turns on it, and
// each turn lasts milliseconds. For PEs on other nodes, a host thread assists
// the kernel.
//
// The host waits as in wait_until(). The reports name the operation, the PE
// team and the missing PEs. The job also ends if a missing PE is waiting in
// finalize(), since that PE can no longer arrive.

/// A barrier in a kernel. All threads of one thread group on every PE make the
/// call.
template <Impl::ThreadGroup Threads>
SYMM_INLINE_FUNCTION void barrier(Threads const& threads, PeTeam const& team) {
  Impl::check::meet_in_kernel(Impl::group_of(threads), team,
                              [&](auto const& group) {
                                Impl::barrier_of(group, team, "symm::barrier");
                              });
}
/// Like barrier(), but not guaranteed to order memory accesses. (The current
/// implementation orders them nonetheless.)
template <Impl::ThreadGroup Threads>
SYMM_INLINE_FUNCTION void sync(Threads const& threads, PeTeam const& team) {
  Impl::check::meet_in_kernel(
      Impl::group_of(threads), team,
      [&](auto const& group) { Impl::barrier_of(group, team, "symm::sync"); });
}

/// A barrier on the host. The call is collective over `team`.
/// \throws UsageError on every PE of the PE team if any PE is in a different
///         collective operation of that PE team (barrier() and sync() count as
///         the same); on this PE if `team` is not a PE team.
void barrier(PeTeam const& team);

/// Like the host's barrier(team), but does not order memory accesses.
void sync(PeTeam const& team);

/// Like barrier_all(), but does not order memory accesses. The call is
/// collective.
/// \throws UsageError on every PE if any PE is in a different collective call.
void sync_all();

// Splitting PE teams (OpenSHMEM 1.5, 9.4). The functions that create and
// destroy PE teams return when all PEs of the parent have made the call (for
// team_split_members(): all members). Until then, no kernel may wait for
// another PE.

/// Splits a PE team by color. The call is collective over `parent`: the PEs
/// that pass the same color become a new PE team, ordered by key, then by
/// number in `parent`.
/// \param color if less than 0, this PE joins no new PE team.
/// \returns this PE's new PE team; an invalid PeTeam if `color` is less than 0.
/// \throws UsageError on every PE of `parent` if these PEs make different
///         calls; on this PE if `parent` is not a PE team.
/// \throws OutOfMemory on every PE of `parent` if none of the 61 PE team slots
///         is free on all PEs of a new PE team, or if any PE runs out of
///         private memory. In these cases, nothing changes.
/// \throws SystemError on every PE of `parent`, in which case nothing changes.
[[nodiscard]] PeTeam team_split(PeTeam const& parent, int color, int key);

/// Creates a PE team of `count` members of `parent`, `stride` apart. The call
/// is collective over `parent`, with the same arguments on every PE: the
/// members `first`, `first + stride`, ... become a new PE team
/// (shmem_team_split_strided).
/// \returns the new PE team on its members; an invalid PeTeam on the other PEs.
/// \throws UsageError on every PE of `parent` if the arguments differ, name a
///         PE that does not exist or the same PE twice, or if `count` is less
///         than 1; otherwise as team_split() does.
[[nodiscard]] PeTeam team_split_strided(PeTeam const& parent, Pe first,
                                        int stride, int count);

/// Splits a PE team into rows and columns. The call is collective over
/// `parent`, with the same arguments on every PE: it arranges the PEs of
/// `parent` in rows of `x_range` PEs. The last row may be shorter
/// (shmem_team_split_2d).
/// \returns the PE teams of this PE's row and column.
/// \throws UsageError on every PE of `parent` if `x_range` differs between PEs
///         or is less than 1; otherwise as team_split() does.
[[nodiscard]] std::pair<PeTeam, PeTeam> team_split_2d(PeTeam const& parent,
                                                      int x_range);

/// Creates a PE team from a list of members. The call is collective over the
/// members: only they make the call, with the same list on every member. They
/// become a new PE team, in the order of the list. (Corresponds to
/// MPI_Comm_create_group; not part of OpenSHMEM.) The other PEs of `parent` do
/// not take part and may be in any other call. PEs that are members in several
/// such calls must make these calls in the same order.
/// \param members PE numbers in `parent`, each listed once.
/// \returns the new PE team. On a PE that is not in its own list, returns an
///          invalid PeTeam immediately.
/// \throws UsageError on every member if the lists or the calls differ between
///         two members that wait for each other; on this PE if its list names a
///         PE that does not exist or the same PE twice, or if `parent` is not a
///         PE team. (A member waits, as in wait_until(), for PEs in its list
///         that do not make the call.)
/// \throws OutOfMemory, SystemError on every member, as team_split() does.
[[nodiscard]] PeTeam team_split_members(PeTeam const& parent,
                                        std::span<Pe const> members);

/// Destroys a PE team. The call is collective over `team` and leaves `team`
/// invalid. Afterward, no PE may use copies of `team`. The call first waits for
/// this PE's kernels, which may still be using the PE team.
/// \throws UsageError on every PE of the PE team if any PE is in a different
///         collective operation of that PE team; on this PE if `team` is not a
///         PE team, was already destroyed, or is team_world() or team_node().
/// \throws SystemError on this PE if its kernels have failed. The PE team is
///         destroyed nevertheless.
void team_destroy(PeTeam& team);

}  // namespace symm

#endif
