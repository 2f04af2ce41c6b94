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
#include "../base/BlockBuffers.hpp"

namespace symm::Impl {

class MailRoutes;
class TeamMembers;

/// Stands in front of the messages of a block.
struct alignas(16) MailHeader {
  std::uint64_t n_messages;
  std::uint64_t time;  // of the sender's CollectiveClock
};

/// Blocks of messages on their way (BlockBuffers: a link is a slot). The
/// receiver tells by a signal how many blocks it has freed. Signals come in any
/// order: each turn of a slot has its own, and those of freed blocks are added
/// up.
class MailBlocks {
 public:
  static constexpr unsigned n_turns = 4;

  /// Local: takes all memory of this PE alone.
  /// \param call              lives as long as this.
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
  /// Where the next block of a link is to be written; null: its turns are all
  /// under way.
  [[nodiscard]] std::byte* next_block(std::size_t link) const;
  /// Sends it. \param message_bytes of one message.
  void send(std::size_t link, MailHeader header, std::size_t message_bytes);

  /// The next block of an inbox; null: none has come.
  [[nodiscard]] std::byte const* received(std::size_t inbox) const;
  /// Gives its memory back to its sender.
  void free(std::size_t inbox);

 private:
  struct Link {
    BlockRoute route;
    Signal n_sent = 0;
  };
  struct Inbox {
    Signal* freed  = nullptr;  // of the link that leads to it, symmetric
    Pe pe          = 0;
    Signal n_freed = 0;
  };

  /// Where this PE writes block `number` of a link.
  [[nodiscard]] std::byte* place(BlockRoute const& route, Signal number) const;

  std::size_t m_block_bytes;
  std::size_t m_n_far = 0;  // links that have a block in the outbox
  BlockBuffers<SymmetricHostSpace, n_turns> m_buffers;
  // How many blocks were freed of those that this PE has sent by each link.
  Kokkos::View<Signal*, SymmetricHostSpace> m_freed;
  std::vector<Link> m_links;
  std::vector<Inbox> m_from;
};

}  // namespace symm::Impl

#endif
