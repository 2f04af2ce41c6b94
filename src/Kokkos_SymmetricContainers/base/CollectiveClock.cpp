// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#include "CollectiveClock.hpp"

#include <atomic>

#include <Kokkos_SymmetricSpace_Edge.hpp>

#include "../../runtime/symm_atomics.hpp"
#include "../../runtime/symm_teams.hpp"

namespace symm::Impl {

namespace {

std::atomic<std::uint64_t> s_n_calls{0};

}  // namespace

CollectiveClock::CollectiveClock(char const* call, TeamMembers const& members)
    : m_is_of_world(members.are_world()),
      m_met(call),
      m_epoch(team_world().words().epoch()) {}

std::uint64_t CollectiveClock::now() const {
  return m_met.n() + load_relaxed(m_epoch) + m_n_calls +
         s_n_calls.load(std::memory_order_relaxed);
}

void CollectiveClock::end_world_call() noexcept {
  s_n_calls.fetch_add(1, std::memory_order_relaxed);
}

void CollectiveClock::end_call() noexcept {
  if (m_is_of_world) {
    end_world_call();
  } else {
    ++m_n_calls;
  }
}

}  // namespace symm::Impl
