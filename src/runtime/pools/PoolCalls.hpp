// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_POOLS_POOL_CALLS_HPP
#define SYMM_POOLS_POOL_CALLS_HPP

#include <cstddef>

#include "../symm_pools.hpp"
#include "Stream.hpp"

// The calls of symm_pools.hpp for any stream, also for those of Kokkos.

namespace symm::Impl {

/// \param pool null: the current one of the default kind of memory.
Status malloc_async(void** address, std::size_t bytes, MemPool const* pool,
                    StreamName const& stream) noexcept;
Status free_async(void* address, StreamName const& stream) noexcept;
Status order_after(StreamName const& stream,
                   StreamName const& earlier) noexcept;

/// Notes a barrier of all PEs put into the stream. Cheap without pools.
void note_stream_barrier(StreamName const& stream);

/// Allocates memory for a View: a header and the data, which are aligned.
/// \throws an exception for each reason for which malloc_async() fails.
/// \param memory of the View's space, which must be the pool's (UsageError).
/// \param bytes  of header and data.
[[nodiscard]] void* allocate_in_pool(MemPool pool, MemoryKind memory,
                                     std::size_t bytes, std::size_t header,
                                     StreamName const& stream,
                                     char const* label);
/// Frees memory in the order of the stream that it was allocated on; prints a
/// failure. Does nothing after finalize().
void free_in_pool(char const* label, void* address) noexcept;
/// Whether an address is in memory of a pool.
[[nodiscard]] bool is_in_pool(void const* address);

}  // namespace symm::Impl

#endif
