// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_BASE_COLLECTIVE_CLOCK_HPP
#define SYMM_BASE_COLLECTIVE_CLOCK_HPP

#include <atomic>
#include <cstdint>

#include <Kokkos_SymmetricSpace_Edge.hpp>

#include "TeamMembers.hpp"

namespace symm::Impl {

/// Counts the calls of all PEs that have ended here: barriers, collective
/// calls, those of containers among them. No PE returns from one before all
/// have begun it, and all make them in the same order. So if a PE has sent a
/// message at a later time than it is here, this PE is still in a call that the
/// sender has left.
///
/// The calls of containers of a PE team that is not the world count for the
/// containers of that one.
class CollectiveClock {
 public:
  CollectiveClock(char const* call, TeamMembers const& members);

  [[nodiscard]] std::uint64_t now() const;
  /// This PE is about to return from a collective call of a container that
  /// waits behind the last meeting of the members.
  static void end_call(TeamMembers const& members) noexcept;

 private:
  // Of the PE team; null: the world's.
  std::atomic<std::uint64_t> const* m_n_calls = nullptr;
  std::uint64_t m_n_before                    = 0;  // this was made
  MetCalls m_met;
  std::uint64_t const* m_epoch;  // of the world's PE team
};

}  // namespace symm::Impl

#endif
