// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#include "MailBlocks.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <string>

#include <Kokkos_SymmetricSpace_Edge.hpp>

#include "../../runtime/symm_atomics.hpp"
#include "../../runtime/symm_collectives.hpp"
#include "../../runtime/symm_errors.hpp"
#include "../../runtime/symm_job.hpp"
#include "../../runtime/symm_memory.hpp"
#include "../../runtime/symm_signals.hpp"
#include "../../runtime/symm_teams.hpp"
#include "../base/TeamMembers.hpp"
#include "MailRoutes.hpp"

namespace symm::Impl {

namespace {

std::size_t slot_of(Signal block) { return block % MailBlocks::n_slots; }

}  // namespace

MailBlocks::MailBlocks(char const* call, MailRoutes const& routes,
                       TeamMembers const& members, std::size_t block_bytes,
                       std::size_t least_block_bytes)
    : m_block_bytes((block_bytes + 63) / 64 * 64),
      m_links(routes.n_links()),
      m_from(routes.n_inboxes()) {
  auto const most = static_cast<std::size_t>(PTRDIFF_MAX) / n_slots /
                    std::max<std::size_t>(routes.most_links(), 1);
  if (block_bytes > most - 64) {
    throw OutOfMemory(Text(call, ": blocks of ", block_bytes, " bytes for ",
                           routes.most_links(),
                           " inboxes are more than memory has addresses"));
  }
  if (m_block_bytes < least_block_bytes) {
    throw UsageError(Text(call, ": blocks of ", block_bytes,
                          " bytes have no room for a message: ask for ",
                          least_block_bytes, " at least"));
  }
  std::size_t n_far = 0;
  for (std::size_t k = 0; k < m_links.size(); ++k) {
    auto const end = routes.target(k);
    if (!end.exists) continue;
    auto& its   = m_links[k];
    its.pe      = members.world_pe(end.pe);
    its.is_near = symm::is_near(its.pe);
    if (!its.is_near) ++n_far;
  }
  for (std::size_t k = 0; k < m_from.size(); ++k) {
    auto const end = routes.source(k);
    if (end.exists) m_from[k].pe = members.world_pe(end.pe);
  }
  m_outboxes =
      decltype(m_outboxes)(Kokkos::view_alloc(std::string(call) + ", outboxes",
                                              Kokkos::WithoutInitializing),
                           n_far * inbox_bytes());
}

void MailBlocks::begin(char const* call, MailRoutes const& routes) {
  // PE teams of other sizes make theirs in the same calls.
  auto const most = reduce(team_world(), routes.most_links(), Max{});
  auto const bytes =
      reduce(team_world(), routes.most_links() * inbox_bytes(), Max{});
  m_inboxes =
      decltype(m_inboxes)(Kokkos::view_alloc(std::string(call) + ", inboxes",
                                             Kokkos::WithoutInitializing),
                          bytes);
  m_arrived =
      decltype(m_arrived)(std::string(call) + ", arrived", most * n_slots);
  m_freed = decltype(m_freed)(std::string(call) + ", freed", most);

  std::size_t n_far = 0;
  for (std::size_t k = 0; k < m_links.size(); ++k) {
    auto const end = routes.target(k);
    if (!end.exists) continue;
    auto& its   = m_links[k];
    its.target  = m_inboxes.data() + end.number * inbox_bytes();
    its.arrived = m_arrived.data() + end.number * n_slots;
    its.first   = its.is_near ? ptr(its.target, its.pe)
                              : m_outboxes.data() + n_far++ * inbox_bytes();
  }
  for (std::size_t k = 0; k < m_from.size(); ++k) {
    auto const end  = routes.source(k);
    m_from[k].freed = m_freed.data() + end.number;
  }
}

std::byte* MailBlocks::next_block(std::size_t link) const {
  auto const& its = m_links[link];
  if (its.n_sent - poll(m_freed.data() + link) == n_slots) return nullptr;
  return its.first + slot_of(its.n_sent) * m_block_bytes;
}

void MailBlocks::send(std::size_t link, MailHeader header,
                      std::size_t message_bytes) {
  auto& its           = m_links[link];
  auto const slot     = slot_of(its.n_sent);
  auto const offset   = slot * m_block_bytes;
  auto* const block   = its.first + offset;
  auto* const arrived = its.arrived + slot;
  auto const bytes    = sizeof header + header.n_messages * message_bytes;
  Signal const number = ++its.n_sent;
  std::memcpy(block, &header, sizeof header);
  if (its.is_near) {
    fence();
    signal_op(arrived, number, SignalOp::set, its.pe);
  } else {
    // The credit of the target says when the block may be written again.
    [[maybe_unused]] check::Call const its_call("symm::Mailbox");
    put_signal_nbi(its.target + offset, block, bytes, arrived, number,
                   SignalOp::set, its.pe);
  }
}

std::byte const* MailBlocks::received(std::size_t inbox) const {
  auto const n_freed = m_from[inbox].n_freed;
  auto const slot    = inbox * n_slots + slot_of(n_freed);
  if (poll(m_arrived.data() + slot) != n_freed + 1) return nullptr;
  return m_inboxes.data() + slot * m_block_bytes;
}

void MailBlocks::free(std::size_t inbox) {
  auto& its = m_from[inbox];
  ++its.n_freed;
  signal_op(its.freed, 1, SignalOp::add, its.pe);
}

}  // namespace symm::Impl
