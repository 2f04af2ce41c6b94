// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_CHECK_HPP
#define SYMM_CHECK_HPP

#include <cstdint>

// Interface to the inter-PE race detector (docs/races.md). Only programs built
// with KokkosSymmetricSpace::Checked contain the detector.

namespace symm::check {

#ifdef SYMM_CHECK

/// Whether the detector is active. It is active from initialize() to finalize()
/// if all PEs are on one machine. The call is local.
[[nodiscard]] bool enabled() noexcept;

/// Returns the number of distinct races that all PEs together have found so
/// far. After a barrier, the number includes all races between accesses before
/// the barrier. Returns 0 if the detector is not enabled. If one of the
/// detector's tables fills up, the detector misses some races, and its report
/// says so. The call is local.
[[nodiscard]] std::uint64_t races() noexcept;

#else

[[nodiscard]] inline bool enabled() noexcept { return false; }
[[nodiscard]] inline std::uint64_t races() noexcept { return 0; }

#endif

}  // namespace symm::check

#endif
