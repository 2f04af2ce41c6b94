// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef KOKKOS_SYMMETRICSPACE_OPERATIONS_HPP
#define KOKKOS_SYMMETRICSPACE_OPERATIONS_HPP

#include <Kokkos_Core.hpp>
#include "operations/Groups.hpp"

// The operations on symmetric memory with what Kokkos has: thread teams,
// execution spaces and Views.

namespace symm {

/// The vector lanes of the calling thread of a team, as a group that shares the
/// work of an operation: put(lanes(member), heap, ...). Valid as long as
/// `member`.
template <class Member>
requires Kokkos::is_team_handle_v<Member>
[[nodiscard]] KOKKOS_FUNCTION Impl::Lanes<Member> lanes(Member const& member) {
  return {member};
}

}  // namespace symm

#endif
