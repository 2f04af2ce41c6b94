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

MailBlocks::MailBlocks(char const* call, MailRoutes const& routes,
                       TeamMembers const& members, std::size_t block_bytes,
                       std::size_t least_block_bytes)
    : m_block_bytes((block_bytes + 63) / 64 * 64),
      m_links(routes.n_links()),
      m_from(routes.n_inboxes()) {
  auto const most = static_cast<std::size_t>(PTRDIFF_MAX) / n_turns /
                    std::max<std::size_t>(routes.max_links(), 1);
  if (block_bytes > most - 64) {
    throw OutOfMemory(Text(call, ": blocks of ", block_bytes, " bytes for ",
                           routes.max_links(),
                           " inboxes would exceed the address space"));
  }
  if (m_block_bytes < least_block_bytes) {
    throw UsageError(Text(call, ": blocks of ", block_bytes,
                          " bytes are too small for a message; set "
                          "MailboxOptions::block_bytes to at least ",
                          least_block_bytes));
  }
  for (std::size_t k = 0; k < m_links.size(); ++k) {
    auto const end = routes.target(k);
    if (!end.exists) continue;
    auto const pe      = members.world_pe(end.pe);
    bool const is_near = symm::is_near(pe);
    auto const there   = end.number * m_block_bytes;
    m_links[k].route   = {pe,
                          is_near,
                        is_near ? 0 : m_n_far++ * m_block_bytes,
                          there,
                          static_cast<std::uint32_t>(k),
                          static_cast<std::uint32_t>(end.number)};
  }
  for (std::size_t k = 0; k < m_from.size(); ++k) {
    auto const end = routes.source(k);
    if (end.exists) m_from[k].pe = members.world_pe(end.pe);
  }
  m_buffers.prepare(call, 0);
  m_buffers.take_outbox(m_n_far * n_turns * m_block_bytes);
}

void MailBlocks::begin(char const* call, MailRoutes const& routes) {
  // PE teams of different sizes may create their mailboxes in the same call.
  auto const most = reduce(team_world(), routes.max_links(), Max{});
  auto const bytes =
      reduce(team_world(), routes.max_links() * m_block_bytes, Max{});
  m_buffers.begin(most);
  m_freed = decltype(m_freed)(std::string(call) + ", freed", most);
  m_buffers.make_inboxes(bytes);
  for (std::size_t k = 0; k < m_from.size(); ++k) {
    auto const end  = routes.source(k);
    m_from[k].freed = m_freed.data() + end.number;
  }
}

std::byte* MailBlocks::place(BlockRoute const& route, Signal number) const {
  auto const& buffers = m_buffers.in_kernels();
  auto* const block =
      route.is_near
          ? buffers.heap.peer_ptr(buffers.turn(number, true), route.pe) +
                route.there
          : buffers.outbox + (number % n_turns) * m_n_far * m_block_bytes +
                route.here;
  return reinterpret_cast<std::byte*>(block);
}

std::byte* MailBlocks::next_block(std::size_t link) const {
  auto const& link_state = m_links[link];
  if (link_state.n_sent - poll(m_freed.data() + link) == n_turns)
    return nullptr;
  return place(link_state.route, link_state.n_sent + 1);
}

void MailBlocks::send(std::size_t link, MailHeader header,
                      std::size_t message_bytes) {
  auto& link_state    = m_links[link];
  Signal const number = ++link_state.n_sent;
  auto const& route   = link_state.route;
  auto const& buffers = m_buffers.in_kernels();
  auto* const block   = place(route, number);
  auto* const arrived = buffers.signal(route.slot_there, number, route.is_near);
  auto const bytes    = sizeof header + header.n_messages * message_bytes;
  std::memcpy(block, &header, sizeof header);
  if (route.is_near) {
    fence();
    signal_op(arrived, number, SignalOp::set, route.pe);
  } else {
    // (This PE overwrites the block only after the receiver has freed it.)
    [[maybe_unused]] check::Call const its_call("symm::Mailbox");
    put_signal_nbi(
        reinterpret_cast<std::byte*>(buffers.turn(number, false)) + route.there,
        block, bytes, arrived, number, SignalOp::set, route.pe);
  }
}

std::byte const* MailBlocks::received(std::size_t inbox) const {
  auto const& buffers = m_buffers.in_kernels();
  Signal const number = m_from[inbox].n_freed + 1;
  auto const slot     = static_cast<std::uint32_t>(inbox);
  if (poll(buffers.signal(slot, number, true)) != number) return nullptr;
  return reinterpret_cast<std::byte const*>(buffers.turn(number, true)) +
         inbox * m_block_bytes;
}

void MailBlocks::free(std::size_t inbox) {
  auto& source = m_from[inbox];
  ++source.n_freed;
  signal_op(source.freed, 1, SignalOp::add, source.pe);
}

}  // namespace symm::Impl
