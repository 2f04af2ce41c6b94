// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_KOKKOS_TOOLS_HPP
#define SYMM_KOKKOS_TOOLS_HPP

#include <cstddef>

namespace symm::Impl {

// What tools of Kokkos Tools are told (docs/profiling.md), beyond what Kokkos
// tells them itself. Any thread, but operations of the thread that called
// observe_for_tools() only: tools keep one stack.

/// If a tool is loaded, it is told from now on of the operations of this PE's
/// host: regions of their names, in them a deep copy for what moves elements,
/// and a fence for the time waited for PEs. Kokkos runs.
void observe_for_tools();
void end_observing_for_tools() noexcept;

// Nothing without observe_for_tools().

/// The label of memory, which copies to and from its peers have then.
/// \param space name of the memory space; lives as long as the program.
void note_label(char const* space, char const* label, void const* address,
                std::size_t bytes) noexcept;
void forget_label(void const* address) noexcept;

/// Memory of a View that no memory space has allocated. As note_label() and
/// forget_label(), and tells the tool.
void tell_tools_of_memory(char const* space, char const* label,
                          void const* address, std::size_t bytes) noexcept;
void tell_tools_of_end(void const* address) noexcept;

}  // namespace symm::Impl

#endif
