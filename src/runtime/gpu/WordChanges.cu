// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

// The kernel that carries out far PEs' atomic operations on words of this GPU.
// The library contains its PTX (cuda/WordChanges.hpp) instead of compiling it,
// so that the library builds without a compiler for GPUs. The PTX runs on GPUs
// with compute capability 7.0 or higher. To regenerate it, run in this folder
//
//   nvcc -std=c++20 -ptx -arch=compute_75 -I ../cuda -I . WordChanges.cu
//
// Then replace the directives with ".version 7.0" and ".target sm_70", which
// older drivers also accept.

#include "../memory/AtomicBatch.hpp"

/// Blocks of four warps process parts of a batch until none are left. (With
/// each warp claiming its own parts, a batch of 4096 took twice as long on an
/// H100. With each of them reading the batch's word in host memory, it took ten
/// times as long.)
extern "C" __global__ void __launch_bounds__(128)
    symm_change_words(symm::Impl::AtomicBoard* board, unsigned long long word) {
  using namespace symm::Impl;
  constexpr unsigned n_warps = 4;
  __shared__ ChangeParts parts;
  AtomicBatch const run(word);
  unsigned const warp = threadIdx.x / 32;
  while (true) {
    if (threadIdx.x == 0) parts = claim_parts(*board, run, n_warps);
    __syncthreads();
    if (parts.count == 0) return;
    if (warp < parts.count)
      change_one(*board, run, parts.first + warp, threadIdx.x % 32);
    __syncthreads();
    if (threadIdx.x == 0) finish_parts(*board, run, parts.count);
  }
}
