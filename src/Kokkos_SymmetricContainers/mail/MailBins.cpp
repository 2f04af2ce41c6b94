// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#include "MailBins.hpp"

#include <algorithm>
#include <cstring>

#include <Kokkos_SymmetricSpace_Edge.hpp>

#include "../../runtime/symm_job.hpp"
#include "MailRoutes.hpp"

namespace symm::Impl {

namespace {

// Measurements with 2 to 64 KiB blocks show that larger blocks are faster
// between nodes. Within a node, larger blocks are no slower as long as each PE
// writes to only a few PEs. Blocks smaller than 4 KiB halve the speed.
constexpr std::size_t max_block_bytes   = 64 << 10;
constexpr std::size_t least_block_bytes = 4 << 10;
constexpr std::size_t max_inbox_bytes   = 24 << 20;

}  // namespace

MailBins::MailBins(char const* call, TeamMembers const& members,
                   MailboxOptions const& options, MessageBytes bytes,
                   std::optional<Failure> failure)
    : m_members(members), m_message_bytes(bytes) {
  auto const prepare = [&] {
    m_routes = std::make_unique<MailRoutes const>(
        mail_routes(m_members, options.routing));
    m_is_direct = m_routes->is_direct();
    m_is_last.resize(m_routes->n_links());
    for (std::size_t link = 0; link < m_is_last.size(); ++link)
      m_is_last[link] = m_routes->target(link).is_last ? 1 : 0;
    m_bins.resize(m_routes->n_links());
    m_n_passed_on.resize(m_routes->n_inboxes());
    auto const least = sizeof(MailHeader) + bytes.passed;
    auto const bytes_of_block =
        options.block_bytes == 0
            ? std::max(default_block_bytes(*m_routes), least)
            : options.block_bytes;
    m_blocks.emplace(call, *m_routes, m_members, bytes_of_block, least);
  };
  if (!failure) failure = failure_of(prepare);
  auto const value =
      options.block_bytes * 4 + static_cast<std::uint64_t>(options.routing);
  m_number = agree({call, "symm::Mailbox", 0, value}, failure);
  m_members.expect_to_fit(call);
  m_clock.emplace(call, m_members);
  m_blocks->begin(call, *m_routes);
}

MailBins::~MailBins() = default;

std::size_t MailBins::link_to(Pe pe) const { return m_routes->link_to(pe); }

std::size_t MailBins::default_block_bytes(MailRoutes const& routes) {
  auto const bytes =
      max_inbox_bytes /
      (std::max<std::size_t>(routes.max_links(), 1) * MailBlocks::n_turns);
  return std::clamp(bytes / 64 * 64, least_block_bytes, max_block_bytes);
}

std::size_t MailBins::memory_bytes(MailRoutes const& routes) {
  auto const per_link =
      MailBlocks::n_turns * default_block_bytes(routes) + sizeof(Bin);
  return 2 * routes.max_links() * per_link;
}

bool MailBins::send(std::size_t link) {
  auto& bin = m_bins[link];
  if (bin.next == nullptr) return false;
  auto const message_bytes = this->message_bytes(link);
  auto const room          = (m_blocks->block_bytes() - sizeof(MailHeader)) /
                    message_bytes * message_bytes;
  auto const bytes = room - static_cast<std::size_t>(bin.end - bin.next);
  if (bytes == 0) return false;
  auto const n = bytes / message_bytes;
  m_blocks->send(link, {n, m_clock->now()}, message_bytes);
  m_n_sent += n;
  bin = {};
  return true;
}

bool MailBins::open(std::size_t link) {
  send(link);
  auto* const block = m_blocks->next_block(link);
  if (block == nullptr) return false;
  auto const message_bytes = this->message_bytes(link);
  auto const room          = m_blocks->block_bytes() - sizeof(MailHeader);
  auto& bin                = m_bins[link];
  bin.next                 = block + sizeof(MailHeader);
  bin.end                  = bin.next + room / message_bytes * message_bytes;
  return true;
}

std::size_t MailBins::put(std::size_t link,
                          std::span<std::byte const> messages) {
  auto& bin        = m_bins[link];
  std::size_t done = 0;
  while (done < messages.size()) {
    if (bin.next == bin.end && !open(link)) break;
    auto const n = std::min(messages.size() - done,
                            static_cast<std::size_t>(bin.end - bin.next));
    std::memcpy(bin.next, messages.data() + done, n);
    bin.next += n;
    done += n;
  }
  return done;
}

bool MailBins::flush() {
  bool has_sent = false;
  for (std::size_t link = 0; link < m_bins.size(); ++link)
    has_sent = send(link) || has_sent;
  return has_sent;
}

}  // namespace symm::Impl
