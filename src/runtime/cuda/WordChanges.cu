// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

// The kernel that changes words of this GPU for far PEs. The library does not
// compile it: cuda/WordChanges.hpp holds its PTX, which runs on any GPU, so
// that the library builds without a compiler for GPUs. To make the PTX, run
//
//   nvcc -std=c++20 -ptx -arch=compute_75 -I .. WordChanges.cu
//
// with the folder that <symm_gpu/...> is in, and replace its directives by
// ".version 7.0" and ".target sm_70", which older drivers accept, too.

#include "../memory/ChangeRun.hpp"

/// Warps take parts until none is left.
extern "C" __global__ void __launch_bounds__(128)
    symm_change_words(symm::Impl::ChangeBoard* board) {
  using namespace symm::Impl;
  constexpr unsigned all     = 0xffffffff;
  unsigned const lane        = threadIdx.x % 32;
  unsigned long long word    = 0;
  unsigned long long claimed = 0;
  while (true) {
    if (lane == 0) {
      word    = load_acquire(board->posted);
      claimed = claim_part(*board, ChangeRun(word));
    }
    ChangeRun const run(__shfl_sync(all, word, 0));
    std::size_t const part = __shfl_sync(all, claimed, 0);
    if (part == ChangeBoard::no_part) return;
    change_one(*board, run, part, lane);
    __syncwarp();
    if (lane == 0) finish_part(*board, run);
  }
}
