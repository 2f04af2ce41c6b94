// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_BASE_COLLECTIVE_CLOCK_HPP
#define SYMM_BASE_COLLECTIVE_CLOCK_HPP

#include <atomic>
#include <cstdint>

#include <Kokkos_SymmetricSpace_Edge.hpp>

#include "TeamMembers.hpp"

namespace symm::Impl {

/// Counts the collective calls that have ended on this PE: barriers, other
/// collective calls, and those of containers. No PE returns from such a call
/// before all PEs have begun it, and all PEs make the calls in the same order.
/// So if a message was sent at a later time than this PE's time, this PE is
/// still in a call that the sender has left.
///
/// Calls of containers of a PE team other than the world count only for the
/// containers of that PE team.
class CollectiveClock {
 public:
  CollectiveClock(char const* call, TeamMembers const& members);

  [[nodiscard]] std::uint64_t now() const;
  /// Called when this PE is about to return from a collective call of a
  /// container. (Such a call still waits after the last meeting of the
  /// members.)
  static void end_call(TeamMembers const& members) noexcept;

 private:
  // The counter of the PE team; null for the world.
  std::atomic<std::uint64_t> const* m_n_calls = nullptr;
  std::uint64_t m_n_before                    = 0;  // when this object was made
  MetCalls m_met;
  std::uint64_t const* m_epoch;  // epoch of the world's PE team
};

}  // namespace symm::Impl

#endif
