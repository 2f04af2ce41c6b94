// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_BASE_COLLECTIVE_CLOCK_HPP
#define SYMM_BASE_COLLECTIVE_CLOCK_HPP

#include <atomic>
#include <cstdint>

#include <Kokkos_SymmetricSpace_Edge.hpp>

#include "TeamMembers.hpp"

namespace symm::Impl {

/// Counts the collective calls that have ended on this PE, including barriers
/// and containers' collective calls. The count serves as a logical time. No PE
/// returns from such a call before all PEs have begun it, and all PEs make the
/// calls in the same order. Therefore, if a message carries a later time than
/// this PE's clock shows, this PE is still in a call that the sender has left.
///
/// A container's calls over a PE team other than the world advance only the
/// clocks of containers on the same PE team.
class CollectiveClock {
 public:
  CollectiveClock(char const* call, TeamMembers const& members);

  [[nodiscard]] std::uint64_t now() const;
  /// Called when this PE is about to return from a container's collective call.
  /// (It does not suffice to count the barriers inside such a call, because the
  /// call still waits after its last barrier.)
  static void end_call(TeamMembers const& members) noexcept;

 private:
  // The PE team's counter; null for the world.
  std::atomic<std::uint64_t> const* m_n_calls = nullptr;
  std::uint64_t m_n_before                    = 0;  // *m_n_calls when this
                                                    // object was created
  MetCalls m_met;
  std::uint64_t const* m_epoch;  // the world's epoch
};

}  // namespace symm::Impl

#endif
