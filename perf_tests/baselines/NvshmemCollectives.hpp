// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_PERF_NVSHMEM_COLLECTIVES_HPP
#define SYMM_PERF_NVSHMEM_COLLECTIVES_HPP

#include <cstddef>
#include <cstdint>

#include "baselines/Nvshmem.hpp"

/// NVSHMEM's collective operations of all PEs, on its own memory. See
/// Nvshmem.hpp; none of them may be called if NVSHMEM is not available. Those
/// on a stream throw std::runtime_error if NVSHMEM reports an error. NVSHMEM
/// does not use NCCL for them (NVSHMEM_DISABLE_NCCL), because NCCL is a
/// contestant itself.
namespace perf::nvshmem {

/// nvshmemx_barrier_all_on_stream.
void barrier_on_stream(Stream stream);

/// Which threads of a one-block kernel make the calls together; the kernel has
/// no other threads.
enum class Threads { one, warp, block };

/// A kernel with `iterations` calls of nvshmem_barrier_all,
/// nvshmemx_barrier_all_warp or nvshmemx_barrier_all_block (with 128 threads).
void barriers_in_kernel(Threads threads, std::int64_t iterations,
                        Stream stream);

/// nvshmemx_float_broadcast_on_stream.
void broadcast(float* dest, float const* source, std::size_t count, int root,
               Stream stream);
/// nvshmemx_float_fcollect_on_stream.
void fcollect(float* dest, float const* source, std::size_t count,
              Stream stream);
/// nvshmemx_float_alltoall_on_stream.
void alltoall(float* dest, float const* source, std::size_t count,
              Stream stream);
/// nvshmemx_float_sum_reduce_on_stream.
void sum(float* dest, float const* source, std::size_t count, Stream stream);

}  // namespace perf::nvshmem

#endif
