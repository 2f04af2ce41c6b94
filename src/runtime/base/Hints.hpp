// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_BASE_HINTS_HPP
#define SYMM_BASE_HINTS_HPP

#include <cstdint>

namespace symm::Impl {

/// A PE that fetches this many elements from other nodes one at a time is
/// reported as slow.
inline constexpr std::uint64_t many_elements = 10'000;

/// The text that follows the list of slow PEs. It says what is slow and what to
/// use instead.
inline constexpr char const* got_one_by_one =
    ": 10000 elements of PEs of other nodes, read one by one "
    "(symm::remote_view, symm::DistributedView), each in a round trip; to read "
    "many at once, use a symm::RowsAround, a symm::ExchangePlan, "
    "symm::gather() of places, or deep_copy() of a part";

}  // namespace symm::Impl

#endif
