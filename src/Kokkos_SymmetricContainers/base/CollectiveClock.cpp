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

CollectiveClock::CollectiveClock(char const* call)
    : m_met(call), m_epoch(team_world().words().epoch()) {}

std::uint64_t CollectiveClock::now() const {
  return m_met.n() + load_relaxed(m_epoch) +
         s_n_calls.load(std::memory_order_relaxed);
}

void CollectiveClock::end_call() noexcept {
  s_n_calls.fetch_add(1, std::memory_order_relaxed);
}

}  // namespace symm::Impl
