// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_KOKKOS_TOOLS_HPP
#define SYMM_KOKKOS_TOOLS_HPP

#include <cstddef>

namespace symm::Impl {

// These functions report events to Kokkos Tools (docs/profiling.md) that Kokkos
// does not report itself. They are callable from any thread. However, only the
// operations of the thread that called observe_for_tools() are reported,
// because tools keep only one stack of regions.

/// Starts reporting this PE's host operations to the Kokkos tool, if one is
/// loaded. Each operation appears as a region with the operation's name. Within
/// the region, a transfer of elements appears as a deep copy, and a wait for
/// PEs as a fence. Precondition: Kokkos is initialized.
void observe_for_tools();
void end_observing_for_tools() noexcept;

// The following functions do nothing before observe_for_tools() and after
// end_observing_for_tools().

/// Labels a range of memory. Reports of copies that involve this memory, or a
/// peer's copy of this memory, show the label.
/// \param space the memory space's name; must remain valid as long as the
///        program runs.
void note_label(char const* space, char const* label, void const* address,
                std::size_t bytes) noexcept;
void forget_label(void const* address) noexcept;

/// Like note_label() and forget_label(), but for Views whose memory was not
/// allocated by a memory space. These two functions also report the allocation
/// and the deallocation to the tool.
void tell_tools_of_memory(char const* space, char const* label,
                          void const* address, std::size_t bytes) noexcept;
void tell_tools_of_end(void const* address) noexcept;

}  // namespace symm::Impl

#endif
