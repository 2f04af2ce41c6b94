// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#include <cuda_runtime.h>
#include <nvshmem.h>
#include <nvshmemx.h>

#include <stdexcept>
#include <string>

#include "baselines/NvshmemCollectives.hpp"
#include "harness/CudaCheck.hpp"

namespace perf::nvshmem {
namespace {

constexpr int block_threads = 128;

__global__ void thread_barriers_kernel(std::int64_t iterations) {
  for (std::int64_t n = 0; n < iterations; ++n) nvshmem_barrier_all();
}

__global__ void warp_barriers_kernel(std::int64_t iterations) {
  for (std::int64_t n = 0; n < iterations; ++n) nvshmemx_barrier_all_warp();
}

__global__ void block_barriers_kernel(std::int64_t iterations) {
  for (std::int64_t n = 0; n < iterations; ++n) nvshmemx_barrier_all_block();
}

void check(int code, char const* call) {
  if (code != 0)
    throw std::runtime_error(std::string(call) + " failed with code " +
                             std::to_string(code));
}

}  // namespace

void barrier_on_stream(Stream stream) {
  nvshmemx_barrier_all_on_stream(stream);
}

void barriers_in_kernel(Threads threads, std::int64_t iterations,
                        Stream stream) {
  switch (threads) {
    case Threads::one:
      thread_barriers_kernel<<<1, 1, 0, stream>>>(iterations);
      break;
    case Threads::warp:
      warp_barriers_kernel<<<1, 32, 0, stream>>>(iterations);
      break;
    case Threads::block:
      block_barriers_kernel<<<1, block_threads, 0, stream>>>(iterations);
      break;
  }
  check_cuda(cudaGetLastError(), "kernel launch");
}

void broadcast(float* dest, float const* source, std::size_t count, int root,
               Stream stream) {
  check(nvshmemx_float_broadcast_on_stream(NVSHMEM_TEAM_WORLD, dest, source,
                                           count, root, stream),
        "nvshmemx_float_broadcast_on_stream");
}

void fcollect(float* dest, float const* source, std::size_t count,
              Stream stream) {
  check(nvshmemx_float_fcollect_on_stream(NVSHMEM_TEAM_WORLD, dest, source,
                                          count, stream),
        "nvshmemx_float_fcollect_on_stream");
}

void alltoall(float* dest, float const* source, std::size_t count,
              Stream stream) {
  check(nvshmemx_float_alltoall_on_stream(NVSHMEM_TEAM_WORLD, dest, source,
                                          count, stream),
        "nvshmemx_float_alltoall_on_stream");
}

void sum(float* dest, float const* source, std::size_t count, Stream stream) {
  check(nvshmemx_float_sum_reduce_on_stream(NVSHMEM_TEAM_WORLD, dest, source,
                                            count, stream),
        "nvshmemx_float_sum_reduce_on_stream");
}

}  // namespace perf::nvshmem
