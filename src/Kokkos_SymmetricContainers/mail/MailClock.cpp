// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#include "MailClock.hpp"

#include <atomic>

#include <Kokkos_SymmetricSpace_Edge.hpp>

#include "../../runtime/symm_atomics.hpp"
#include "../../runtime/symm_teams.hpp"

namespace symm::Impl {

namespace {

std::atomic<std::uint64_t> s_n_phases{0};

}  // namespace

MailClock::MailClock(char const* call)
    : m_met(call), m_epoch(team_world().words().epoch()) {}

std::uint64_t MailClock::now() const {
  return m_met.n() + load_relaxed(m_epoch) +
         s_n_phases.load(std::memory_order_relaxed);
}

void MailClock::end_phase() noexcept {
  s_n_phases.fetch_add(1, std::memory_order_relaxed);
}

}  // namespace symm::Impl
