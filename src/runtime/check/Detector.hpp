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

// Starts and stops the race detector on behalf of the runtime. In a build
// without the detector, both calls do nothing.

namespace symm::Impl::check {

#ifdef SYMM_CHECK

/// Collective. Does nothing unless all PEs run on one machine and there are at
/// most max_pes of them.
/// \param heaps The heap in host memory, then the heap in GPU memory; null for
///        a heap that does not exist.
/// \param gpu   Provides this PE's GPU memory, and is used until
///        finish_detector(); null without a GPU.
/// \param agree Used until finish_detector(), whenever the heap allocates
///        memory.
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
