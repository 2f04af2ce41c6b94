// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_CHECK_DETECTOR_HPP
#define SYMM_CHECK_DETECTOR_HPP

#include <array>

#include "../bootstrap/Bootstrap.hpp"
#include "../memory/HeapMap.hpp"

namespace symm::Impl {
class MemoryProvider;
}  // namespace symm::Impl

// Starts and ends the race detector, for the runtime. In a build without the
// detector, both calls do nothing.

namespace symm::Impl::check {

#ifdef SYMM_CHECK

/// Collective. Does nothing unless all PEs share memory.
/// \param heaps The heap in host memory, and the one in GPU memory; null: none.
/// \param gpu   The memory of this PE's GPU, used until the end; null: none.
/// \param agree Used until the end, whenever the heap allocates memory.
void start_detector(Bootstrap& bootstrap,
                    std::array<HeapMap const*, 2> const& heaps,
                    MemoryProvider* gpu, Agree const& agree);
/// Collective. Stops recording accesses, and reports the races.
void finish_detector(Bootstrap& bootstrap);

#else

inline void start_detector(Bootstrap&, std::array<HeapMap const*, 2> const&,
                           MemoryProvider*, Agree const&) {}
inline void finish_detector(Bootstrap&) {}

#endif

}  // namespace symm::Impl::check

#endif
