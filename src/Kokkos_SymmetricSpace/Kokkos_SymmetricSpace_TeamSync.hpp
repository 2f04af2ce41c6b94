// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef KOKKOS_SYMMETRICSPACE_TEAMSYNC_HPP
#define KOKKOS_SYMMETRICSPACE_TEAMSYNC_HPP

#include <cstddef>
#include <cstdint>

#include <Kokkos_Core.hpp>
#include <Kokkos_SymmetricSpace_Copy.hpp>
#include <Kokkos_SymmetricSpace_Ordering.hpp>
#include <Kokkos_SymmetricSpace_PeTeam.hpp>
#include <Kokkos_SymmetricSpace_Waiting.hpp>

#include "../runtime/symm_pes.hpp"

namespace symm {

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

/// Whether execution spaces like it run on this host.
template <class ExecutionSpace>
inline constexpr bool is_host_execution_space_v =
    Kokkos::SpaceAccessibility<ExecutionSpace, Kokkos::HostSpace>::accessible;

/// Waits until all members have reached `epoch`; the host's.
void wait_for_members(char const* call, PeTeam const& team,
                      std::uint64_t epoch);

/// A barrier. Calls before_flag(pe of the world, epoch) for every member before
/// that can see this PE's flag.
/// \param call for the host's messages, such as "symm::barrier".
/// \returns its epoch.
template <class Group, class BeforeFlag>
KOKKOS_INLINE_FUNCTION std::uint64_t synchronise(
    Group const& group, PeTeam const& team, [[maybe_unused]] char const* call,
    BeforeFlag const& before_flag) {
  PeTeamWords const words = team.words();
  Pe const me             = team.my_pe();
  auto const n            = static_cast<std::size_t>(team.n_pes());
  // Only this PE's collective calls use it, one after the other.
  std::uint64_t const epoch = *words.epoch() + 1;
  group.barrier();  // all threads have read it, and written what they had to
  group.for_each(n, [&](std::size_t i) {
    Pe const pe = team.world_pe(static_cast<Pe>(i));
    before_flag(pe, epoch);
    // After all that the group has written, as far as the barrier above tells
    // this thread of it.
    store_release(words.flag(pe, me), epoch);
  });
  KOKKOS_IF_ON_HOST((wait_for_members(call, team, epoch);))
  KOKKOS_IF_ON_DEVICE(
      (std::uint64_t const* const flags = words.flag(words.map.my_pe, 0);
       group.for_each(n, [&](std::size_t i) {
         wait_until(flags + i, Compare::ge, epoch);
       });))
  group.for_each(1, [&](std::size_t) { *words.epoch() = epoch; });
  group.barrier();
  return epoch;
}

/// A barrier in which every PE passes a word to all others.
/// \returns its epoch: team.words().passed(own PE, member, epoch) is what
///          `member` passed, until this PE begins the next.
template <class Group>
KOKKOS_INLINE_FUNCTION std::uint64_t exchange_word(Group const& group,
                                                   PeTeam const& team,
                                                   char const* call,
                                                   std::uint64_t word) {
  return synchronise(group, team, call, [&](Pe pe, std::uint64_t epoch) {
    store_relaxed(team.words().passed(pe, team.my_pe(), epoch), word);
  });
}

/// What PEs pass in the host's barriers; the first word of any other call is
/// another.
inline constexpr std::uint64_t word_of_barrier = 0;

/// In a kernel, or on the host with OneThread: as barrier(team), but nobody
/// looks whether the others are in a barrier. In kernels no word goes along,
/// for which the flag would wait, twice as long as without; on the host one
/// does, for those who look.
template <class Group>
KOKKOS_INLINE_FUNCTION void barrier_of(Group const& group, PeTeam const& team,
                                       char const* call) {
  KOKKOS_IF_ON_HOST((exchange_word(group, team, call, word_of_barrier);))
  KOKKOS_IF_ON_DEVICE(
      (synchronise(group, team, call, [](Pe, std::uint64_t) {});))
}

/// Whether all members have passed `mine`, which is this PE's word `which`;
/// the host's.
[[nodiscard]] inline bool is_equal_on_all(PeTeam const& team,
                                          std::uint64_t epoch,
                                          std::size_t which,
                                          std::uint64_t mine) {
  auto const words = team.words();
  bool is_equal    = true;
  for (Pe pe = 0; pe < team.n_pes(); ++pe) {
    is_equal =
        is_equal && *words.passed(words.map.my_pe, pe, epoch, which) == mine;
  }
  return is_equal;
}

/// A barrier of the host's calls with that word.
/// \throws UsageError on every PE of the team, if a PE is in another call.
void meet(char const* call, PeTeam const& team, std::uint64_t word);

/// In a kernel: all threads of one thread group of every PE call.
template <ThreadGroup Threads>
KOKKOS_INLINE_FUNCTION void barrier(Threads const& threads,
                                    PeTeam const& team) {
  barrier_of(group_of(threads), team, "symm::barrier");
}
/// At present it orders, too.
template <ThreadGroup Threads>
KOKKOS_INLINE_FUNCTION void sync(Threads const& threads, PeTeam const& team) {
  barrier_of(group_of(threads), team, "symm::sync");
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
inline void sync_all() { barrier_all(); }

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
