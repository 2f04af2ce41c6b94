// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_POOLS_POOL_CALLS_HPP
#define SYMM_POOLS_POOL_CALLS_HPP

#include <cstddef>

#include "../symm_pools.hpp"
#include "Stream.hpp"

// The calls declared in symm_pools.hpp, for any kind of stream, including
// Kokkos execution space instances.

namespace symm::Impl {

/// \param pool If null, the call allocates from the current pool of the default
///        kind of memory.
Status malloc_async(void** address, std::size_t bytes, MemPool const* pool,
                    StreamName const& stream) noexcept;
Status free_async(void* address, StreamName const& stream) noexcept;
Status order_after(StreamName const& stream,
                   StreamName const& earlier) noexcept;

/// Records that a barrier over all PEs was enqueued on the stream. Takes almost
/// no time if there are no pools.
void note_stream_barrier(StreamName const& stream);

/// Allocates memory for a View: a header, followed by the data. The alignment
/// applies to the data, not to the header.
/// \throws an exception whenever malloc_async() would return an error.
/// \param memory The kind of memory of the View's memory space. If the pool's
///        memory is of a different kind, the call throws UsageError.
/// \param bytes The total size of the header and the data.
[[nodiscard]] void* allocate_in_pool(MemPool pool, MemoryKind memory,
                                     std::size_t bytes, std::size_t header,
                                     StreamName const& stream,
                                     char const* label);
/// Frees memory in stream order, on the stream on which the memory was
/// allocated. Prints any failure. Does nothing after finalize().
void free_in_pool(char const* label, void* address) noexcept;
/// Whether a live block of a pool starts at `address`.
[[nodiscard]] bool is_in_pool(void const* address);

}  // namespace symm::Impl

#endif
