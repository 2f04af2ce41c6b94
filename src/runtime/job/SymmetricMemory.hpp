// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_SYMMETRIC_MEMORY_HPP
#define SYMM_SYMMETRIC_MEMORY_HPP

#include <cstddef>

#include "../base/LastError.hpp"
#include "../base/Types.hpp"
#include "../heap/SymmetricHeap.hpp"
#include "../memory/HeapMap.hpp"

/// The C-like functions of the OpenSHMEM and NVSHMEM documents, on the heap in
/// GPU memory if the PEs have devices, else on the one in host memory; those
/// that take an address find its heap. They return null where they fail, on
/// every PE, with the reason in last_error(); class SymmetricHeap says what
/// each does, and throws instead.
namespace symm {

/// Number of this PE, 0 to n_pes() - 1. Local.
/// \throws UsageError on this PE, before initialize() and after finalize().
[[nodiscard]] Pe my_pe();

/// Number of PEs of the job. Local.
/// \throws UsageError on this PE, before initialize() and after finalize().
[[nodiscard]] int n_pes();

/// Collective: returns when all PEs have called; what any PE has written before
/// is visible to all PEs (OpenSHMEM 1.5, 9.12.1).
/// \throws UsageError on every PE, if a PE is in another collective call.
void barrier_all();

/// SymmetricHeap::malloc(), null on failure.
[[nodiscard]] void* malloc(std::size_t bytes) noexcept;

/// SymmetricHeap::align(), null on failure.
[[nodiscard]] void* align(std::size_t alignment, std::size_t bytes) noexcept;

/// SymmetricHeap::calloc(), null on failure.
[[nodiscard]] void* calloc(std::size_t count, std::size_t size) noexcept;

/// SymmetricHeap::realloc(), null on failure; the block is unchanged then.
[[nodiscard]] void* realloc(void* address, std::size_t bytes) noexcept;

/// SymmetricHeap::free(). A failure is printed on stderr, too, since nothing is
/// returned.
void free(void* address) noexcept;

/// The address of PE `pe`'s copy of the object at the symmetric address
/// `address`, for loads and stores of this process (shmem_ptr). Local.
/// \returns null, with the reason in last_error(), if `address` is not in the
///          heap or there is no such PE.
[[nodiscard]] void* ptr(void const* address, Pe pe) noexcept;

/// The same for a typed pointer.
template <class T>
[[nodiscard]] T* ptr(T* address, Pe pe) noexcept {
  return static_cast<T*>(ptr(static_cast<void const*>(address), pe));
}

/// Where all PEs' parts of the heap in one kind of memory are, to capture in
/// kernels that call operations on addresses in it. Local; valid until
/// finalize(). (Of a View or a memory space:
/// Kokkos_SymmetricSpace_PeerView.hpp.)
/// \throws UsageError on this PE, if there is none, before initialize() and
///         after finalize().
[[nodiscard]] HeapMap heap_map(MemoryKind kind);

/// Sizes and counts of the heap. Local.
/// \throws UsageError on this PE, before initialize() and after finalize().
[[nodiscard]] HeapStats heap_stats();

/// The same for the heap in one kind of memory.
/// \throws UsageError on this PE, too, if there is none.
[[nodiscard]] HeapStats heap_stats(MemoryKind kind);

/// SymmetricHeap::trim() of all heaps: bytes released per PE. Collective.
/// \throws UsageError, SystemError on every PE.
std::size_t heap_trim();

}  // namespace symm

#endif
