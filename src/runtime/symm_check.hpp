// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_CHECK_HPP
#define SYMM_CHECK_HPP

#include <cstdint>

// The detector of races between PEs: docs/races.md. A program has it if it is
// built with KokkosSymmetricSpace::Checked, and no other does.

namespace symm::check {

#ifdef SYMM_CHECK

/// Whether races are looked for: from initialize() to finalize(), with PEs of
/// one machine. Local.
[[nodiscard]] bool enabled() noexcept;

/// The number of different races that all PEs have found so far; after a
/// barrier, all of the accesses before it. 0 if none are looked for. A table
/// that is full makes the detector miss some: the program says so. Local.
[[nodiscard]] std::uint64_t races() noexcept;

#else

[[nodiscard]] inline bool enabled() noexcept { return false; }
[[nodiscard]] inline std::uint64_t races() noexcept { return 0; }

#endif

}  // namespace symm::check

#endif
