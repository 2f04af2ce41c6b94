// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_GPU_COLLECTIVE_KERNELS_HPP
#define SYMM_GPU_COLLECTIVE_KERNELS_HPP

#include "../../access/KernelQueue.hpp"
#include "../../collectives/CollectiveCall.hpp"
#include "../../memory/HeapMap.hpp"
#include "../../teams/PeTeam.hpp"

namespace symm::Impl {

[[noreturn]] inline void enqueue_barrier(void*, PeTeam const&) {
  throw_without_kernel("symm::barrier");
}

template <class Work>
void run_on_gpu(CollectiveCall const& call, HeapMap const&, Work const&) {
  throw_without_kernel(call.name);
}

}  // namespace symm::Impl

#endif
