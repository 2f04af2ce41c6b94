// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#include <Kokkos_Core.hpp>
#include <Kokkos_SymmetricSpace_TeamSync.hpp>
#include <cstddef>
#include "cuda/Launch.hpp"

namespace symm {

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
