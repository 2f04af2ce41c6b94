// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#include <Kokkos_Core.hpp>
#include <Kokkos_SymmetricSpace_Launch.hpp>
#include <Kokkos_SymmetricSpace_TeamSync.hpp>
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>

#include "../runtime/Error.hpp"
#include "../runtime/Rendezvous.hpp"
#include "../runtime/Runtime.hpp"

namespace symm {

namespace {

/// " of the PE team of PEs 0, 2, 4 (here member 1)".
std::string of_the_team(PeTeam const& team) {
  constexpr Pe most = 16;
  std::string text  = " of the PE team of PEs ";
  for (Pe pe = 0; pe < std::min(most, team.n_pes()); ++pe) {
    text += (pe == 0 ? "" : ", ") + std::to_string(team.world_pe(pe));
  }
  if (team.n_pes() > most) {
    text += ", ... (" + std::to_string(team.n_pes()) + " in all)";
  }
  return text + " (here member " + std::to_string(team.my_pe()) + ")";
}

}  // namespace

void wait_for_members(char const* call, PeTeam const& team,
                      std::uint64_t epoch) {
  auto const words        = team.words();
  auto const* const flags = words.flag(words.map.my_pe, 0);
  auto const has_come     = [&](Pe member) {
    return load_acquire(flags + member) >= epoch;
  };
  Pe next                  = 0;  // those before have come
  auto const have_all_come = [&] {
    while (next < team.n_pes() && has_come(next)) ++next;
    return next == team.n_pes();
  };
  if (have_all_come()) return;
  HostWait wait(call);
  while (!have_all_come()) {
    if (!wait.pause()) continue;
    auto const& rendezvous = Runtime::instance(call).rendezvous();
    auto why               = HostWait::who_is_gone();
    std::string missing;
    for (Pe member = next; member < team.n_pes(); ++member) {
      Pe const pe        = team.world_pe(member);
      bool const is_lost = rendezvous.is_in_finalize(pe);
      if (has_come(member)) continue;  // what it has stored before counts
      missing += "\n  " + rendezvous.whereabouts(pe);
      if (is_lost && why.empty()) {
        why = "PE " + std::to_string(pe) + " waits in symm::finalize()";
      }
    }
    if (have_all_come()) return;
    wait.look_after(why, of_the_team(team), missing);
  }
}

void meet(char const* call, PeTeam const& team, std::uint64_t word) {
  auto const epoch = exchange_word(OneThread{}, team, call, word);
  if (is_equal_on_all(team, epoch, 0, word)) return;
  throw UsageError(std::string(call) + of_the_team(team) +
                   ": the PEs of the team have made different calls");
}

void barrier(PeTeam const& team) {
  constexpr char const* call = "symm::barrier";
  check_team(team, call);
  meet(call, team, word_of_barrier);
}

void sync(PeTeam const& team) {
  constexpr char const* call = "symm::sync";
  check_team(team, call);
  meet(call, team, word_of_barrier);
}

#ifdef KOKKOS_ENABLE_CUDA
namespace {

struct BarrierKernel {
  PeTeam team;

  __device__ void operator()(ThreadBlock const& group, std::size_t,
                             std::size_t) const {
    barrier_of(group, team, "symm::barrier");
  }
};

}  // namespace

void enqueue_barrier(Kokkos::Cuda const& exec, PeTeam const& team) {
  launch("symm::barrier", exec, 1, 32, BarrierKernel{team});
}
#endif

}  // namespace symm
