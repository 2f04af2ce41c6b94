// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_TEAMS_SYNCHRONIZE_HPP
#define SYMM_TEAMS_SYNCHRONIZE_HPP

#include <cstddef>
#include <cstdint>

#include "../access/GroupOperations.hpp"
#include "../access/ProxyClient.hpp"
#include "../base/Function.hpp"
#include "../base/Types.hpp"
#include "../groups/Group.hpp"
#include "../memory/Words.hpp"
#include "../pes/PeTeamWords.hpp"
#include "PeTeam.hpp"

namespace symm::Impl {

// The parts of the barriers in TeamSync.hpp that only kernels and the library's
// own source files use.

/// Waits on the host until all members have reached `epoch`.
void wait_for_members(char const* call, PeTeam const& team,
                      std::uint64_t epoch);

#ifdef SYMM_FOR_DEVICE
/// Opens this PE's gate on each member, ordered after the group's writes. Also
/// decrements this PE's own gate for each member, so the next wait at that gate
/// blocks until the member has arrived, too. Precondition: the group has passed
/// a barrier since these writes.
template <Group Threads>
__device__ void pass_gates(Threads const& group, PeTeam const& team) {
  auto const words = team.words();
  Pe const me      = team.my_pe();
  auto const n     = static_cast<std::size_t>(team.n_pes());
  group.for_each(n, [&](std::size_t i) {
    auto const member = static_cast<Pe>(i);
    InKernel::change_add(words.gate(words.map.my_pe, member),
                         ~std::uint64_t{0});  // one less
    auto* const gate = words.gate(words.map.my_pe, me);
    at_copy_of(
        words.map, gate, team.world_pe(member),
        [](std::uint64_t* there) {
          fence_release();
          InKernel::change_add(there, std::uint64_t{1});
        },
        [&] {
          InKernel::far_pes().fence();
          InKernel::far_pes().post_atomic({gate, team.world_pe(member)},
                                          AtomicOp::add, WordType::u64, 1);
        });
  });
}

/// Waits until all members have reached `epoch`. Each thread waits for only
/// some of the members, so the group must pass a barrier before it proceeds.
template <Group Threads>
__device__ void wait_for_flags(Threads const& group, PeTeam const& team,
                               std::uint64_t epoch) {
  auto const words                 = team.words();
  std::uint64_t const* const flags = words.flag(words.map.my_pe, 0);
  group.for_each(static_cast<std::size_t>(team.n_pes()), [&](std::size_t i) {
    while (load_acquire(flags + i) < epoch) InKernel::help_far();
  });
}
#endif

/// The first half of a barrier: notifies all members that this PE has arrived.
/// For every member, calls before_flag(world PE number, epoch) before that
/// member can see this PE's flag.
/// \returns the epoch.
template <Group Threads, class BeforeFlag>
SYMM_INLINE_FUNCTION std::uint64_t arrive(Threads const& group,
                                          PeTeam const& team,
                                          BeforeFlag const& before_flag) {
  PeTeamWords const words = team.words();
  Pe const me             = team.my_pe();
  auto const n            = static_cast<std::size_t>(team.n_pes());
  // Only this PE's collective calls, one at a time, use the epoch.
  std::uint64_t const epoch = *words.epoch() + 1;
  group.barrier();  // all threads have now read the epoch and performed their
                    // writes
  auto const tell = [&](Pe pe) {
    before_flag(pe, epoch);
    // The barrier above orders this store after all of the group's writes.
    store_release(words.flag(pe, me), epoch);
  };
  auto const tell_all = [&](auto const& tell_one) {
    group.for_each(
        n, [&](std::size_t i) { tell_one(team.world_pe(static_cast<Pe>(i))); });
  };
#ifdef SYMM_FOR_DEVICE
  if (team.has_far_pes()) [[unlikely]] {
    // All operations on far PEs must be complete before any flag is set.
    if (group.rank() == 0) InKernel::far_pes().quiet();
    group.barrier();
    auto* const flag = words.flag(words.map.my_pe, me);
    tell_all([&](Pe pe) {
      at_pe(
          words.map, pe, [&] { tell(pe); },
          [&] {
            before_flag.far(pe, epoch);
            InKernel::far_pes().store({flag, pe}, epoch, sizeof epoch);
          });
    });
  } else {
    tell_all(tell);
  }
  if (team.has_gates()) [[unlikely]] {
    pass_gates(group, team);
  }
#else
  tell_all(tell);
#endif
  return epoch;
}

/// A barrier of the PE team. On every member, all threads of the group must
/// call it.
/// \param call name for the host's error messages, such as "symm::barrier".
/// \param before_flag as in arrive().
/// \returns the barrier's epoch.
template <Group Threads, class BeforeFlag>
SYMM_INLINE_FUNCTION std::uint64_t synchronize(
    Threads const& group, PeTeam const& team, [[maybe_unused]] char const* call,
    BeforeFlag const& before_flag) {
  PeTeamWords const words   = team.words();
  std::uint64_t const epoch = arrive(group, team, before_flag);
#ifdef SYMM_FOR_DEVICE
  wait_for_flags(group, team, epoch);
#else
  wait_for_members(call, team, epoch);
#endif
  group.for_each(1, [&](std::size_t) { store_relaxed(words.epoch(), epoch); });
  group.barrier();
  return epoch;
}

/// A `before_flag` for synchronize() that sends nothing.
struct PassNothing {
  SYMM_FUNCTION void operator()(Pe, std::uint64_t) const {}
  SYMM_FUNCTION void far(Pe, std::uint64_t) const {}
};

/// A `before_flag` for synchronize() that sends `word` to all members.
struct PassWord {
  PeTeam team;
  std::uint64_t word;

  SYMM_FUNCTION void operator()(Pe pe, std::uint64_t epoch) const {
    store_relaxed(team.words().passed(pe, team.my_pe(), epoch), word);
  }
  /// Called in a kernel, for a far PE.
  SYMM_FUNCTION void far([[maybe_unused]] Pe pe,
                         [[maybe_unused]] std::uint64_t epoch) const {
#ifdef SYMM_FOR_DEVICE
    auto const words = team.words();
    InKernel::far_pes().store(
        {words.passed(words.map.my_pe, team.my_pe(), epoch), pe}, word,
        sizeof word);
    InKernel::far_pes().fence();
#endif
  }
};

/// Called on the host. Whether word `which` (0 or 1) that each member sent in
/// epoch `epoch` equals `mine`.
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

}  // namespace symm::Impl

#endif
