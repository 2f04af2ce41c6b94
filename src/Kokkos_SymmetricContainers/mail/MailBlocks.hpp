// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_MAIL_BLOCKS_HPP
#define SYMM_MAIL_BLOCKS_HPP

#include <cstddef>
#include <cstdint>
#include <vector>

#include <Kokkos_Core.hpp>
#include <Kokkos_SymmetricSpace_Space.hpp>

#include "../../runtime/symm_job.hpp"
#include "../../runtime/symm_signals.hpp"

namespace symm::Impl {

class MailRoutes;
class TeamMembers;

/// Stands in front of the messages of a block.
struct alignas(16) MailHeader {
  std::uint64_t n_messages;
  std::uint64_t time;  // of the sender's CollectiveClock
};

/// Blocks of messages on their way. An inbox has room for a few blocks of the
/// PE that fills it. To PEs of this node, blocks are written where they will be
/// read; to others, in an outbox, and sent by one put with signal. The receiver
/// tells by a signal how many blocks it has freed. Signals come in any order:
/// each slot has its own, and those of freed blocks are added up.
class MailBlocks {
 public:
  static constexpr std::size_t n_slots = 4;

  /// Local: takes all memory of this PE alone.
  /// \param block_bytes       equal on all members.
  /// \param least_block_bytes that have room for a message.
  /// \throws UsageError, OutOfMemory on this PE.
  MailBlocks(char const* call, MailRoutes const& routes,
             TeamMembers const& members, std::size_t block_bytes,
             std::size_t least_block_bytes);
  /// Collective over the world: takes symmetric memory.
  /// \throws UsageError, OutOfMemory, SystemError on every PE.
  void begin(char const* call, MailRoutes const& routes);

  [[nodiscard]] std::size_t block_bytes() const { return m_block_bytes; }
  /// Where the next block of a link is to be written; null: its slots are full.
  [[nodiscard]] std::byte* next_block(std::size_t link) const;
  /// Sends it. \param message_bytes of one message.
  void send(std::size_t link, MailHeader header, std::size_t message_bytes);

  /// The next block of an inbox; null: none has come.
  [[nodiscard]] std::byte const* received(std::size_t inbox) const;
  /// Gives its memory back to its sender.
  void free(std::size_t inbox);

 private:
  struct Link {
    std::byte* first  = nullptr;  // slots, where this PE writes
    std::byte* target = nullptr;  // the inbox, as a symmetric address
    Signal* arrived   = nullptr;  // of its slots, symmetric
    Pe pe             = 0;
    bool is_near      = false;
    Signal n_sent     = 0;
  };
  struct Inbox {
    Signal* freed  = nullptr;  // of the link that leads to it, symmetric
    Pe pe          = 0;
    Signal n_freed = 0;
  };

  [[nodiscard]] std::size_t inbox_bytes() const {
    return n_slots * m_block_bytes;
  }

  std::size_t m_block_bytes;
  Kokkos::View<std::byte*, SymmetricHostSpace> m_inboxes;
  Kokkos::View<std::byte*, Kokkos::HostSpace> m_outboxes;
  // The number of the latest block in each slot of each inbox, and how many
  // blocks were freed of those that this PE has sent by each link.
  Kokkos::View<Signal*, SymmetricHostSpace> m_arrived;
  Kokkos::View<Signal*, SymmetricHostSpace> m_freed;
  std::vector<Link> m_links;
  std::vector<Inbox> m_from;
};

}  // namespace symm::Impl

#endif
