// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#include "MailBlocks.hpp"

#include <cstring>
#include <string>

#include "../../runtime/base/Failure.hpp"
#include "../../runtime/base/Text.hpp"
#include "../../runtime/symm_atomics.hpp"
#include "../../runtime/symm_errors.hpp"
#include "../../runtime/symm_memory.hpp"
#include "../../runtime/symm_signals.hpp"
#include "../exchange/ExchangeBuffers.hpp"
#include "MailRoutes.hpp"

namespace symm::Impl {

namespace {

std::size_t slot_of(Signal block) { return block % MailBlocks::n_slots; }

}  // namespace

MailBlocks::MailBlocks(char const* call, MailRoutes const& routes,
                       std::size_t block_bytes, std::size_t least_block_bytes)
    : m_block_bytes((block_bytes + 63) / 64 * 64),
      m_inboxes(Kokkos::view_alloc(std::string(call) + ", inboxes",
                                   Kokkos::WithoutInitializing),
                routes.most_links() * n_slots * m_block_bytes),
      m_arrived(std::string(call) + ", arrived", routes.most_links() * n_slots),
      m_freed(std::string(call) + ", freed", routes.most_links()) {
  auto const inbox_bytes = n_slots * m_block_bytes;
  agree(call, failure_of([&] {
          if (m_block_bytes < least_block_bytes) {
            throw UsageError(Text(call, ": blocks of ", block_bytes,
                                  " bytes have no room for a message: ask for ",
                                  least_block_bytes, " at least"));
          }
          m_links.resize(routes.n_links());
          m_from.resize(routes.n_inboxes());
          std::size_t n_far = 0;
          for (std::size_t k = 0; k < m_links.size(); ++k) {
            auto const end = routes.target(k);
            if (!end.exists) continue;
            auto& its   = m_links[k];
            its.target  = m_inboxes.data() + end.number * inbox_bytes;
            its.arrived = m_arrived.data() + end.number * n_slots;
            its.pe      = end.pe;
            its.first   = ptr(its.target, end.pe);
            its.is_near = its.first != nullptr;
            if (!its.is_near) ++n_far;
          }
          m_outboxes = decltype(m_outboxes)(
              Kokkos::view_alloc(std::string(call) + ", outboxes",
                                 Kokkos::WithoutInitializing),
              n_far * inbox_bytes);
          n_far = 0;
          for (auto& its : m_links) {
            if (its.target == nullptr || its.is_near) continue;
            its.first = m_outboxes.data() + n_far++ * inbox_bytes;
          }
          for (std::size_t k = 0; k < m_from.size(); ++k) {
            auto const end  = routes.source(k);
            m_from[k].freed = m_freed.data() + end.number;
            m_from[k].pe    = end.pe;
          }
        }));
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
