// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#include <cuda_runtime.h>
#include <nvshmem.h>
#include <nvshmemx.h>

#include <cstddef>

#include "baselines/NvshmemRma.hpp"
#include "harness/CudaCheck.hpp"

namespace perf::nvshmem {
namespace {

constexpr std::size_t word_bytes = sizeof(std::uint64_t);

// Puts of a group end with a barrier of it: what one thread's nvshmem_quiet
// then completes is all of the group's.

template <bool is_put>
__global__ void thread_kernel(std::uint64_t* target,
                              std::uint64_t const* source, rma::Slots slots,
                              int pe, std::int64_t iterations) {
  std::size_t at = 0;
  for (std::int64_t n = 0; n < iterations; ++n) {
    if constexpr (is_put) {
      nvshmem_putmem(target + at, source + at, slots.words * word_bytes, pe);
      nvshmem_quiet();
    } else {
      nvshmem_getmem(target + at, source + at, slots.words * word_bytes, pe);
    }
    at = slots.next(at);
  }
}

template <bool is_put>
__global__ void warp_kernel(std::uint64_t* target, std::uint64_t const* source,
                            rma::Slots slots, int pe, std::int64_t iterations) {
  std::size_t at = 0;
  for (std::int64_t n = 0; n < iterations; ++n) {
    if constexpr (is_put) {
      nvshmemx_putmem_warp(target + at, source + at, slots.words * word_bytes,
                           pe);
      if (threadIdx.x == 0) nvshmem_quiet();
      __syncwarp();
    } else {
      nvshmemx_getmem_warp(target + at, source + at, slots.words * word_bytes,
                           pe);
    }
    at = slots.next(at);
  }
}

template <bool is_put>
__global__ void __launch_bounds__(rma::team_threads)
    block_kernel(std::uint64_t* target, std::uint64_t const* source,
                 rma::Slots slots, int pe, std::int64_t iterations) {
  auto const part   = rma::Part::of(slots.words, blockIdx.x, gridDim.x);
  auto const bytes  = part.words * word_bytes;
  std::size_t first = 0;
  for (std::int64_t n = 0; n < iterations; ++n) {
    std::size_t const at = first + part.first;
    if constexpr (is_put) {
      nvshmemx_putmem_block(target + at, source + at, bytes, pe);
      if (threadIdx.x == 0) nvshmem_quiet();
      __syncthreads();
    } else {
      nvshmemx_getmem_block(target + at, source + at, bytes, pe);
    }
    first = slots.next(first);
  }
}

template <bool is_put>
void launch(rma::Scope scope, std::uint64_t* target,
            std::uint64_t const* source, rma::Slots const& slots, int pe,
            std::int64_t iterations, Stream stream) {
  switch (scope) {
    case rma::Scope::thread:
      thread_kernel<is_put>
          <<<1, 1, 0, stream>>>(target, source, slots, pe, iterations);
      break;
    case rma::Scope::warp:
      warp_kernel<is_put>
          <<<1, 32, 0, stream>>>(target, source, slots, pe, iterations);
      break;
    case rma::Scope::team:
      block_kernel<is_put><<<1, rma::team_threads, 0, stream>>>(
          target, source, slots, pe, iterations);
      break;
    case rma::Scope::grid:
      block_kernel<is_put><<<rma::grid_teams, rma::team_threads, 0, stream>>>(
          target, source, slots, pe, iterations);
      break;
  }
  check_cuda(cudaGetLastError(), "kernel launch");
}

}  // namespace

void puts_in_kernel(rma::Scope scope, std::uint64_t* target,
                    std::uint64_t const* source, rma::Slots const& slots,
                    int pe, std::int64_t iterations, Stream stream) {
  launch<true>(scope, target, source, slots, pe, iterations, stream);
}

void gets_in_kernel(rma::Scope scope, std::uint64_t* target,
                    std::uint64_t const* source, rma::Slots const& slots,
                    int pe, std::int64_t iterations, Stream stream) {
  launch<false>(scope, target, source, slots, pe, iterations, stream);
}

}  // namespace perf::nvshmem
