// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#include "MailWaves.hpp"

#include <bit>
#include <string>
#include <utility>

#include <Kokkos_SymmetricSpace_Edge.hpp>

#include "../../runtime/symm_atomics.hpp"
#include "../../runtime/symm_job.hpp"
#include "../../runtime/symm_signals.hpp"

namespace symm::Impl {

MailWaves::MailWaves(char const* call, TeamMembers const& members)
    : m_rounds(std::string(call) + ", waves"),
      m_members(members),
      m_me(members.me()),
      m_n_pes(members.n()),
      m_n_rounds(m_n_pes == 0 ? 0
                              : static_cast<std::size_t>(std::bit_width(
                                    static_cast<unsigned>(m_n_pes) - 1))) {}

bool MailWaves::advance(MailCounts const& mine) {
  bool const begins = !m_has_begun;
  if (begins) {
    if (mine != std::exchange(m_mine, mine)) quiet();
    m_has_begun = true;
    m_round     = 0;
    m_sums      = {mine, {}};
    tell();
  }
  auto const first = m_round;
  auto const n     = static_cast<unsigned>(m_n_pes);
  while (m_round < m_n_rounds) {
    auto const& slot = words();
    if (poll(&slot.wave) < m_wave) return begins || m_round != first;
    check::seen(&slot.wave);
    if ((n >> m_round & 1U) != 0) m_sums.rest = m_sums.all + slot.sums.rest;
    m_sums.all = m_sums.all + slot.sums.all;
    ++m_round;
    tell();
  }
  end_wave();
  // (Even a phase without messages requires two waves with equal counts.)
  return m_is_end || m_n_equal < 3;
}

void MailWaves::tell() {
  if (m_round == m_n_rounds) return;
  auto& slot    = words();
  auto const to = m_me + (std::int64_t{1} << m_round);
  put_signal(&slot.sums, &m_sums, 1, &slot.wave, m_wave, SignalOp::set,
             m_members.world_pe(static_cast<Pe>(to % m_n_pes)));
}

void MailWaves::end_wave() {
  bool const is_power = std::has_single_bit(static_cast<unsigned>(m_n_pes));
  auto const& all     = is_power ? m_sums.all : m_sums.rest;
  m_is_end            = all.n_sent == m_all.n_received;
  m_n_equal           = all == m_all ? m_n_equal + 1 : 0;
  m_all               = all;
  m_has_begun         = false;
  ++m_wave;
}

}  // namespace symm::Impl
