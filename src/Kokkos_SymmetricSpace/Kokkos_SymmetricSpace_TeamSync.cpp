// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#include <Kokkos_Core.hpp>
#include <Kokkos_SymmetricSpace_Launch.hpp>
#include <Kokkos_SymmetricSpace_TeamSync.hpp>
#include <cstddef>

namespace symm {

void barrier(PeTeam const& team) {
  check_team(team, "symm::barrier");
  barrier_of(OneThread{}, team);
}

void sync(PeTeam const& team) {
  check_team(team, "symm::sync");
  barrier_of(OneThread{}, team);
}

#ifdef KOKKOS_ENABLE_CUDA
namespace {

struct BarrierKernel {
  PeTeam team;

  __device__ void operator()(ThreadBlock const& group, std::size_t,
                             std::size_t) const {
    barrier_of(group, team);
  }
};

}  // namespace

void enqueue_barrier(Kokkos::Cuda const& exec, PeTeam const& team) {
  launch("symm::barrier", exec, 1, 32, BarrierKernel{team});
}
#endif

}  // namespace symm
