// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_PES_HPP
#define SYMM_PES_HPP

#include <cstddef>

#include "base/Types.hpp"
#include "heap/HeapStats.hpp"
#include "memory/HeapMap.hpp"

/// The PEs, and what they know of the symmetric heaps: Pe, MemoryKind, HeapMap
/// and HeapStats are in the headers above. All but heap_trim() and
/// barrier_all() are local: a PE calls them alone, on any thread.
namespace symm {

/// Number of this PE, 0 to n_pes() - 1.
/// \throws UsageError on this PE, before initialize() and after finalize().
[[nodiscard]] Pe my_pe();

/// Number of PEs of the job.
/// \throws UsageError on this PE, before initialize() and after finalize().
[[nodiscard]] int n_pes();

/// Collective: returns when all PEs have called; what any PE has written before
/// is visible to all PEs (OpenSHMEM 1.5, 9.12.1).
/// \throws UsageError on every PE, if a PE is in another collective call.
void barrier_all();

/// Where all PEs' parts of the heap in one kind of memory are, to capture in
/// kernels that call operations on addresses in it. Valid until finalize().
/// (The Kokkos layer has heap_map() of a View and of a memory space, too.)
/// \throws UsageError on this PE, if there is none, before initialize() and
///         after finalize().
[[nodiscard]] HeapMap heap_map(MemoryKind kind);

/// Sizes and counts of the heap: of the one in GPU memory if the PEs have
/// devices, else of the one in host memory.
/// \throws UsageError on this PE, before initialize() and after finalize().
[[nodiscard]] HeapStats heap_stats();

/// The same for the heap in one kind of memory.
/// \throws UsageError on this PE, too, if there is none.
[[nodiscard]] HeapStats heap_stats(MemoryKind kind);

/// Collective. Gives physical memory of all heaps in which nothing is allocated
/// back to the system, on all PEs.
/// \returns bytes released per PE; a static heap releases none.
/// \throws UsageError on every PE, if a PE is in another collective call.
///         SystemError on every PE, if one cannot give memory back: what others
///         could is given back, and its addresses are not used again.
std::size_t heap_trim();

}  // namespace symm

#endif
