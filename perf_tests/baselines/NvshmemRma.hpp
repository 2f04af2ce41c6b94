// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_PERF_NVSHMEM_RMA_HPP
#define SYMM_PERF_NVSHMEM_RMA_HPP

#include <cstdint>

#include "baselines/Nvshmem.hpp"
#include "kernels/RmaCalls.hpp"

/// NVSHMEM's puts and gets in kernels, on its own memory. See Nvshmem.hpp; none
/// of them may be called if NVSHMEM is not available.
namespace perf::nvshmem {

/// A kernel with `iterations` calls of nvshmem_putmem, nvshmemx_putmem_warp or
/// nvshmemx_putmem_block, from slot to slot; one thread calls nvshmem_quiet
/// after each call. In a grid, every block does this for its part.
void puts_in_kernel(rma::Scope scope, std::uint64_t* target,
                    std::uint64_t const* source, rma::Slots const& slots,
                    int pe, std::int64_t iterations, Stream stream);

/// The same with nvshmem_getmem, nvshmemx_getmem_warp and _block, which are
/// complete when they return.
void gets_in_kernel(rma::Scope scope, std::uint64_t* target,
                    std::uint64_t const* source, rma::Slots const& slots,
                    int pe, std::int64_t iterations, Stream stream);

}  // namespace perf::nvshmem

#endif
